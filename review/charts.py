"""The charts of the review pages: what is drawn, from figures to placed bars."""

from collections.abc import Sequence

from common.charts import Bar, BarChart, bar_chart
from review.agreement import Estimate
from review.figures import StageFigures
from review.outcomes import Criterion
from review.words import stage_name

HIGHEST_RATING = 5.0


def approval_chart(stages: Sequence[StageFigures]) -> BarChart | None:
    """Approval by stage in per cent; None while nothing was judged."""
    bars = [_bar(stage, stage.approval_rate, 100) for stage in stages if stage.items_judged]
    return bar_chart(bars, maximum=100, unit="%") if bars else None


def rating_chart(stages: Sequence[StageFigures], criterion: Criterion) -> BarChart | None:
    """Mean rating of one criterion by stage, 0 to 5; None while nothing was judged."""
    bars = [
        _bar(stage, getattr(stage, f"{criterion}_mean"), 1)
        for stage in stages
        if stage.items_judged
    ]
    return bar_chart(bars, maximum=HIGHEST_RATING) if bars else None


def _bar(stage: StageFigures, estimate: Estimate, scale: float) -> Bar:
    return Bar(
        stage_name(stage.number),
        _scaled(estimate.value, scale),
        _scaled(estimate.low, scale),
        _scaled(estimate.high, scale),
    )


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
