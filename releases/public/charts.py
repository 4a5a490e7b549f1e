"""Draw the charts of a public page from the figures that the release froze."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from common.charts import Bar, BarChart, fitting_bars, horizontal_bars
from releases.files.manifest import SubjectCount
from review.enums import Purpose
from review.report.labels import stage_name
from review.report.rows import StageName

MOST_BARS = 14
_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class ReaderChart:
    title: str
    note: str
    chart: BarChart


def charts_of(quality: Mapping[str, Any], subjects: Sequence[SubjectCount]) -> list[ReaderChart]:
    """Return the charts that have figures: approval and agreement by stage, and sizes."""
    stages = quality.get("stages") or []
    wanted = [
        _stages(stages, "final_approval_rate", _("Approved, by stage")),
        _stages(stages, "fleiss_kappa", _("Agreement (Fleiss κ), by stage"), scale=1.0),
        _sizes(subjects),
    ]
    return [each for each in wanted if each]


def _stages(
    stages: Sequence[Mapping[str, Any]], name: str, title: str, *, scale: float = _PERCENT
) -> ReaderChart | None:
    bars = [_bar(each, each[name], scale) for each in stages if each.get(name)]
    if not any(bar.value is not None for bar in bars):
        return None
    note = (
        _("The lines are 95 per cent intervals.")
        if any(bar.low is not None for bar in bars)
        else ""
    )
    unit, decimals = ("%", 1) if scale == _PERCENT else ("", 2)
    chart = fitting_bars(bars, maximum=scale, unit=unit, decimals=decimals)
    return ReaderChart(title, note, chart)


def _bar(stage: Mapping[str, Any], figure: Mapping[str, Any], scale: float) -> Bar:
    code = stage["stage"]
    name = StageName(Purpose(code["code"]), code["number"], code["part"])
    value, low, high = (
        None if figure[key] is None else figure[key] * scale for key in ("value", "low", "high")
    )
    return Bar(stage_name(name), value, low, high)


def _sizes(subjects: Sequence[SubjectCount]) -> ReaderChart | None:
    """Count items by category where there are several, else by subject, the largest first."""
    by_category = Counter[str]()
    for row in subjects:
        by_category[row.category] += row.test + row.dev
    named = (
        by_category if len([name for name in by_category if name]) > 1 else _by_subject(subjects)
    )
    title = _("Items by category") if named is by_category else _("Items by subject")
    bars = [Bar(name or "–", float(number)) for name, number in named.most_common(MOST_BARS)]
    if not bars:
        return None
    left_out = len(named) - len(bars)
    note = _("The largest; %(number)s more are in the table below.") % {"number": left_out}
    highest = max(bar.value or 0 for bar in bars) or 1.0
    chart = _whole(horizontal_bars(bars, maximum=highest))
    return ReaderChart(title, note if left_out > 0 else "", chart)


def _whole(chart: BarChart) -> BarChart:
    """Drop the tenths: numbers of items have none."""
    bars = tuple(replace(bar, text=bar.text.removesuffix(".0")) for bar in chart.bars)
    return replace(chart, bars=bars)


def _by_subject(subjects: Sequence[SubjectCount]) -> Counter[str]:
    found = Counter[str]()
    for row in subjects:
        found[row.name] += row.test + row.dev
    return found
