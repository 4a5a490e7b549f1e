"""Item texts on pages."""

from django import template
from django.utils.safestring import SafeString

from annotation.rendering import render

register = template.Library()


@register.filter
def rendered(text: str) -> SafeString:
    """Return a text of an item with its formulas, tables and code as people read them."""
    return SafeString(render(text))  # in which everything is escaped or of our making
