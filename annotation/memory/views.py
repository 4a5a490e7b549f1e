"""Pages of the translation memory and the concordance; a script of ours gets the results alone."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from annotation.glossary.selectors import item_named
from annotation.memory.forms import ConcordanceForm, MemoryForm
from annotation.memory.presenters import found_rows, match_rows
from annotation.memory.queries import concordance, similar_to
from common.pagination import listed_page
from projects.models import Project
from projects.selectors import project_for

VIEW_ITEMS = "annotation.view_items"
ORDER = ["uid_order"]


@require_safe
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """A word or phrase in sources and translations, side by side."""
    project = project_for(current_user(request), slug, VIEW_ITEMS)
    form = ConcordanceForm(request.GET)
    is_valid = form.is_valid()
    wanted = form.wanted()
    context: dict[str, Any] = {"form": form, "wanted": wanted}
    if wanted.q and is_valid:
        rows = concordance(project, wanted)
        page = listed_page(request, rows, filters=form.fields, order=ORDER)
        context |= {"page": page, "rows": found_rows(page.rows, wanted)}
    return _page(request, project, "concordance", context, status=200 if is_valid else 400)


@require_safe
def memory(request: HttpRequest, slug: str) -> HttpResponse:
    """Approved items that are like an item or a text."""
    project = project_for(current_user(request), slug, VIEW_ITEMS)
    form = MemoryForm(request.GET)
    is_valid = form.is_valid()
    given = form.cleaned_data
    item = item_named(project, given.get("item", ""))
    text = given.get("text", "")
    matches = similar_to(project, item, text)
    text = text or (item.question if item else "")
    context = {"form": form, "text": text, "rows": match_rows(matches)}
    return _page(request, project, "memory", context, status=200 if is_valid else 400)


def _page(
    request: HttpRequest, project: Project, name: str, context: dict[str, Any], *, status: int
) -> HttpResponse:
    is_panel = request.headers.get("Lotsawa-Fragment") == "panel"
    context |= {"project": project, "section": "glossary", "is_panel": is_panel}
    template = f"annotation/{name}.html" + ("#panel" if is_panel else "")
    return render(request, template, context, status=status)
