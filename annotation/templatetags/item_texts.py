"""Item texts on pages."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotation.rendering import render

register = template.Library()


@register.filter
def rendered(text: str) -> SafeString:
    """A text of an item with its formulas, tables and code as people read them."""
    return mark_safe(render(text))  # noqa: S308 - everything in it is escaped or of our making
