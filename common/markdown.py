"""Markdown that people write, as HTML that can be shown to others."""

import re
from collections.abc import Sequence
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Raw HTML in the text is shown as text; images could call out, so they are left out.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_TIBETAN = re.compile(r"[\u0F00-\u0FFF]+(?:\s+[\u0F00-\u0FFF]+)*")
_HEADING = re.compile(r"(</?h)([1-5])(?=>)")
# A word within a line of another script keeps to that line's height.
_LONGEST_WORD = 20


def to_html(text: str) -> SafeString:
    """Return safe HTML: the parser escapes everything that is not its own mark-up.

    Headings go one level down, since the page has its own first one; Tibetan is marked as such,
    for its font, its line height and for who listens to the page.
    """
    lowered = _HEADING.sub(lambda tag: f"{tag[1]}{int(tag[2]) + 1}", _PARSER.render(text))
    html: SafeString = mark_safe(lowered)  # noqa: S308
    return html


def _text(_renderer: Any, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    return _TIBETAN.sub(_as_tibetan, escape(tokens[index].content))


def _as_tibetan(run: re.Match[str]) -> str:
    look = ' class="inline"' if len(run[0]) <= _LONGEST_WORD else ""
    return f'<span lang="bo"{look}>{run[0]}</span>'


_PARSER.add_render_rule("text", _text)
