"""Filters that print shares, intervals and methods in tables."""

from django import template
from django.utils.formats import number_format

from common.intervals import Interval
from evaluation.labels import METHODS

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
def method_name(name: str) -> str:
    """Return the short name of a method; a dash for none."""
    return str(METHODS[name].short) if name in METHODS else "–"
