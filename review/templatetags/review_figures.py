"""How figures are written on pages: decimals by kind, intervals in brackets, undefined in words."""

from django import template
from django.utils.text import capfirst

from common.estimates import Estimate, Undefined
from common.figure_tables import Kind, number_text
from projects.models import Project
from review.figures.labels import no_interval_text, short_label, undefined_text
from review.figures.stages import BriefFigures, CumulativeFigures, StageFigures

register = template.Library()


@register.filter
def figure(estimate: Estimate, kind: str) -> str:
    """The value: "82.3 %", "3.71", "0.61"."""
    return "" if estimate.value is None else _number(estimate.value, kind)


@register.filter
def interval(estimate: Estimate, kind: str) -> str:
    """The 95 % interval in brackets, or why there is none."""
    if estimate.no_interval is not None:
        return capfirst(no_interval_text(estimate.no_interval))
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = (_number(bound, kind).removesuffix(" %") for bound in (estimate.low, estimate.high))
    return f"[{low}, {high}]"


@register.filter
def rating_headings(project: Project) -> list[str]:
    """The headings of the columns of mean ratings."""
    return [short_label(criterion) for criterion in project.criteria]


@register.filter
def rating_means(
    figures: StageFigures | BriefFigures | CumulativeFigures, project: Project
) -> list[tuple[str, Estimate]]:
    """Heading and mean rating for each criterion of the project."""
    return [(short_label(each), figures.means[each.name]) for each in project.criteria]


@register.filter
def undefined_words(estimate: Estimate) -> str:
    return undefined_text(estimate.undefined_reason or Undefined.NO_ITEMS)


def _number(value: float, kind: str) -> str:
    text = number_text(value, Kind(kind))
    return f"{text} %" if kind == Kind.PERCENT else text
