"""Item texts on pages."""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from annotation.items.other_sources import OtherSource, other_sources
from annotation.items.text_languages import Directed, language_of, source_language_of
from annotation.items.text_rows import ANSWER
from annotation.models import Item
from annotation.rendering import render
from projects.models import Project
from projects.templatetags.languages import lang, language_name

register = template.Library()


@register.inclusion_tag("includes/other_sources.html", name="other_sources")
def shown_other_sources(item: Item, project: Project) -> dict[str, list[OtherSource]]:
    """Return an item in its further source languages, folded."""
    return {"sources": other_sources(item, project)}


@register.simple_tag
def text_lang(project: Project, item: Directed, field: str, text: str | None = None) -> SafeString:
    """The attributes of an element with a field of the item's text, as `lang` gives them."""
    return lang(language_of(item, field, project), text)


@register.simple_tag
def source_lang(
    project: Project, item: Directed, field: str, text: str | None = None
) -> SafeString:
    """The attributes of an element with a field of the item's source, as `lang` gives them."""
    return lang(source_language_of(item, field, project), text)


@register.simple_tag
def text_languages(project: Project, item: Directed) -> SafeString:
    """The names of the languages of an item's text: two where it asks for a translation."""
    question, answer = (language_of(item, field, project) for field in ("question", ANSWER))
    names = [language_name(code) for code in dict.fromkeys((question, answer))]
    return format_html_join(" → ", "{}", ([name] for name in names))


@register.filter
def rendered(text: str) -> SafeString:
    """Return a text of an item with its formulas, tables and code as people read them."""
    return SafeString(render(text))  # in which everything is escaped or of our making
