"""Terms as pages show them: the hits of an item with where to mark them, rows of the list, history."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

from django.utils.translation import gettext

from accounts.audit import verb_label
from accounts.models import AuditEvent
from annotation.glossary.formats.base import FILE_PROBLEMS
from annotation.glossary.matching import Field, TermHit, TermText
from annotation.glossary.queries import term_hits
from annotation.glossary.term_values import PROBLEMS
from projects.models import Project

HitState = Literal["used", "missing", "forbidden"]
_WORST: Final[Sequence[HitState]] = ("forbidden", "missing", "used")


class Row(Protocol):
    """A field of an item's text beside its source."""

    @property
    def field(self) -> str: ...
    @property
    def source_text(self) -> str: ...
    @property
    def target_text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A term that stands in an item, and what became of it in the translation."""

    term: TermText
    state: HitState
    found: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShownHits:
    """The terms of an item; `marks` is JSON of [side, row, text, how often before, state]."""

    hits: Sequence[ShownHit]
    marks: str


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """One change of a term; `changes` is (field, before, after)."""

    words: str
    author: str
    at: datetime
    changes: Sequence[tuple[str, str, str]]


def shown_hits(project: Project, rows: Sequence[Row]) -> ShownHits:
    """Return the terms in the source of an item's rows; no query beyond the glossary's own."""
    fields: list[Field] = [(row.field, row.source_text, row.target_text) for row in rows]
    hits = term_hits(project, fields)
    by_term: dict[TermText, list[TermHit]] = {}
    for hit in hits:
        by_term.setdefault(hit.term, []).append(hit)
    marks = [mark for number, field in enumerate(fields) for mark in _marks(number, field, hits)]
    return ShownHits(
        hits=[_shown(term, found) for term, found in by_term.items()],
        marks=json.dumps(marks, ensure_ascii=False, separators=(",", ":")),
    )


def state_of(hit: TermHit) -> HitState:
    """Return what became of a term: forbidden before missing, since it explains the missing one."""
    if hit.is_forbidden:
        return "forbidden"
    return "missing" if hit.is_missing else "used"


def shown_events(events: Iterable[AuditEvent], *, shows_authors: bool) -> list[ShownEvent]:
    """Return the history of a term in words; `author` is empty where the reader is told no names."""
    return [
        ShownEvent(
            words=verb_label(event.verb),
            author=event.actor_name if shows_authors else "",
            at=event.occurred_at,
            changes=list(_changes(event.data)),
        )
        for event in events
    ]


def problem_words(code: str, data: Mapping[str, object]) -> str:
    """Return what is wrong with a row of a file, in the reader's language."""
    return gettext({**FILE_PROBLEMS, **PROBLEMS}[code]) % data


def _shown(term: TermText, hits: Sequence[TermHit]) -> ShownHit:
    states = {state_of(hit) for hit in hits}
    worst = next(state for state in _WORST if state in states)
    wrong = [use.text for hit in hits for use in hit.uses if use.kind == "forbidden"]
    return ShownHit(term, worst, list(dict.fromkeys(wrong)))


def _marks(number: int, field: Field, hits: Sequence[TermHit]) -> Iterator[list[str | int]]:
    name, source, target = field
    for hit in hits:
        if hit.field != name:
            continue
        for span in hit.spans:
            yield ["source", number, *_place(source, *span), state_of(hit)]
        for use in hit.uses:
            yield ["target", number, *_place(target, *use.span), use.kind]


def _place(text: str, start: int, end: int) -> tuple[str, int]:
    """Return a part of a text and how often it stands before this place: markup moves no count."""
    part = text[start:end]
    before, at = 0, text.find(part)
    while at < start:
        before, at = before + 1, text.find(part, at + 1)
    return part, before


def _changes(data: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    changes = data.get("changes")
    if isinstance(changes, dict):
        for name, pair in changes.items():
            yield name, _text(pair.get("from")), _text(pair.get("to"))
    if reason := data.get("reason"):
        yield "reason", "", _text(reason)


def _text(value: object) -> str:
    return " | ".join(map(str, value)) if isinstance(value, list) else str(value)
