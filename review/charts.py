"""The charts of the review pages: what is drawn, from figures to placed bars."""

from collections.abc import Sequence

from common.charts import Bar, BarChart, bar_chart
from review.agreement import Estimate
from review.criteria import Criterion
from review.figures import StageFigures
from review.labels import stage_name
from review.queries import Stage
from review.work import MonthOfWork

LONGEST_CHART = 12


def approval_chart(stages: Sequence[Stage]) -> BarChart | None:
    """Approval by stage in per cent; None while nothing was judged."""
    bars = [_bar(each, each.approval_rate, 100) for each in _judged(stages)]
    return bar_chart(bars, maximum=100, unit="%") if bars else None


def rating_chart(stages: Sequence[Stage], criterion: Criterion) -> BarChart | None:
    """Mean rating for one criterion by stage; None while nothing was judged."""
    bars = [_bar(each, each.means[criterion.name], 1) for each in _judged(stages)]
    return bar_chart(bars, maximum=criterion.highest) if bars else None


def agreement_chart(months: Sequence[MonthOfWork]) -> BarChart | None:
    """How often one's verdict was the outcome, in per cent by month; None while nothing is decided.

    At most the latest year.
    """
    bars = [Bar(str(each.month), _scaled(each.agreement, 100)) for each in months if each.decided][
        -LONGEST_CHART:
    ]
    return bar_chart(bars, maximum=100, unit="%") if bars else None


def _judged(stages: Sequence[Stage]) -> list[StageFigures]:
    return [each.figures for each in stages if each.figures.items_judged]


def _bar(stage: StageFigures, estimate: Estimate, scale: float) -> Bar:
    return Bar(
        stage_name(stage.number),
        _scaled(estimate.value, scale),
        _scaled(estimate.low, scale),
        _scaled(estimate.high, scale),
    )


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
