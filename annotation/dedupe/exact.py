"""Items with the same normalised text: whole, or the question alone."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from annotation.dedupe.limits import limits_for
from annotation.dedupe.normalise import letter_count
from annotation.dedupe.pairs import Pair, Side, make_pair
from annotation.dedupe.substance import (
    OPTION_SHARE,
    ComparedText,
    compared_text,
    overlap,
    shared_options,
)
from annotation.dedupe.texts import ItemText, same_key

# In a group no larger than this every two items are a pair; in a larger one the first and each.
FULL_GROUP = 20
LEAST_LETTERS = 2


def exact_groups(items: Iterable[ItemText]) -> list[tuple[int, ...]]:
    """Ids of items with the same question and the same options in any order, groups sorted."""
    return [tuple(text.item.id for text in group) for group in _whole_groups(items)]


def exact_pairs(items: Iterable[ItemText], *, side: Side) -> list[Pair]:
    """Pairs within the groups of `exact_groups`, similarity 1."""
    return [
        make_pair(a.item.id, b.item.id, kind="exact", similarity=1.0, side=side)
        for group in _whole_groups(items)
        for a, b in _pairs_within(group)
    ]


def same_question_pairs(items: Iterable[ItemText], *, language: str, side: Side) -> list[Pair]:
    """Near pairs with the same question and other options; similarity is the overlap of all text.

    Half of the options, or the key's text, must be the same, and the question must be long enough
    to compare: otherwise the question is a frame ("Which of these is true?").
    """
    limits = limits_for(language)
    texts = [compared_text(item) for item in items]
    return [
        make_pair(
            a.item.id,
            b.item.id,
            kind="near",
            similarity=round(overlap(a.whole, b.whole, gram=limits.gram), 6),
            side=side,
        )
        for group in _groups(texts, lambda text: text.question, least=limits.letters)
        for a, b in _pairs_within(group)
        if a.whole != b.whole and _same_matter(a, b)
    ]


def _same_matter(a: ComparedText, b: ComparedText) -> bool:
    return shared_options(a, b) >= OPTION_SHARE or bool(a.item.key and same_key(a.item, b.item))


def _whole_groups(items: Iterable[ItemText]) -> list[list[ComparedText]]:
    return _groups(map(compared_text, items), lambda text: text.whole, least=LEAST_LETTERS)


def _groups(
    texts: Iterable[ComparedText], part: Callable[[ComparedText], str], *, least: int
) -> list[list[ComparedText]]:
    found: defaultdict[str, list[ComparedText]] = defaultdict(list)
    for text in sorted(texts, key=lambda text: text.item.id):
        if letter_count(part(text)) >= least:
            found[part(text)].append(text)
    return [group for group in found.values() if len(group) > 1]


def _pairs_within(group: Sequence[ComparedText]) -> Iterator[tuple[ComparedText, ComparedText]]:
    if len(group) <= FULL_GROUP:
        return combinations(group, 2)
    return ((group[0], other) for other in group[1:])
