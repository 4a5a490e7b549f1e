"""Languages on pages: their own names, the direction of their texts and the style sheet."""

import unicodedata
from collections.abc import Iterable

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from languages import get_language
from languages.markup import language_attributes
from projects.styles import styles_digest

register = template.Library()


@register.simple_tag
def lang(code: str, text: str | None = None) -> SafeString:
    """The attributes of an element whose text is in a language: `lang`, and `dir` where it matters.

    Give the `text` too where it may hold nothing but numbers or a formula.
    """
    return SafeString(language_attributes(code, text))  # which escapes what it is given


@register.filter
def whole(segments: Iterable[tuple[str, str]] | None) -> str:
    """All texts of a difference, old and new, to know from which side it is read."""
    return "".join(text for _kind, text in segments or ())


@register.simple_tag
def language_name(code: str) -> SafeString:
    """The language's name for itself, marked with its tag; the bare tag where it is not known."""
    language = get_language(code)
    if not language.name or language.name == code:
        return format_html("{}", code)
    tag = language.name_tag or language.code
    return format_html('<span {} class="inline">{}</span>', lang(tag), language.name)


@register.filter
def is_tibetan(code: str) -> bool:
    """Whether a language is written in the Tibetan script, which can be typed as Wylie."""
    return get_language(code).script == "Tibetan"


@register.simple_tag
def special_characters(code: str) -> list[tuple[str, str, str]]:
    """The special characters of a language: text, name, and what a button shows of it."""
    listed = get_language(code).special_characters
    return [(text, name, _shown(text, name)) for text, name in listed]


def _shown(text: str, name: str) -> str:
    """A mark stands on the dotted circle; of what nobody sees the name is shown."""
    kind = unicodedata.category(text[0])
    if kind in ("Cf", "Zs") or text == "\u0f0c" or (kind == "Mn" and "FVS" in name):
        return name
    return f"◌{text}" if kind in ("Mn", "Mc") else text


@register.simple_tag
def styles_css() -> str:
    """The address of the style sheet, to be kept until its content changes."""
    return f"{reverse('styles-css')}?v={styles_digest()}"
