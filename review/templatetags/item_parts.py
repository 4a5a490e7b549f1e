"""The parts of an item in pages that are Django's templates."""

from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from review.workbench import item_parts

register = template.Library()


@register.simple_tag(takes_context=True)
def item_part(context: Context, name: str) -> SafeString:
    """The part `name` of the page's item, with all that the page has."""
    values: Any = context.flatten()
    return item_parts.item_part(name, values)
