"""Near and semantic pairs of items, one block of rows at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np

from annotation.checks.catalogue.denials import find_negation
from annotation.duplicates.dedupe.answers import Answers
from annotation.duplicates.dedupe.comparison import FRAME_OVERLAP, ComparedText, TextComparison
from annotation.duplicates.dedupe.limits import MODEL_THRESHOLD, limits_for
from annotation.duplicates.dedupe.mining import Crowding, Match, block_count, mine_block
from annotation.duplicates.dedupe.ngrams import Vectors, encode
from annotation.duplicates.dedupe.pairs import Kind, Pair, Side, make_pair
from languages import get_language
from languages.base import DuplicateLimits

# An item with at most so many later ones like it has a pair with each. One with more stands in a
# crowd and has a few: nobody decides them all, and the crowd stays one through what they share.
NEIGHBOURS = 12
IN_CROWD = 4

Encoder = Callable[[Sequence[str]], Vectors]
Tick = Callable[[], None]


@dataclass(slots=True)
class Search:
    """Items of one side, their vectors (row k is item k) and what is known of their similarity."""

    comparison: TextComparison
    answers: Answers
    vectors: Vectors
    side: Side

    @property
    def limits(self) -> DuplicateLimits:
        return self.comparison.limits

    @property
    def block_count(self) -> int:
        return block_count(len(self.comparison.texts))

    def encode(self, encoder: Encoder) -> None:
        """Take the vectors of an encoder; a text too short to compare is like nothing.

        `encoder` turns n texts into (n, d) float32 rows of length 1.
        """
        self.vectors = np.zeros((0, 0), np.float32)  # frees the old before the new are made
        vectors = encoder([text.whole for text in self.comparison.texts])
        vectors[[text.letters < self.limits.letters for text in self.comparison.texts]] = 0
        self.vectors = vectors


def make_search(
    texts: Sequence[ComparedText],
    *,
    language: str,
    side: Side,
    answers: Answers | None = None,
    encoder: Encoder = encode,
) -> Search:
    """Encode the texts; the same texts in the same order give the same blocks.

    Near pairs need the default encoder; semantic pairs take any. `answers` tells which keys are
    the same, by the texts themselves unless given.
    """
    own_answers = Answers([text.item for text in texts])
    own, no_vectors = get_language(language), np.zeros((0, 0), np.float32)
    comparison = TextComparison(
        texts, limits_for(language), lambda question: find_negation(question, own) is not None
    )
    search = Search(comparison, answers or own_answers, no_vectors, side)
    search.encode(encoder)
    return search


def near_pairs(search: Search, *, block: int, tick: Tick = lambda: None) -> list[Pair]:
    """Return pairs whose texts overlap by the language's `near` limit and do not share a frame only.

    Candidates come from hashed n-gram vectors; the similarity is the exact overlap, so it does
    not depend on hashing. An item that is like more than `NEIGHBOURS` later ones has `IN_CROWD`
    pairs with these, those of a different key first. `tick` is called many times a second and may
    raise.
    """
    limits, differ = search.limits, search.comparison.differ_beyond_edits
    pairs = []
    for row in _candidates(search, limits.candidate, block, tick):
        alike = (
            _pair(search, match, "near", overlap)
            for match, overlap in row
            if overlap >= limits.near and not differ(match.i, match.j)
        )
        pairs += _few_of_many(alike)
    return pairs


def semantic_pairs(
    search: Search, *, block: int, threshold: float, tick: Tick = lambda: None
) -> list[Pair]:
    """Return pairs whose vectors are neighbours at `threshold`, but for those that share a frame only.

    Of an item as many, and of many the same ones, as `near_pairs` has.
    """
    differ = search.comparison.differ_beyond_edits
    pairs = []
    for row in _candidates(search, threshold, block, tick):
        alike = (
            _pair(search, match, "semantic", match.similarity)
            for match, overlap in row
            if overlap < FRAME_OVERLAP or not differ(match.i, match.j)
        )
        pairs += _few_of_many(alike)
    return pairs


def semantic_threshold(*, language: str, model: str) -> float:
    """Return the least cosine of a semantic pair for a model's vectors of texts in a language."""
    return limits_for(language).semantic if model == "hashed-ngrams" else MODEL_THRESHOLD


def _candidates(
    search: Search, threshold: float, block: int, tick: Tick
) -> Iterator[list[tuple[Match, float]]]:
    """For each row of a block its matches with their overlaps.

    As `mine_block` orders them: of many, the nearest with a different key, then the nearest with
    the same.
    """
    crowding = Crowding(NEIGHBOURS + 1, search.answers.differ)
    found = mine_block(search.vectors, threshold, block=block, crowding=crowding, tick=tick)
    for row, group in groupby(found, key=lambda match: match.i):
        tick()
        matches = list(group)
        overlaps = search.comparison.overlaps(row, [match.j for match in matches])
        yield list(zip(matches, overlaps, strict=True))


def _few_of_many(alike: Iterator[Pair]) -> list[Pair]:
    pairs = list(islice(alike, NEIGHBOURS + 1))
    return pairs if len(pairs) <= NEIGHBOURS else pairs[:IN_CROWD]


def _pair(search: Search, match: Match, kind: Kind, similarity: float) -> Pair:
    one, other = search.comparison.texts[match.i].item.id, search.comparison.texts[match.j].item.id
    return make_pair(
        one,
        other,
        kind=kind,
        similarity=round(similarity, 6),
        side=search.side,
    )
