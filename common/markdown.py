"""Markdown that people write, as HTML that can be shown to others."""

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# Raw HTML in the text is shown as text; images could call out, so they are left out.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def to_html(text: str) -> SafeString:
    """Return safe HTML: the parser escapes everything that is not its own mark-up."""
    html: SafeString = mark_safe(_PARSER.render(text))  # noqa: S308
    return html
