"""Read where released texts come from and what review decided about them, while freezing.

The provenance of an item is the part of its line in the ledger that freezing must write down:
{source, source_revision, system, origin, revisions, rounds, outcome, is_adjudicated, reviewers,
key_changes, dismissed_findings, waivers}, where a round is {number, outcome, dispute_reasons, adjudication,
judgements, reviewers} and, if a program gave some of the judgements, simulated_judgements with their
number, an adjudication {decision, role}, judgements are counted by verdict, a key
change is {before, after, reason}; both have is_simulated if a program made them. A dismissed finding
is {code, severity, reason} and a waiver the code
under which the release lets something of the item pass. What people wrote
about a hidden item, and its keys, stay out: of those only the codes of findings are told. It is kept
as JSON text, so that the ledger's bytes are the same on every database.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from django.db.models import Q

from accounts.models import User
from common.db import Lines
from projects.models import Project
from projects.queries import roles_ever
from releases.building.pseudonyms import reviewer_names
from releases.building.queries import READ_AT_ONCE, ChosenText, TextOrigin
from releases.building.remarks import Dismissal, ItemRemarks, read_remarks
from releases.files.manifest import json_line
from releases.readiness.waivers import NOTHING_WAIVED, Waived
from review.enums import DecisionKind, Outcome, RoundKind
from review.models import Panel, Round

ORIGIN = ("source", "source_revision", "system", "origin", "revisions")


class Note(NamedTuple):
    """The result of a round for an item, with its judgements in force in an order of their own."""

    number: int
    reasons: tuple[str, ...]
    outcome: str
    decision: str | None
    senior: int | None
    reviewers: tuple[int, ...]
    verdicts: tuple[str, ...]


History = tuple[Note, ...]

FINAL_OUTCOMES: dict[str, str] = {
    DecisionKind.APPROVE: Outcome.APPROVED,
    DecisionKind.ADOPT: Outcome.REVISED,
    DecisionKind.MERGE: Outcome.REVISED,
    DecisionKind.REJECT: Outcome.REJECTED,
}
"""What a senior's decision makes of a dispute."""


class ProvenanceReader:
    """Gives the provenance of each item, from what it read of all rounds when it was made.

    Few items differ in more than their ids, so those that share a history share one object.
    Reviewers get names that hold for one version (`releases.building.pseudonyms`). Of a senior only the
    role in the project is told, which they keep here when they have left it.
    """

    def __init__(
        self, project: Project, *, secret: str, version: str, waived: Waived = NOTHING_WAIVED
    ) -> None:
        self._histories = _histories(project)
        self._remarks = read_remarks(project, waived)
        people = {
            person
            for history in set(self._histories.values())
            for note in history
            for person in note.reviewers
        }
        seniors = {
            note.senior
            for history in set(self._histories.values())
            for note in history
            if note.senior
        }
        programs = User.objects.filter(pk__in=people | seniors, is_simulated=True)
        self._programs = frozenset(programs.values_list("pk", flat=True))
        self._names = reviewer_names(people, secret=secret, version=version)
        self._roles = roles_ever(project)
        self._written = lru_cache(maxsize=10_000)(self._write)

    def provenance(self, text: ChosenText, *, is_hidden: bool) -> str:
        """Return the provenance of a text as one line of JSON, without a newline."""
        remarks = self._remarks.of(text, is_hidden=is_hidden)
        return self._written(text.origin, self._histories.get(text.item_id, ()), remarks)

    def reviewer_count(self, texts: Iterable[ChosenText]) -> int:
        """Count the people who judged the texts."""
        histories = {self._histories.get(text.item_id, ()) for text in texts}
        return len(
            {person for history in histories for note in history for person in note.reviewers}
        )

    def simulated_count(self, texts: Iterable[tuple[ChosenText, bool]]) -> int:
        """Count what the ledger tells of programs: judgements, decisions of disputes, other keys.

        Each text is given with whether it is hidden; no key of a hidden item is told.
        """
        return sum(
            sum(self._simulated(note) + self._is_settled_by_program(note) for note in history)
            + sum(change.is_simulated for change in remarks.key_changes)
            for text, is_hidden in texts
            for history in [self._histories.get(text.item_id, ())]
            for remarks in [self._remarks.of(text, is_hidden=is_hidden)]
        )

    def _is_settled_by_program(self, note: Note) -> bool:
        return bool(note.decision) and note.senior in self._programs

    def _simulated(self, note: Note) -> int:
        return sum(reviewer in self._programs for reviewer in note.reviewers)

    def _write(self, origin: TextOrigin, history: History, remarks: ItemRemarks) -> str:
        rounds = [self._round(note) for note in history]
        outcomes = [final for note in rounds if (final := _final_outcome(note))]
        body = {
            **{name: getattr(origin, name) for name in ORIGIN},
            "rounds": rounds,
            "outcome": outcomes[-1] if outcomes else None,
            "is_adjudicated": any(note["adjudication"] for note in rounds),
            "reviewers": _in_order({name for note in rounds for name in note["reviewers"]}),
            "key_changes": [each.as_json() for each in remarks.key_changes],
            "dismissed_findings": [_without_empty(each) for each in remarks.dismissals],
            "waivers": remarks.waivers,
        }
        return json_line(body).rstrip("\n")

    def _round(self, note: Note) -> dict[str, Any]:
        simulated = self._simulated(note)
        return {
            "number": note.number,
            "outcome": note.outcome or None,
            "dispute_reasons": note.reasons,
            "adjudication": self._adjudication(note) if note.decision else None,
            "judgements": dict(sorted(Counter(note.verdicts).items())),
            "reviewers": _in_order({self._names[reviewer] for reviewer in note.reviewers}),
            **({"simulated_judgements": simulated} if simulated else {}),
        }

    def _adjudication(self, note: Note) -> dict[str, Any]:
        role = self._roles.get(note.senior) if note.senior else None
        mark = {"is_simulated": True} if self._is_settled_by_program(note) else {}
        return {"decision": note.decision, "role": role, **mark}


def _in_order(names: Iterable[str]) -> list[str]:
    """Sort names by their numbers, so that the order does not tell who came first."""
    return sorted(names, key=lambda name: (len(name), name))


def _without_empty(dismissal: Dismissal) -> dict[str, str]:
    return {name: value for name, value in dismissal._asdict().items() if value}


def _histories(project: Project) -> dict[int, History]:
    """Return the results of the rounds of each item, by item, in the order of the rounds."""
    found: dict[int, History] = {}
    shared: dict[History, History] = {}
    for round_ in project.rounds.filter(kind=RoundKind.REVIEW).order_by("number"):
        for item, note in _notes(round_):
            history = (*found.get(item, ()), note)
            found[item] = shared.setdefault(history, history)
    return found


def _notes(round_: Round) -> Iterator[tuple[int, Note]]:
    """Yield item and note of each panel of a round; panels with equal results share a note."""
    panels = Panel.objects.filter(round=round_)
    disputed = panels.filter(outcome=Outcome.DISPUTED).values_list("pk", "reasons")
    codes = {pk: tuple(reason["code"] for reason in reasons) for pk, reasons in disputed}
    rows = panels.order_by().values_list(
        "pk", "item_id", "outcome", "adjudication__decision", "adjudication__senior_id"
    )
    in_force = Q(judgements__is_withdrawn=False)
    rows = rows.annotate(
        people=Lines("judgements__reviewer", filter=in_force),
        verdicts=Lines("judgements__verdict", filter=in_force),
    )
    note_of = cache(partial(_note, round_.number))
    for pk, item, *found in rows.iterator(READ_AT_ONCE):
        yield item, note_of(codes.get(pk, ()), *found)


def _note(
    number: int,
    reasons: tuple[str, ...],
    outcome: str,
    decision: str | None,
    senior: int | None,
    people: str | None,
    verdicts: str | None,
) -> Note:
    told = sorted(zip(map(int, (people or "").split()), (verdicts or "").split(), strict=True))
    reviewers = tuple(reviewer for reviewer, _verdict in told)
    return Note(
        number, reasons, outcome, decision, senior, reviewers, tuple(said for _who, said in told)
    )


def _final_outcome(note: dict[str, Any]) -> str | None:
    """Return the outcome of a round, or what the senior made of it."""
    adjudication = note["adjudication"]
    return FINAL_OUTCOMES[adjudication["decision"]] if adjudication else note["outcome"]
