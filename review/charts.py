"""The charts of the review pages: what is drawn, from figures to placed bars."""

from collections.abc import Sequence

from django.utils.formats import date_format

from common.charts import Bar, BarChart, fitting_bars, horizontal_bars
from projects.criteria import Criterion
from review.agreement import Estimate
from review.labels import stage_name
from review.report_rows import GroupFigures, Stage
from review.work import MonthOfWork

LONGEST_CHART = 12


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
            _scaled(each.figures.final_approval_rate.value, 100),
            _scaled(each.figures.final_approval_rate.low, 100),
            _scaled(each.figures.final_approval_rate.high, 100),
        )
        for each in groups
    ]
    return horizontal_bars(bars, maximum=100, unit="%") if bars else None


def agreement_chart(months: Sequence[MonthOfWork]) -> BarChart | None:
    """How often one's verdict was the outcome, in per cent by month; None while nothing is decided.

    At most the latest year.
    """
    bars = [
        Bar(date_format(each.month.start, "YEAR_MONTH_FORMAT"), _scaled(each.agreement, 100))
        for each in months
        if each.decided
    ][-LONGEST_CHART:]
    return fitting_bars(bars, maximum=100, unit="%") if bars else None


def _bar(stage: Stage, estimate: Estimate, scale: float) -> Bar:
    return Bar(
        stage_name(stage.name),
        _scaled(estimate.value, scale),
        _scaled(estimate.low, scale),
        _scaled(estimate.high, scale),
    )


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
