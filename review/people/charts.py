"""The chart of what a person has judged: from months to placed bars."""

from collections.abc import Sequence

from django.utils.formats import date_format

from common.charts import Bar, BarChart, fitting_bars
from review.people.work import MonthOfWork
from review.report.charts import scaled

LONGEST_CHART = 12


def agreement_chart(months: Sequence[MonthOfWork]) -> BarChart | None:
    """How often one's verdict was the outcome, in per cent by month; None while nothing is decided.

    At most the latest year.
    """
    bars = [
        Bar(date_format(each.month.start, "YEAR_MONTH_FORMAT"), scaled(each.agreement, 100))
        for each in months
        if each.decided
    ][-LONGEST_CHART:]
    return fitting_bars(bars, maximum=100, unit="%") if bars else None
