"""The figures of reviewers, with their names: for managers alone, and never in a release.

A closed round keeps its counts in `RoundTables`; those of an open one are made from the panels
that are decided, and kept for some minutes where it is large.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from accounts.models import User
from projects.models import Membership, Project
from review.agreement import Estimate
from review.control_queries import ControlCounts, control_counts
from review.enums import Outcome, RoundState
from review.inquiries import first_judgements
from review.kept import kept
from review.models import Panel, ReliabilityEstimate, Round, RoundTables
from review.outcomes import tally_token
from review.peers import (
    READ_AT_ONCE,
    PairFigures,
    PeerCounts,
    PeerRow,
    PersonFigures,
    count_peers,
    pair_figures,
    person_figures,
)


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
    """All that is told of reviewers, as of one round or of this moment; read together once."""

    reviewers: tuple[ReviewerRow, ...]
    pairs: tuple[PairRow, ...]
    reliability: ReliabilityEstimate | None

    def as_json(self) -> dict[str, Any]:
        return {
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
    figures = person_figures(counts, _decisions(project, as_of))
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
    )


def project_peers(project: Project, *, as_of: int | None = None) -> PeerCounts:
    """The counts of all rounds, or of those up to `as_of`."""
    rounds = Round.objects.filter(project=project, judged_count__gt=0).order_by("number")
    if as_of is not None:
        rounds = rounds.filter(number__lte=as_of)
    frozen: dict[int, Any] = dict(
        RoundTables.objects.filter(round__in=rounds).values_list("round", "content__peers")
    )
    total = PeerCounts()
    for each in rounds:
        total.add(PeerCounts.from_json(frozen.get(each.pk) or _live_peers(each)))
    return total


def round_peers(round_: Round) -> PeerCounts:
    """Count the judgements of a round's decided panels; of all its panels once it is closed."""
    return count_peers(_rows(round_))


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
    rows: QuerySet[Panel] = panels.filter(told).select_related("item__subject", "round")
    return rows


def differing(panels: QuerySet[Panel]) -> QuerySet[Panel]:
    """Those of `common_panels` on which the two gave different verdicts."""
    rows: Any = panels
    found: QuerySet[Panel] = rows.exclude(first_verdict=F("second_verdict"))
    return found


def _rows(round_: Round) -> Iterator[PeerRow]:
    panels = Q(panel__round=round_)
    if round_.state == RoundState.OPEN:
        panels &= ~Q(panel__outcome="")
    rows = first_judgements().filter(panels).annotate(text=Cast("ratings", TextField()))
    columns = ("panel_id", "reviewer_id", "verdict", "text", "active_seconds", "panel__outcome")
    for panel, reviewer, verdict, text, seconds, outcome in (
        rows.order_by("panel_id").values_list(*columns).iterator(READ_AT_ONCE)
    ):
        yield PeerRow(panel, reviewer, _token(verdict, text), seconds, outcome)


@lru_cache(maxsize=4096)
def _token(verdict: str, ratings: str) -> str:
    return tally_token(verdict, json.loads(ratings))


def _live_peers(round_: Round) -> dict[str, Any]:
    """The counts of a round that has none frozen."""
    return kept(round_, "peers", lambda: round_peers(round_).as_json())


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
        panel__adjudication__isnull=False,
    )
    if as_of is not None:
        rows = rows.filter(panel__round__number__lte=as_of)
        if before := _next_opening(project, as_of):
            rows = rows.filter(panel__adjudication__decided_at__lt=before)
    found: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    columns = ("reviewer", "verdict", "panel__adjudication__decision")
    for reviewer, verdict, decision, n in (
        rows.values_list(*columns).annotate(n=Count("pk")).order_by()
    ):
        found[reviewer][verdict, decision] += n
    return found


def _next_opening(project: Project, number: int) -> datetime | None:
    later = project.rounds.filter(number__gt=number).order_by("number")
    return later.values_list("opened_at", flat=True).first()


def _accuracies(estimate: ReliabilityEstimate | None) -> dict[int, Estimate]:
    if estimate is None:
        return {}
    return {
        row["reviewer"]: Estimate(row["accuracy"], row["low"], row["high"], row["judgements"], 0)
        for row in estimate.content["reviewers"]
    }
