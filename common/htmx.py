"""What a script of ours asks for: JSON, or one partial of a page."""

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


def wants_json(request: HttpRequest) -> bool:
    """Whether a script asks, which must not be sent to another page."""
    return (
        request.headers.get("HX-Request") == "true"
        or request.content_type == "application/json"
        or "application/json" in request.headers.get("Accept", "")
    )
