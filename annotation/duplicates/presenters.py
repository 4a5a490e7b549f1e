"""A duplicate pair as a person compares it: both texts side by side, with what differs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotation.diffs import Segment, diff
from annotation.duplicates.dedupe.normalise import normalise
from annotation.enums import PairKind, TextSide
from annotation.items.text_languages import language_of, source_language_of
from annotation.models import DuplicatePair, Item
from annotation.rendering import render
from languages.letters import letter_of
from languages.markup import language_attributes

_TAGS = {"same": "", "ins": "ins", "del": "del"}


@dataclass(frozen=True, slots=True)
class ItemCard:
    """One item of a pair on the side found; `other_…` is its text on the other side.

    Questions and options come as HTML, the options as `<li>` elements.
    """

    item: Item
    language: str
    question: SafeString
    options: SafeString
    key_text: str
    other_language: str
    other_question: str
    other_options: SafeString


class Found(NamedTuple):
    """The finding of a pair on one side; `percent` is whole, 100 for equal texts only."""

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
    other_side: str


def make_card(twins: Sequence[DuplicatePair]) -> PairCard:
    """Compare the two items of pairs of one another; what left has alone is struck, right added.

    Reads no row: the pairs come with their items, translations and revisions.
    """
    pair = twins[0]
    is_source = pair.side == TextSide.SOURCE
    texts = [_texts(item, is_source=is_source) for item in (pair.a, pair.b)]
    questions = diff(texts[0][0], texts[1][0])
    options = _compared_options(texts[0][1], texts[1][1])
    left, right = (
        _card(pair, item, _without(questions, gone), rows)
        for item, gone, rows in zip((pair.a, pair.b), ("ins", "del"), options, strict=True)
    )
    other_side = TextSide.TARGET if is_source else TextSide.SOURCE
    return PairCard(pair, tuple(map(_found, twins)), left, right, str(other_side.label))


def _found(pair: DuplicatePair) -> Found:
    is_exact = pair.kind == PairKind.EXACT
    percent = 100 if is_exact else min(99, int(100 * pair.similarity))
    return Found(pair.get_side_display(), pair.get_kind_display(), is_exact, percent)


def _card(
    pair: DuplicatePair,
    item: Item,
    question: tuple[Segment, ...],
    options: list[tuple[Segment, ...]],
) -> ItemCard:
    is_source = pair.side == TextSide.SOURCE
    languages = [find(item, "question", pair.project) for find in (source_language_of, language_of)]
    language, other = languages if is_source else reversed(languages)
    key = next((n for n in range(len(options)) if item.key == letter_of(n)), None)
    other_question, other_options = _texts(item, is_source=not is_source)
    return ItemCard(
        item=item,
        language=language,
        question=_marked(question),
        options=_listed(map(_marked, options), language, key),
        key_text="" if key is None else "".join(segment.text for segment in options[key]),
        other_language=other,
        other_question=other_question,
        other_options=_listed(map(_rendered, other_options), other),
    )


def _marked(segments: Sequence[Segment]) -> SafeString:
    """Return a text as HTML, with formulas as such only where nothing differs.

    A template that is included for each text costs more than the rest of the page.
    """
    if [segment.op for segment in segments] == ["same"]:
        return _rendered(segments[0].text)
    parts = [(_TAGS[op], escape(text)) for op, text in segments]
    return mark_safe("".join(f"<{tag}>{text}</{tag}>" if tag else text for tag, text in parts))  # noqa: S308


def _rendered(text: str) -> SafeString:
    return mark_safe(render(text))  # noqa: S308 - everything in it is escaped or of our making


def _listed(texts: Iterable[SafeString], language: str, key: int | None = None) -> SafeString:
    """Return options as list elements, each behind its letter. (A page has some five hundred.)"""
    attributes = language_attributes(language)
    elements = [
        f"<b>{letter_of(n)}</b><span {attributes}>{text}</span></li>"
        for n, text in enumerate(texts)
    ]
    starts = ['<li class="key">' if n == key else "<li>" for n in range(len(elements))]
    return mark_safe("".join(map("".join, zip(starts, elements, strict=True))))  # noqa: S308


def _texts(item: Item, *, is_source: bool) -> tuple[str, list[str]]:
    if is_source:
        return item.question, item.options
    translation = item.working_translation
    revision = translation.current_revision if translation else None
    return (revision.question, revision.options) if revision else ("", [])


def _compared_options(
    left: Sequence[str], right: Sequence[str]
) -> tuple[list[tuple[Segment, ...]], list[tuple[Segment, ...]]]:
    """Return segments of each option; an option that stands in both lists, at any letter, is the same.

    What is left over on both sides is compared in order.
    """
    shown: tuple[list[tuple[Segment, ...]], list[tuple[Segment, ...]]] = (
        [(Segment("del", text),) for text in left],
        [(Segment("ins", text),) for text in right],
    )
    free = dict(enumerate(map(normalise, right)))
    rest = []
    for i, text in enumerate(left):
        wanted = normalise(text)
        j = next((j for j, found in free.items() if found == wanted), None)
        if j is None:
            rest.append(i)
            continue
        del free[j]
        shown[0][i], shown[1][j] = (Segment("same", text),), (Segment("same", right[j]),)
    for i, j in zip(rest, free, strict=False):
        segments = diff(left[i], right[j])
        shown[0][i], shown[1][j] = _without(segments, "ins"), _without(segments, "del")
    return shown


def _without(segments: Sequence[Segment], op: str) -> tuple[Segment, ...]:
    return tuple(segment for segment in segments if segment.op != op)
