"""The terms of the glossary beside the texts of an item."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from annotation.glossary.presenters import ShownHits, shown_hits
from annotation.items.text_rows import TextRow
from annotation.memory.presenters import Piece
from projects.models import Project

register = template.Library()
NOTHING = ShownHits([], "[]")
TEMPLATE = "annotation/includes/term_hits.html"


@register.inclusion_tag(TEMPLATE)
def term_hits(project: Project, rows: Sequence[TextRow] | str) -> dict[str, Any]:
    """Return the terms in the rows of an item; nothing where there is no glossary or no item."""
    if not rows or isinstance(rows, str) or project.is_monolingual:
        return {"project": project, "shown": NOTHING}
    return {"project": project, "shown": shown_hits(project, rows)}


@register.inclusion_tag(TEMPLATE)
def matrix_term_hits(project: Project, matrix: Any) -> dict[str, Any]:
    """Return the terms in the current text of a dispute."""
    return {"project": project, "shown": shown_hits(project, [row.text for row in matrix.rows])}


@register.filter
def with_marks(pieces: Sequence[Piece]) -> SafeString:
    """Return the pieces of a text with what was looked for in marks, and no blank between them."""
    shown = (
        format_html("<mark>{}</mark>", piece.text)
        if piece.is_hit
        else conditional_escape(piece.text)
        for piece in pieces
    )
    return mark_safe("".join(shown))  # noqa: S308 - each piece is escaped
