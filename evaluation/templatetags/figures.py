"""Filters that print shares, intervals, methods and missing answers in tables."""

from django import template
from django.utils.formats import number_format

from common.intervals import Interval
from endpoints.stops import MODEL_FAULTS, fault_text
from evaluation.results.labels import METHODS

register = template.Library()


@register.filter
def percent(share: float | str | None) -> str:
    """Format a share in 0…1 as a percentage with one decimal, without the sign; a dash for none.

    A template gives '' for an attribute of None.
    """
    if share is None or isinstance(share, str):
        return "–"
    return number_format(round(100 * share, 1), decimal_pos=1)


@register.filter
def percent_range(interval: Interval | None) -> str:
    """Both ends of an interval of shares in brackets, as review writes them; a dash for none."""
    return f"[{percent(interval.low)}, {percent(interval.high)}]" if interval else "–"


@register.filter
def two_decimals(value: float | str | None) -> str:
    """Format a number with two decimals; a dash for none."""
    if value is None or isinstance(value, str):
        return "–"
    return number_format(round(value, 2), decimal_pos=2)


@register.filter
def method_name(name: str) -> str:
    """Return the short name of a method; a dash for none."""
    return str(METHODS[name].short) if name in METHODS else "–"


@register.filter
def missing_answer(error: str) -> str:
    """Say why there is no answer: the failure of the model or of the endpoint."""
    return str(MODEL_FAULTS.get(error) or fault_text(error))
