"""The charts of a report: what is drawn, from figures to placed bars."""

from collections.abc import Sequence

from common.charts import Bar, BarChart, fitting_bars, horizontal_bars
from common.estimates import Estimate
from projects.criteria import Criterion
from review.report.labels import stage_name
from review.report.rows import GroupFigures, Stage


def approval_chart(stages: Sequence[Stage]) -> BarChart | None:
    """Final approval by stage in per cent; None while nothing was judged."""
    bars = [_bar(each, each.figures.final_approval_rate, 100) for each in stages]
    return fitting_bars(bars, maximum=100, unit="%") if bars else None


def cumulative_chart(stages: Sequence[Stage]) -> BarChart | None:
    """Final approval of all items judged up to each stage, in per cent."""
    bars = [_bar(each, each.cumulative.final_approval_rate, 100) for each in stages]
    return fitting_bars(bars, maximum=100, unit="%") if bars else None


def rating_chart(stages: Sequence[Stage], criterion: Criterion) -> BarChart | None:
    """Mean rating for one criterion by stage; None while nothing was judged."""
    bars = [_bar(each, each.figures.means[criterion.name], 1) for each in stages]
    return fitting_bars(bars, maximum=criterion.highest, decimals=2) if bars else None


def group_chart(groups: Sequence[GroupFigures]) -> BarChart | None:
    """Final approval of each system, subject or category in per cent; None without any."""
    bars = [
        Bar(
            each.name,
            scaled(each.figures.final_approval_rate.value, 100),
            scaled(each.figures.final_approval_rate.low, 100),
            scaled(each.figures.final_approval_rate.high, 100),
        )
        for each in groups
    ]
    return horizontal_bars(bars, maximum=100, unit="%") if bars else None


def _bar(stage: Stage, estimate: Estimate, scale: float) -> Bar:
    return Bar(
        stage_name(stage.name),
        scaled(estimate.value, scale),
        scaled(estimate.low, scale),
        scaled(estimate.high, scale),
    )


def scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
