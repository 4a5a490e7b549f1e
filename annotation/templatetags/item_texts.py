"""Item texts on pages."""

from django import template
from django.utils.safestring import SafeString

from annotation.items.other_sources import OtherSource, other_sources
from annotation.models import Item
from annotation.rendering import render
from projects.models import Project

register = template.Library()


@register.inclusion_tag("includes/other_sources.html", name="other_sources")
def shown_other_sources(item: Item, project: Project) -> dict[str, list[OtherSource]]:
    """Return an item in its further source languages, folded."""
    return {"sources": other_sources(item, project)}


@register.filter
def rendered(text: str) -> SafeString:
    """Return a text of an item with its formulas, tables and code as people read them."""
    return SafeString(render(text))  # in which everything is escaped or of our making
