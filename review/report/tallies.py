"""The tallies of panels as reports count them, read from the database.

A tally is the canonical text of a panel's judgements; its rows are {"tally", "outcome", "n"} and
the columns that were asked for. Items of the dev split are counted apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from projects.models import Project
from review.enums import DecisionKind, Outcome, Purpose, RoundState
from review.figures.stages import StageInput
from review.models import Adjudication, Panel, Round
from review.report.decisions import in_force_at
from review.report.rows import RoundSetup, StageName

Tallies = Iterable[dict[str, Any]]


class Adjudicated(NamedTuple):
    """How many approvals seniors gave in a group of panels.

    `until` is the number of the round that judged those items again, if one did.
    """

    round: int
    until: int | None
    subject: int
    category: str
    system: str
    approvals: int


def setup_of(round_: Round) -> RoundSetup:
    return RoundSetup(
        round=round_.number,
        panel_size=round_.panel_size,
        verdict_rule=round_.verdict_rule,
        score_gap=round_.score_gap,
        is_closed=round_.state == RoundState.CLOSED,
    )


def stage_names(rounds: Sequence[Round]) -> dict[int, StageName]:
    """The names of rounds in their order: audits are counted, other stages may have parts."""
    names: dict[int, StageName] = {}
    seen: dict[tuple[str, int], int] = defaultdict(int)
    for each in rounds:
        purpose = Purpose(each.purpose)
        key = (purpose, 0 if purpose == Purpose.AUDIT else each.stage)
        seen[key] += 1
        is_audit = purpose == Purpose.AUDIT
        number, part = (seen[key], 1) if is_audit else (each.stage, seen[key])
        names[each.pk] = StageName(purpose, number, part)
    return names


def told_panels(round_: Round) -> QuerySet[Panel]:
    """The panels that figures may tell of.

    While the round is open that is what is decided: a figure of few items would show to one judge
    of a panel what the other said.
    """
    panels = Panel.objects.filter(round=round_)
    return panels.exclude(outcome="") if round_.state == RoundState.OPEN else panels


def grouped(panels: QuerySet[Panel], *columns: str) -> Tallies:
    rows: Any = panels.values(*columns, "tally", "outcome").annotate(n=Count("pk")).order_by()
    return list(rows)


def group_rows(round_: Round) -> list[dict[str, Any]]:
    """The tallies of a round by "subject", "system" and "is_dev": one pass for all its tables."""
    return list(grouped(told_panels(round_), "subject", "system", "is_dev"))


def own_rows(rows: Tallies) -> list[dict[str, Any]]:
    """Those of `group_rows` that are not about dev items."""
    return [row for row in rows if not row["is_dev"]]


def dev_rows(rows: Tallies) -> list[dict[str, Any]]:
    """Those of `group_rows` that are about dev items."""
    return [row for row in rows if row["is_dev"]]


def latest_rows(rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """The tallies of the latest decided panel of each item, without dev items; a query a round."""
    rows: list[dict[str, Any]] = []
    for place, each in enumerate(rounds, start=1):
        panels = Panel.objects.filter(round=each, is_dev=False).exclude(outcome="")
        if later := rounds[place:]:
            again = Panel.objects.filter(round__in=later).exclude(outcome="")
            panels = panels.exclude(item__in=again.values("item"))
        rows += grouped(panels)
    return rows


def adjudicated_approvals(
    project: Project, rounds: Sequence[Round], before: datetime | None
) -> list[Adjudicated]:
    """The approvals that seniors gave in disputes of `rounds`, in force now or at the moment `before`."""
    later = Panel.objects.filter(
        item=OuterRef("item"), round__in=rounds, round__number__gt=OuterRef("round__number")
    ).exclude(outcome="")
    disputes = Panel.objects.filter(
        _approved_by(before), round__in=rounds, outcome=Outcome.DISPUTED
    )
    rows = (
        disputes.filter(is_dev=False)
        .annotate(until=Subquery(later.order_by("round__number").values("round__number")[:1]))
        .values_list(
            "round",
            "until",
            "subject",
            "subject__category",
            "system",
        )
        .annotate(n=Count("pk"))
        .order_by()
    )
    return [Adjudicated(*row) for row in rows]


def input_of(rows: Tallies, round_: Round, *, adjudicated: int = 0) -> StageInput:
    tallies: dict[str, int] = defaultdict(int)
    approved = 0
    for row in rows:
        tallies[row["tally"]] += row["n"]
        approved += row["n"] if row["outcome"] == Outcome.APPROVED else 0
    return StageInput(
        panel_size=round_.panel_size,
        approved=approved,
        tallies=tallies,
        adjudicated=adjudicated,
        criteria=round_.project.criteria,
    )


def _approved_by(moment: datetime | None) -> Q:
    """The disputes that a decision in force at `moment`, or now, approves."""
    if moment is None:
        return Q(adjudication__decision=DecisionKind.APPROVE)
    decisions = Adjudication.objects.filter(in_force_at(moment), panel=OuterRef("pk"))
    return Q(Exists(decisions.filter(decision=DecisionKind.APPROVE)))
