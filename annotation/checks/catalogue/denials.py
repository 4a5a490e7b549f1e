"""The negations of a text: whether there is one, and whether an option lost or a text gained it."""

import re
from functools import lru_cache
from typing import Final

from languages.base import Language
from languages.option_names import speak_of_options

_SYLLABLE_START: Final = r"(?<![\u0f40-\u0fbc])"
_LAST: Final = 30
_SHORT: Final = 40
_CLEAR: Final = frozenset({"Han", "Latin"})
"""Scripts of the languages whose negations are words that hardly do anything else."""


def find_negation(text: str, language: Language) -> str | None:
    """Return the first negation of a text that is not part of another word, or None."""
    if not language.negations or not _first_signs(language).search(text):
        return None
    for match in _negation_pattern(language).finditer(text):
        if match["negation"]:
            return match["negation"]
    return None


def added(
    source: str, target: str, source_language: Language, target_language: Language
) -> str | None:
    """Return the clear negation at the end of a text whose source denies in no way, or None.

    Only for a source whose other words of denial are known: 缺 may well be rendered as མེད.
    """
    if not source_language.other_denials:
        return None
    found = _clear_negation(target[-_LAST:], target_language)
    if found is None or find_negation(source, source_language):
        return None
    words = (*source_language.negations, *source_language.other_denials)
    return None if any(word in source.lower() for word in words) else found


def _clear_negation(text: str, language: Language) -> str | None:
    if not language.clear_negation:
        return find_negation(text, language) if language.script in _CLEAR else None
    match = _clear_pattern(language).search(text)
    return match[0] if match else None


@lru_cache(maxsize=64)
def _clear_pattern(language: Language) -> re.Pattern[str]:
    return re.compile(language.clear_negation, re.IGNORECASE)


def lost(
    source: str,
    target: str,
    source_language: Language,
    target_language: Language,
    *,
    is_option: bool,
) -> str | None:
    """Return the negation of a source whose translation denies in no way, or None.

    An option has to begin with it, or speak of all of the options: 不变, 以上都不对.
    """
    word = find_negation(source, source_language)
    if word is None or not target_language.negations:
        return None
    if is_option and not (source.startswith(word) or _speaks_of_all(source, source_language)):
        return None
    return word if find_negation(target, target_language) is None else None


def _speaks_of_all(option: str, language: Language) -> bool:
    return len(option) <= _SHORT and speak_of_options((option,), language.code, 0)


@lru_cache(maxsize=64)
def _first_signs(language: Language) -> re.Pattern[str]:
    """Return what finds a negation in any text that has one, or a bit more."""
    if language.is_spaced:
        return re.compile(r"\w")
    return re.compile("|".join(map(re.escape, sorted(language.negations))))


@lru_cache(maxsize=64)
def _negation_pattern(language: Language) -> re.Pattern[str]:
    exceptions = "|".join(map(re.escape, sorted(language.negation_exceptions, key=len)[::-1]))
    words = "|".join(map(re.escape, sorted(language.negations, key=len)[::-1]))
    bounded = rf"\b(?:{words})\b|n't\b" if language.is_spaced else words
    if language.negation_endings:
        bounded += rf"|(?<=\w)(?:{'|'.join(language.negation_endings)})\w{{0,6}}\b"
    if language.segmentation == "tsheg":
        # At the start of a syllable: the མ་ that ends གཤམ་ denies nothing.
        bounded = rf"{_SYLLABLE_START}(?:{words})"
    prefix = rf"(?:{exceptions})|" if exceptions else ""
    if not language.is_spaced:  # one look at a character instead of one for each word
        firsts = {word[0] for word in (*language.negations, *language.negation_exceptions)}
        return re.compile(
            rf"(?=[{re.escape(''.join(sorted(firsts)))}])(?:{prefix}(?P<negation>{bounded}))"
        )
    return re.compile(rf"{prefix}(?P<negation>{bounded})", re.IGNORECASE)
