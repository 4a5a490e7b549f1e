"""Shares as the tables print them."""

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def percent(share: float | None) -> str:
    """A share in 0…1 as per cent with one decimal, without the sign; a dash for none."""
    return "–" if share is None else number_format(round(100 * share, 1), decimal_pos=1)
