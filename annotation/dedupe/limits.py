"""How alike is alike, per language: figures measured on made edits and on unrelated items.

`gram`: n-gram size of the exact overlap, two where a character is a syllable or word, else three.
`candidate`: cosine of hashed n-gram vectors from which an overlap is computed at all.
`near`: least overlap (multiset Jaccard) of a near pair. `semantic`: least cosine of hashed n-gram
vectors of a semantic pair. `letters`: least text that can be compared. `run`: most letters in a
row that may be replaced in the question (a long word of the language).
"""

from dataclasses import dataclass

# Least cosine for a model that the user chose; models differ, so it asks for much.
MODEL_THRESHOLD = 0.9


@dataclass(frozen=True, slots=True)
class Limits:
    gram: int = 3
    candidate: float = 0.7
    near: float = 0.6
    semantic: float = 0.85
    letters: int = 12
    run: int = 12


DEFAULT = Limits()
_HAN = Limits(gram=2, candidate=0.65, near=0.65, semantic=0.82, letters=6, run=3)
BY_LANGUAGE: dict[str, Limits] = {
    "bo": Limits(candidate=0.78, semantic=0.85, run=10),
    "lo": Limits(candidate=0.75, near=0.65, semantic=0.88, run=8),
    "mn": Limits(candidate=0.72, semantic=0.85, run=14),
    "en": Limits(candidate=0.72, semantic=0.87, run=14),
    "zh": _HAN,
    "ja": _HAN,
}


def limits_for(language: str) -> Limits:
    """Limits of a language code, else of its first subtag (`zh` for `zh-Hant`), else `DEFAULT`."""
    return BY_LANGUAGE.get(language) or BY_LANGUAGE.get(language.split("-", maxsplit=1)[0], DEFAULT)
