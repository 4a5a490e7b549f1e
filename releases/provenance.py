"""Where released texts come from and what review decided about them, read while freezing.

The provenance of an item is the part of its line in the ledger that freezing must write down:
{source, source_revision, system, origin, revisions, rounds, outcome, is_adjudicated, reviewers},
where a round is {number, outcome, dispute_reasons, adjudication, reviewers} and an adjudication
{decision, role}. It is kept as JSON text, so that the ledger's bytes are the same on every database.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import FilteredRelation, Q

from projects.models import Project
from projects.queries import roles_ever
from releases.manifest import json_line
from releases.queries import READ_AT_ONCE, ChosenText, TextOrigin
from review.enums import DecisionKind, Outcome, RoundKind
from review.models import Panel, Round

ORIGIN = ("source", "source_revision", "system", "origin", "revisions")


class Note(NamedTuple):
    """What a round came to for an item; `reviewers` are in the order in which they judged."""

    number: int
    reasons: tuple[str, ...]
    outcome: str
    decision: str | None
    senior: int | None
    reviewers: tuple[int, ...]


History = tuple[Note, ...]

FINAL_OUTCOMES: dict[str, str] = {
    DecisionKind.APPROVE: Outcome.APPROVED,
    DecisionKind.ADOPT: Outcome.REVISED,
    DecisionKind.MERGE: Outcome.REVISED,
    DecisionKind.REJECT: Outcome.REJECTED,
}
"""What a senior's decision makes of a dispute."""


class ProvenanceReader:
    """Tells provenances one by one, from what it read of all rounds when it was made.

    Few items differ in more than their ids, so those that share a history share one object.
    Reviewers get pseudonyms in the order in which they first appear, so ask in the order of the
    release. Of a senior only the role in the project is told, which they keep here when they have
    left it.
    """

    def __init__(self, project: Project) -> None:
        self._histories = _histories(project)
        self._pseudonyms: dict[int, str] = {}
        self._roles = roles_ever(project)
        self._written = lru_cache(maxsize=10_000)(self._write)

    def provenance(self, text: ChosenText) -> str:
        """The provenance of a text, as one line of JSON without its end."""
        return self._written(text.origin, self._histories.get(text.item_id, ()))

    def _write(self, origin: TextOrigin, history: History) -> str:
        rounds = [self._round(note) for note in history]
        outcomes = [final for note in rounds if (final := _final_outcome(note))]
        body = {
            **{name: getattr(origin, name) for name in ORIGIN},
            "rounds": rounds,
            "outcome": outcomes[-1] if outcomes else None,
            "is_adjudicated": any(note["adjudication"] for note in rounds),
            "reviewers": list(dict.fromkeys(name for note in rounds for name in note["reviewers"])),
        }
        return json_line(body).rstrip("\n")

    def _round(self, note: Note) -> dict[str, Any]:
        role = self._roles.get(note.senior) if note.senior else None
        return {
            "number": note.number,
            "outcome": note.outcome or None,
            "dispute_reasons": note.reasons,
            "adjudication": {"decision": note.decision, "role": role} if note.decision else None,
            "reviewers": [self._pseudonym(reviewer) for reviewer in note.reviewers],
        }

    def _pseudonym(self, reviewer: int) -> str:
        return self._pseudonyms.setdefault(reviewer, f"reviewer-{len(self._pseudonyms) + 1}")


def _histories(project: Project) -> dict[int, History]:
    """By item what its rounds came to, in the order of the rounds."""
    found: dict[int, History] = {}
    shared: dict[History, History] = {}
    for round_ in project.rounds.filter(kind=RoundKind.REVIEW).order_by("number"):
        for item, note in _notes(round_):
            history = (*found.get(item, ()), note)
            found[item] = shared.setdefault(history, history)
    return found


def _notes(round_: Round) -> Iterator[tuple[int, Note]]:
    """Item and note of each panel of a round; one row a judgement is read."""
    panels = Panel.objects.filter(round=round_)
    disputed = panels.filter(outcome=Outcome.DISPUTED).values_list("pk", "reasons")
    codes = {pk: tuple(reason["code"] for reason in reasons) for pk, reasons in disputed}
    in_force = FilteredRelation("judgements", condition=Q(judgements__is_withdrawn=False))
    rows = panels.annotate(in_force=in_force).order_by("pk", "in_force__pk").values_list(
        "pk", "item_id", "outcome", "adjudication__decision", "adjudication__senior_id",
        "in_force__reviewer_id",
    )  # fmt: skip
    panel_of = itemgetter(0, 1, 2, 3, 4)
    for (pk, item, *decided), judged in groupby(rows.iterator(READ_AT_ONCE), panel_of):
        outcome, decision, senior = decided
        reviewers = tuple(row[5] for row in judged if row[5] is not None)
        note = Note(round_.number, codes.get(pk, ()), outcome, decision, senior, reviewers)
        yield item, note


def _final_outcome(note: dict[str, Any]) -> str | None:
    """The outcome of a round, or what the senior made of it."""
    adjudication = note["adjudication"]
    return FINAL_OUTCOMES[adjudication["decision"]] if adjudication else note["outcome"]
