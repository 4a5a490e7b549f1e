"""One way to answer both a page load and an htmx request: the page, or one partial of it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def render_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    partial: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render `template`, or only its `partial` when htmx asks for a part of the page."""
    htmx = getattr(request, "htmx", None)
    if partial and htmx and not htmx.boosted and not htmx.history_restore_request:
        template = f"{template}#{partial}"
    return render(request, template, context, status=status)
