"""The figures of reviewers, with their names: for managers alone, and never in a release.

A closed round keeps its counts in `RoundTables`; those of an open one are made from the panels
that are decided, and kept for some minutes where it is large.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import compress, pairwise
from typing import Any

import numpy as np
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat

from accounts.models import User
from common.db import Lines
from common.estimates import Estimate
from projects.criteria import Criteria
from projects.models import Membership, Project
from review.enums import Outcome, RoundState
from review.figures.peers import (
    Ints,
    PairFigures,
    PeerColumns,
    PeerCounts,
    PersonFigures,
    count_peers,
    pair_figures,
    person_figures,
)
from review.models import Adjudication, Panel, ReliabilityEstimate, Round, RoundTables
from review.outcomes import VERDICTS, parse_tally, tally_token
from review.report.decisions import decided_before, in_force_at
from review.report.kept import is_at_hand, kept
from review.report.simulated import simulated_judgements
from review.seats.inquiries import first_judgements
from review.selection.control_queries import ControlCounts, control_counts

PEERS = "peers"
"""The name under which the counts of a round are kept."""
PANELS_AT_ONCE = 20_000
WIDEST_GAP = 2_000
READ_AT_ONCE = 5_000
_COLUMNS = {
    "panel": Lines("panel_id"),
    "reviewer": Lines("reviewer_id"),
    "seconds": Lines("active_seconds"),
    "said": Lines(
        Concat("verdict", Value(" "), Cast("ratings", TextField()), output_field=TextField())
    ),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Who a row is about; `membership` is None for somebody who has left the project."""

    pk: int
    name: str
    email: str
    membership: int | None
    is_paused: bool


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """One reviewer's figures; `reliability` is the model's accuracy, where it has run."""

    person: Person
    figures: PersonFigures
    reliability: Estimate | None
    controls: ControlCounts

    def as_json(self) -> dict[str, Any]:
        figures = self.figures
        return {
            "reviewer": self.person.email,
            "name": self.person.name,
            "judgements": figures.judgements,
            "outcome_agreement": figures.outcome_agreement.as_json(),
            "peer_agreement": figures.peer_agreement.as_json(),
            "severity": {name: each.as_json() for name, each in figures.severity.items()},
            "consistency": dict(figures.consistency),
            "median_seconds": figures.median_seconds,
            "others_median_seconds": figures.others_median_seconds,
            "reliability": self.reliability.as_json() if self.reliability else None,
            "controls": self.controls.as_json(),
        }


@dataclass(frozen=True, slots=True)
class PairRow:
    """The agreement of two reviewers."""

    first: Person
    second: Person
    figures: PairFigures

    def as_json(self) -> dict[str, Any]:
        return {
            "first": self.first.email,
            "second": self.second.email,
            "items": self.figures.items,
            "agreement": self.figures.agreement.as_json(),
            "kappa": self.figures.kappa.as_json(),
        }


@dataclass(frozen=True, slots=True)
class ReviewerTables:
    """All that is told of reviewers, as of one round or of this moment; read together once.

    `rated` are the project's criteria. Programs gave `simulated` of the judgements, not people.
    """

    reviewers: tuple[ReviewerRow, ...]
    pairs: tuple[PairRow, ...]
    reliability: ReliabilityEstimate | None
    rated: Criteria
    simulated: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            **({"simulated_judgements": self.simulated} if self.simulated else {}),
            "reviewers": [each.as_json() for each in self.reviewers],
            "pairs": [each.as_json() for each in self.pairs],
        }


def reviewer_tables(project: Project, *, as_of: int | None = None) -> ReviewerTables:
    """The figures of everybody who judged, and of every two who judged an item together."""
    counts = project_peers(project, as_of=as_of)
    people = _people(project, counts)
    reliability = latest_reliability(project, as_of=as_of)
    found = _accuracies(reliability)
    controls = control_counts(project, as_of=as_of)
    figures = person_figures(counts, _decisions(project, as_of), project.criteria)
    return ReviewerTables(
        reviewers=tuple(
            ReviewerRow(
                people[each.reviewer],
                each,
                found.get(each.reviewer),
                controls.get(each.reviewer, ControlCounts()),
            )
            for each in figures
        ),
        pairs=tuple(
            PairRow(people[each.first], people[each.second], each) for each in pair_figures(counts)
        ),
        reliability=reliability,
        rated=project.criteria,
        simulated=simulated_judgements(_judged_rounds(project, as_of)),
    )


def project_peers(project: Project, *, as_of: int | None = None) -> PeerCounts:
    """The counts of all rounds, or of those up to `as_of`."""
    rounds = _judged_rounds(project, as_of)
    frozen: dict[int, Any] = dict(
        RoundTables.objects.filter(round__in=rounds).values_list("round", "content__peers")
    )
    total = PeerCounts()
    for each in rounds:
        total.add(PeerCounts.from_json(frozen.get(each.pk) or _live_peers(each)))
    return total


def are_peers_at_hand(project: Project, *, as_of: int | None = None) -> bool:
    """Whether `reviewer_tables` need not count the judgements of a large round first."""
    rounds = _judged_rounds(project, as_of).filter(tables=None)
    return all(is_at_hand(each, PEERS) for each in rounds)


def round_peers(round_: Round) -> PeerCounts:
    """Count the judgements of a round's decided panels; of all its panels once it is closed."""
    return count_peers(_parts(round_))


def latest_reliability(project: Project, *, as_of: int | None = None) -> ReliabilityEstimate | None:
    """What the reliability model said last, of rounds up to `as_of` if one is given."""
    rows = project.reliability_estimates.order_by("-pk")
    if as_of is not None:
        rows = rows.filter(as_of=as_of)
    return rows.first()


def told_verdicts(project: Project) -> Iterator[tuple[int, int, str]]:
    """Panel, reviewer and verdict of each judgement that figures may tell of, in order."""
    told = Q(panel__round__state=RoundState.CLOSED) | ~Q(panel__outcome="")
    rows = first_judgements().filter(told, panel__round__in=project.rounds.all())
    yield from (
        rows.order_by("panel", "pk")
        .values_list("panel", "reviewer", "verdict")
        .iterator(READ_AT_ONCE)
    )


def common_panels(project: Project, first: User, second: User) -> QuerySet[Panel]:
    """The panels that both judged, without those that are still being judged.

    Each has `first_verdict`, `first_ratings` and the same of the second.
    """
    panels = Panel.objects.filter(round__in=project.rounds.all())
    told = Q(round__state=RoundState.CLOSED) | ~Q(outcome="")
    for name, person in (("first", first), ("second", second)):
        said = first_judgements().filter(panel=OuterRef("pk"), reviewer=person)
        panels = panels.annotate(
            **{
                f"{name}_verdict": Subquery(said.values("verdict")[:1]),
                f"{name}_ratings": Subquery(said.values("ratings")[:1]),
            }
        ).filter(judgements__reviewer=person, judgements__is_withdrawn=False)
    rows: QuerySet[Panel] = panels.filter(told).select_related("item__subject", "round__project")
    return rows


def differing(panels: QuerySet[Panel]) -> QuerySet[Panel]:
    """Those of `common_panels` on which the two gave different verdicts."""
    rows: Any = panels
    found: QuerySet[Panel] = rows.exclude(first_verdict=F("second_verdict"))
    return found


def _parts(round_: Round) -> Iterator[PeerColumns]:
    """The judgements of a round, of PANELS_AT_ONCE panels each time.

    By the ids of panels, because a round's panels have ids in a row and the judgements of a range
    are read without looking up each panel. Panels in between that do not count are left out,
    such as those of a round that was opened at the same time in another project.
    """
    panels, outcome, outcomes = _panels(round_)
    said = _Said(round_.project.criteria)
    for start, stop in _ranges(panels):
        some = panels[start:stop]
        rows = first_judgements().filter(panel__gte=int(some[0]), panel__lte=int(some[-1]))
        found = rows.aggregate(**_COLUMNS)
        if found["panel"] is None:
            continue
        panel = _numbers(found["panel"])
        place = np.minimum(np.searchsorted(some, panel), len(some) - 1)
        counts = some[place] == panel
        yield PeerColumns(
            panel[counts],
            _numbers(found["reviewer"])[counts],
            said.numbers(compress(found["said"].split("\n"), counts)),
            _numbers(found["seconds"])[counts],
            outcome[start + place[counts]],
            outcomes,
        )


def _ranges(panels: Ints) -> Iterator[tuple[int, int]]:
    """From where to where to read at once: not too many, and nothing of a wide gap between ids."""
    gaps = np.flatnonzero(np.diff(panels) > WIDEST_GAP) + 1
    places = [0, *gaps.tolist(), len(panels)]
    for begin, end in pairwise(places):
        for start in range(begin, end, PANELS_AT_ONCE):
            yield start, min(start + PANELS_AT_ONCE, end)


def _panels(round_: Round) -> tuple[Ints, Ints, list[str]]:
    """The ids of the panels that count, in order, the place of the outcome of each, all outcomes.

    The index over groups of panels has all that.
    """
    rows = Panel.objects.filter(round=round_).order_by()
    if round_.state == RoundState.OPEN:
        rows = rows.exclude(outcome="")
    grouped = list(rows.values_list("outcome").annotate(ids=Lines("pk")))
    ids = [_numbers(each) for _outcome, each in grouped]
    outcomes = [outcome for outcome, _ids in grouped]
    panels = np.concatenate([np.empty(0, dtype=np.int64), *ids])
    places = np.repeat(np.arange(len(ids)), [len(each) for each in ids])
    order = np.argsort(panels)
    return panels[order], places[order], outcomes


def _numbers(lines: str) -> Ints:
    return np.fromstring(lines, dtype=np.int64, sep="\n")


class _Said(dict[str, int]):
    """The place of each "verdict ratings" in `rows`, as _COLUMNS writes it: few are different."""

    def __init__(self, criteria: Criteria) -> None:
        super().__init__()
        self._criteria = criteria
        self._rows: list[tuple[int, ...]] = []

    def __missing__(self, said: str) -> int:
        verdict, _blank, ratings = said.partition(" ")
        token = tally_token(verdict, json.loads(ratings), self._criteria)
        (entry,) = parse_tally(token, self._criteria)
        self._rows.append((VERDICTS.index(entry.verdict), *entry.ratings))
        self[said] = place = len(self._rows) - 1
        return place

    def numbers(self, texts: Iterable[str]) -> Ints:
        """What `PeerColumns.said` has of judgements."""
        places = np.array(list(map(self.__getitem__, texts)), dtype=np.int64)
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 1 + len(self._criteria))
        found: Ints = rows[places]
        return found


def _judged_rounds(project: Project, as_of: int | None) -> QuerySet[Round]:
    rows = Round.objects.select_related("project").order_by("number")
    rows = rows.filter(project=project, judged_count__gt=0)
    return rows if as_of is None else rows.filter(number__lte=as_of)


def _live_peers(round_: Round) -> dict[str, Any]:
    """The counts of a round that has none frozen."""
    return kept(round_, PEERS, lambda: round_peers(round_).as_json())


def _people(project: Project, counts: PeerCounts) -> dict[int, Person]:
    members = {
        user: (pk, is_paused)
        for pk, user, is_paused in Membership.objects.filter(
            project=project, user__in=counts.people
        ).values_list("pk", "user", "is_paused")
    }
    users = User.objects.filter(pk__in=counts.people)
    return {
        user.pk: Person(user.pk, str(user), user.email, *members.get(user.pk, (None, False)))
        for user in users
    }


def _decisions(project: Project, as_of: int | None) -> Mapping[int, Counter[tuple[str, str]]]:
    """By person, how often they gave a verdict in disputes that ended in a decision."""
    rows = first_judgements().filter(
        panel__round__in=project.rounds.all(),
        panel__outcome=Outcome.DISPUTED,
    )
    if as_of is not None:
        rows = rows.filter(panel__round__number__lte=as_of)
    decided = rows.annotate(decision=_decision(decided_before(project, as_of)))
    found: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for reviewer, verdict, decision, n in (
        decided.exclude(decision=None)
        .values_list("reviewer", "verdict", "decision")
        .annotate(n=Count("pk"))
        .order_by()
    ):
        found[reviewer][verdict, decision] += n
    return found


def _decision(moment: datetime | None) -> F | Subquery:
    """What a senior decided of a judgement's panel, as it is in force now or was at `moment`."""
    if moment is None:
        return F("panel__adjudication__decision")
    rows = Adjudication.objects.filter(in_force_at(moment), panel=OuterRef("panel"))
    return Subquery(rows.order_by("-pk").values("decision")[:1])


def _accuracies(estimate: ReliabilityEstimate | None) -> dict[int, Estimate]:
    if estimate is None:
        return {}
    return {
        row["reviewer"]: Estimate(row["accuracy"], row["low"], row["high"], row["judgements"], 0)
        for row in estimate.content["reviewers"]
    }
