"""Which stage of review a round is, found from what earlier rounds said of its items."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery

from review.enums import DecisionKind, Outcome, Purpose
from review.models import Adjudication, Panel, Round


class StageOfRound(NamedTuple):
    """What a round is for, and how many alignments its texts have been through with it."""

    purpose: Purpose
    stage: int


def stage_of(round_: Round) -> StageOfRound:
    """Find the purpose of a round with its panels; the one of most items counts.

    Items that no earlier round decided make it *initial*, however often that was tried. Texts
    that were approved as they are make it an *audit*, all others an *alignment*, which is one
    more than the stage that judged most of them last. Reads each panel of the round once.
    """
    stages = dict(_earlier(round_).values_list("pk", "stage"))
    if not stages:
        return StageOfRound(Purpose.INITIAL, 0)
    counts: dict[StageOfRound, int] = {}
    for row in _grouped(round_):
        found = _stage_after(row, stages)
        counts[found] = counts.get(found, 0) + row["n"]
    order = list(Purpose)
    return max(counts, key=lambda each: (counts[each], -order.index(each.purpose), each.stage))


def _stage_after(row: dict[str, Any], stages: dict[int, int]) -> StageOfRound:
    if row["latest"] is None:
        return StageOfRound(Purpose.INITIAL, 0)
    if row["is_approved"]:
        return StageOfRound(Purpose.AUDIT, stages[row["latest"]])
    return StageOfRound(Purpose.ALIGNMENT, stages[row["latest"]] + 1)


def _earlier(round_: Round) -> QuerySet[Round]:
    rows = Round.objects.filter(project=round_.project_id, number__lt=round_.number)
    return rows.filter(judged_count__gt=0)


def _grouped(round_: Round) -> Iterable[dict[str, Any]]:
    """Numbers of panels by the round that decided the item last, and whether the text is approved."""
    decided = Panel.objects.filter(item=OuterRef("item"), round__in=_earlier(round_))
    decided = decided.exclude(outcome="").order_by("-round__number")
    same = decided.filter(revision=OuterRef("revision"))
    settled = Adjudication.objects.filter(
        panel__item=OuterRef("item"),
        panel__revision=OuterRef("revision"),
        panel__round__in=_earlier(round_),
        panel__adjudication=F("pk"),
        decision=DecisionKind.APPROVE,
    )
    rows = Panel.objects.filter(round=round_).annotate(
        latest=Subquery(decided.values("round")[:1]),
        is_approved=Exists(same.filter(outcome=Outcome.APPROVED)) | Exists(settled),
    )
    found: Any = rows.values("latest", "is_approved").annotate(n=Count("pk")).order_by()
    return list(found)
