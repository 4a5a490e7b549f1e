"""`part_of_history` for templates: some events of a long history, and whether there are older ones."""

from collections.abc import Sequence

from django import template
from django.core.paginator import Page, Paginator

from annotation.items.timeline import TimelineEvent

register = template.Library()
EVENTS_AT_ONCE = 30


@register.simple_tag
def part_of_history(events: Sequence[TimelineEvent], number: str | None) -> "Page[TimelineEvent]":
    """Return the page of this number; the first if there is no number, the last beyond the end."""
    return Paginator(events, EVENTS_AT_ONCE).get_page(number)
