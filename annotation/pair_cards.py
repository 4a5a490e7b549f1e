"""A duplicate pair as a person compares it: both texts side by side, with what differs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.dedupe.normalise import normalise
from annotation.diffs import Segment, diff
from annotation.enums import PairKind, TextSide
from annotation.models import DuplicatePair, Item

FIRST_LETTER = ord("A")


@dataclass(frozen=True, slots=True)
class OptionRow:
    label: str
    segments: tuple[Segment, ...]
    is_key: bool


@dataclass(frozen=True, slots=True)
class ItemCard:
    """One item of a pair on the side found; `other_*` is its text on the other side."""

    item: Item
    question: tuple[Segment, ...]
    options: tuple[OptionRow, ...]
    key_text: str
    other_question: str
    other_options: tuple[tuple[str, str], ...]


class Found(NamedTuple):
    """How a pair was found on one side; `percent` is whole, 100 for equal texts only."""

    side: str
    kind: str
    is_exact: bool
    percent: int


@dataclass(frozen=True, slots=True)
class PairCard:
    """`pair` is the louder finding, `found` has one for every side."""

    pair: DuplicatePair
    found: tuple[Found, ...]
    left: ItemCard
    right: ItemCard
    language: str
    other_language: str
    other_side: str


def make_card(twins: Sequence[DuplicatePair]) -> PairCard:
    """Compare the two items of pairs of one another; what left has alone is struck, right added.

    Reads no row: the pairs come with their items, translations and revisions.
    """
    pair = twins[0]
    is_source = pair.side == TextSide.SOURCE
    project = pair.project
    languages = (project.source_language, project.target_language)
    texts = [_texts(item, is_source=is_source) for item in (pair.a, pair.b)]
    questions = diff(texts[0][0], texts[1][0])
    options = _compared_options(texts[0][1], texts[1][1])
    left, right = (
        _card(item, is_source, _without(questions, gone), rows)
        for item, gone, rows in zip((pair.a, pair.b), ("ins", "del"), options, strict=True)
    )
    language, other = languages if is_source else reversed(languages)
    other_side = TextSide.TARGET if is_source else TextSide.SOURCE
    return PairCard(
        pair, tuple(map(_found, twins)), left, right, language, other, str(other_side.label)
    )


def _found(pair: DuplicatePair) -> Found:
    is_exact = pair.kind == PairKind.EXACT
    percent = 100 if is_exact else min(99, int(100 * pair.similarity))
    return Found(pair.get_side_display(), pair.get_kind_display(), is_exact, percent)


def _card(
    item: Item, is_source: bool, question: tuple[Segment, ...], options: list[tuple[Segment, ...]]
) -> ItemCard:
    rows = tuple(
        OptionRow(_letter(n), segments, item.key == _letter(n))
        for n, segments in enumerate(options)
    )
    keys = ["".join(segment.text for segment in row.segments) for row in rows if row.is_key]
    other_question, other_options = _texts(item, is_source=not is_source)
    others = tuple((_letter(n), text) for n, text in enumerate(other_options))
    return ItemCard(item, question, rows, keys[0] if keys else "", other_question, others)


def _texts(item: Item, *, is_source: bool) -> tuple[str, list[str]]:
    if is_source:
        return item.question, item.options
    translation = item.working_translation
    revision = translation.current_revision if translation else None
    return (revision.question, revision.options) if revision else ("", [])


def _compared_options(
    left: Sequence[str], right: Sequence[str]
) -> tuple[list[tuple[Segment, ...]], list[tuple[Segment, ...]]]:
    """Segments of each option; an option that stands in both lists, at any letter, is the same.

    What is left over on both sides is compared in order.
    """
    shown: tuple[list[tuple[Segment, ...]], list[tuple[Segment, ...]]] = (
        [(Segment("del", text),) for text in left],
        [(Segment("ins", text),) for text in right],
    )
    free = list(range(len(right)))
    rest = []
    for i, text in enumerate(left):
        j = next((j for j in free if normalise(right[j]) == normalise(text)), None)
        if j is None:
            rest.append(i)
            continue
        free.remove(j)
        shown[0][i], shown[1][j] = (Segment("same", text),), (Segment("same", right[j]),)
    for i, j in zip(rest, free, strict=False):
        segments = diff(left[i], right[j])
        shown[0][i], shown[1][j] = _without(segments, "ins"), _without(segments, "del")
    return shown


def _without(segments: Sequence[Segment], op: str) -> tuple[Segment, ...]:
    return tuple(segment for segment in segments if segment.op != op)


def _letter(position: int) -> str:
    return chr(FIRST_LETTER + position)
