"""Items side by side with what was looked for marked in both texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from annotation.checks.presenters import place_of
from annotation.glossary.folding import fold
from annotation.items.queries import current_revision
from annotation.memory.queries import QUESTION, SOURCE, TARGET, Concordance, Match
from annotation.models import Item
from annotation.search_text import Said, folded

MOST_SHOWN: Final = 400
_BEFORE: Final = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; `is_hit` where it is what was looked for."""

    text: str
    is_hit: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """A text of an item beside its translation; `label` says which where it is not the question."""

    field: str
    label: str
    source: Sequence[Piece]
    target: Sequence[Piece]

    @property
    def is_hit(self) -> bool:
        return any(piece.is_hit for piece in (*self.source, *self.target))


@dataclass(frozen=True, slots=True)
class SideBySide:
    """An item's question beside its translation, with its other texts that were found.

    `place` says where. `percent` is how like it is, None in a search.
    """

    item: Item
    state: str
    pairs: Sequence[Pair]
    place: str
    options: Sequence[tuple[str, str]] = ()
    percent: int | None = None


def found_rows(items: Iterable[Item], wanted: Concordance) -> list[SideBySide]:
    """Return the items of a search, without those in which only the uid has the text."""
    rows = [(item, _hits(item, wanted)) for item in items]
    return [_found_row(item, hits) for item, hits in rows if any(pair.is_hit for pair in hits)]


def fields_with(item: Item, wanted: Concordance) -> list[str]:
    """Return the fields of an item that have what was looked for, in the source or the translation."""
    return [pair.field for pair in _hits(item, wanted) if pair.is_hit]


def match_rows(matches: Iterable[Match]) -> list[SideBySide]:
    """Return similar items, the most similar first, with their options."""
    return [_match_row(match) for match in matches]


def pieces(text: str, wanted: str) -> list[Piece]:
    """Return the text, cut around its first hit where it is long, with every hit apart."""
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
    found: list[tuple[int, int]] = []
    if not wanted or folded(wanted) not in folded(text):
        return found
    there, part = fold(text), fold(wanted).text
    if not part:
        return found
    at = there.text.find(part)
    while at >= 0:
        found.append(there.place(at, at + len(part)))
        at = there.text.find(part, at + len(part))
    return found


def _hits(item: Item, wanted: Concordance) -> list[Pair]:
    source = "" if wanted.side == TARGET else wanted.q
    target = "" if wanted.side == SOURCE else wanted.q
    return [
        Pair(field, _label(field), pieces(text, source), pieces(translated, target))
        for field, text, translated in _texts(item)
    ]


def _found_row(item: Item, pairs: Sequence[Pair]) -> SideBySide:
    hits = [pair for pair in pairs if pair.is_hit]
    shown = [pair for pair in pairs if pair.is_hit or pair.field == QUESTION]
    place = ", ".join(place_of(pair.field) for pair in hits)
    return SideBySide(item, _state(item), shown, place)


def _match_row(match: Match) -> SideBySide:
    item, part = match.item, match.part
    pairs = [
        Pair(field, _label(field), [Piece(text)], [Piece(translated)])
        for field, text, translated in _texts(item)
        if field in {QUESTION, part}
    ]
    return SideBySide(
        item,
        _state(item),
        pairs,
        place=_("options") if part == "options" else place_of(part),
        options=_options(item),
        percent=int(match.likeness * 100),
    )


def _texts(item: Item) -> list[tuple[str, str, str]]:
    revision = current_revision(item)
    there = _by_field(revision) if revision else {}
    here = _by_field(item)
    fields = {**here, **there}
    return [(field, here.get(field, ""), there.get(field, "")) for field in fields]


def _by_field(said: Said) -> dict[str, str]:
    options = {f"options.{number}": text for number, text in enumerate(said.options)}
    further = {"answer": said.answer, "explanation": said.explanation}
    return {QUESTION: said.question} | options | {k: v for k, v in further.items() if v}


def _label(field: str) -> str:
    return "" if field == QUESTION else place_of(field)


def _state(item: Item) -> str:
    translation = item.working_translation
    return str(translation.get_state_display()) if translation else ""


def _options(item: Item) -> list[tuple[str, str]]:
    revision = current_revision(item)
    target = list(revision.options) if revision else []
    return list(zip(item.options, target, strict=True)) if len(target) == len(item.options) else []
