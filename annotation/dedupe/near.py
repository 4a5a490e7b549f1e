"""Near and semantic pairs of items, one block of rows at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotation.dedupe.limits import MODEL_THRESHOLD, Limits, limits_for
from annotation.dedupe.mining import Match, block_count, mine_block
from annotation.dedupe.ngrams import Vectors, encode
from annotation.dedupe.pairs import Kind, Pair, Side, make_pair
from annotation.dedupe.substance import (
    FRAME_OVERLAP,
    ComparedText,
    compared_text,
    differ_in_substance,
    overlap,
)
from annotation.dedupe.texts import ItemText

# Of each tile of 1,024 items; a larger group of duplicates stays one through what they share.
NEIGHBOURS = 12


@dataclass(frozen=True, slots=True)
class Search:
    """Items of one side, their vectors (row k is item k) and the limits of their language."""

    texts: tuple[ComparedText, ...]
    vectors: Vectors
    limits: Limits
    side: Side

    @property
    def block_count(self) -> int:
        return block_count(len(self.texts))


def make_search(
    items: Sequence[ItemText],
    *,
    language: str,
    side: Side,
    encoder: Callable[[Sequence[str]], Vectors] = encode,
) -> Search:
    """Normalise and encode the items; the same items in the same order give the same blocks.

    `encoder` turns n texts into (n, d) float32 rows of length 1. Near pairs need the default one;
    semantic pairs take any.
    """
    texts = tuple(compared_text(item) for item in items)
    vectors = encoder([text.whole for text in texts])
    return Search(texts, vectors, limits_for(language), side)


def near_pairs(search: Search, *, block: int) -> list[Pair]:
    """Pairs whose texts overlap by the language's `near` limit and do not share a frame only.

    Candidates come from hashed n-gram vectors; the similarity is the exact overlap, so it does
    not depend on hashing.
    """
    limits = search.limits
    pairs = []
    for match, a, b in _candidates(search, limits.candidate, block):
        similarity = overlap(a.whole, b.whole, gram=limits.gram)
        if similarity >= limits.near and not differ_in_substance(a, b, limits):
            pairs.append(_pair(search, match, "near", similarity))
    return pairs


def semantic_pairs(search: Search, *, block: int, threshold: float) -> list[Pair]:
    """Pairs whose vectors are neighbours at `threshold`, but for those that share a frame only."""
    pairs = []
    for match, a, b in _candidates(search, threshold, block):
        alike_in_letters = overlap(a.whole, b.whole, gram=search.limits.gram) >= FRAME_OVERLAP
        if not (alike_in_letters and differ_in_substance(a, b, search.limits)):
            pairs.append(_pair(search, match, "semantic", match.similarity))
    return pairs


def semantic_threshold(*, language: str, model: str) -> float:
    """Least cosine of a semantic pair for a model's vectors of texts in a language."""
    return limits_for(language).semantic if model == "hashed-ngrams" else MODEL_THRESHOLD


def _candidates(
    search: Search, threshold: float, block: int
) -> Iterator[tuple[Match, ComparedText, ComparedText]]:
    found = mine_block(search.vectors, threshold, block=block, neighbours=NEIGHBOURS)
    for match in found:
        a, b = search.texts[match.i], search.texts[match.j]
        if min(a.letters, b.letters) >= search.limits.letters:
            yield match, a, b


def _pair(search: Search, match: Match, kind: Kind, similarity: float) -> Pair:
    one, other = search.texts[match.i].item.id, search.texts[match.j].item.id
    return make_pair(
        one,
        other,
        kind=kind,
        similarity=round(similarity, 6),
        side=search.side,
    )
