"""Items side by side with what was looked for marked in both texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.glossary.folding import fold
from annotation.items.queries import current_revision
from annotation.items.search_text import folded
from annotation.memory.queries import Match
from annotation.models import Item

MOST_SHOWN: Final = 400
_BEFORE: Final = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; `is_hit` where it is what was looked for."""

    text: str
    is_hit: bool = False


@dataclass(frozen=True, slots=True)
class SideBySide:
    """An item's question beside its translation; `percent` is how like it is, None in a search."""

    pk: int
    uid: str
    state: str
    source: Sequence[Piece]
    target: Sequence[Piece]
    options: Sequence[tuple[str, str]] = ()
    percent: int | None = None


def found_rows(items: Iterable[Item], text: str) -> list[SideBySide]:
    """The items of a search, without those in which only the uid has the text."""
    rows = [
        _row(item, source=pieces(item.question, text), target=pieces(_target(item), text))
        for item in items
    ]
    return [row for row in rows if any(p.is_hit for p in (*row.source, *row.target))]


def match_rows(matches: Iterable[Match]) -> list[SideBySide]:
    """Similar items, the most similar first, with their options."""
    return [
        _row(
            match.item,
            source=[Piece(match.item.question)],
            target=[Piece(_target(match.item))],
            options=_options(match.item),
            percent=int(match.likeness * 100),
        )
        for match in matches
    ]


def pieces(text: str, wanted: str) -> list[Piece]:
    """The text, cut around its first hit where it is long, with every hit apart."""
    spans = _spans(text, wanted)
    first = max(0, spans[0][0] - _BEFORE) if spans and len(text) > MOST_SHOWN else 0
    last = min(len(text), first + MOST_SHOWN)
    found = [Piece("…")] if first else []
    at = first
    for start, end in spans:
        if end > last:
            break
        found += [Piece(text[at:start]), Piece(text[start:end], is_hit=True)]
        at = end
    found.append(Piece(text[at:last]))
    if last < len(text):
        found.append(Piece("…"))
    return [piece for piece in found if piece.text]


def _spans(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where a text stands in another, by the letters that the search compares."""
    found: list[tuple[int, int]] = []
    there, part = fold(text), fold(wanted).text
    if not part or folded(wanted) not in folded(text):
        return found
    at = there.text.find(part)
    while at >= 0:
        found.append(there.place(at, at + len(part)))
        at = there.text.find(part, at + len(part))
    return found


def _row(
    item: Item,
    *,
    source: Sequence[Piece],
    target: Sequence[Piece],
    options: Sequence[tuple[str, str]] = (),
    percent: int | None = None,
) -> SideBySide:
    translation = item.working_translation
    state = str(translation.get_state_display()) if translation else ""
    return SideBySide(item.pk, item.uid, state, source, target, options, percent)


def _target(item: Item) -> str:
    revision = current_revision(item)
    return revision.question if revision else ""


def _options(item: Item) -> list[tuple[str, str]]:
    """Options in pairs, where source and translation have as many."""
    revision = current_revision(item)
    target = list(revision.options) if revision else []
    return list(zip(item.options, target, strict=True)) if len(target) == len(item.options) else []
