"""Pages of items: the filtered list, its download, one item, and taking it out or back in."""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from annotation.items.actions import exclude_item, restore_item
from annotation.items.forms import ItemFilterForm
from annotation.items.presenters import item_sheet
from annotation.items.queries import (
    DOWNLOAD_COLUMNS,
    FindingCounts,
    counts_of_items,
    download_rows,
    filtered_items,
)
from annotation.models import Item
from common.downloads import csv_lines, json_lines
from common.pagination import keyset_page
from projects.models import Project
from projects.selectors import project_for

VIEW_ITEMS = "annotation.view_items"
CHANGE_ITEM = "annotation.change_item"


@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """Items by uid, a page at a time; a filter that is not known answers 400 and is left out."""
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    form = ItemFilterForm(request.GET, project=project)
    is_valid = form.is_valid()
    rows = filtered_items(project, form.wanted())
    page = keyset_page(rows, order=["uid"], cursor=request.GET.get("cursor"))
    counts = counts_of_items(page.rows)
    context = _context(project) | {
        "form": form,
        "page": page,
        "rows": [(item, counts.get(item.pk, FindingCounts())) for item in page.rows],
        "tokens": _tokens(request, form),
        "filter_query": _filter_query(request),
        "list_query": urlencode({"list": request.GET.urlencode()}) if request.GET else "",
        "can_import": user.has_perm("annotation.import_items", project),
        "can_open_round": user.has_perm("review.open_round", project),
    }
    return render(request, "annotation/items.html", context, status=200 if is_valid else 400)


@require_safe
def download_items(request: HttpRequest, slug: str, extension: str) -> StreamingHttpResponse:
    """Everything that the filter shows, as CSV or JSON lines."""
    project = project_for(current_user(request), slug, VIEW_ITEMS)
    form = ItemFilterForm(request.GET, project=project)
    if not form.is_valid():
        raise Http404
    rows = download_rows(filtered_items(project, form.wanted()))
    if extension == "csv":
        return _stream(csv_lines(DOWNLOAD_COLUMNS, rows), "text/csv", f"{slug}-items.csv")
    return _stream(json_lines(rows), "application/jsonl", f"{slug}-items.jsonl")


@require_safe
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    found = _item(project, pk)
    can_lead = user.has_perm("annotation.dismiss_finding", project)
    list_query = request.GET.get("list", "")
    context = _context(project) | {
        "sheet": item_sheet(found, shows_authors=can_lead),
        "item": found,
        "can_dismiss": can_lead,
        "can_change": user.has_perm(CHANGE_ITEM, project),
        "list_url": f"{reverse('annotation:items', args=[slug])}?{list_query}",
        "here": request.get_full_path(),
    }
    return render(request, "annotation/item.html", context)


@require_POST
def exclude(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _change(request, slug, pk, exclude_item)


@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _change(request, slug, pk, restore_item)


def _change(request: HttpRequest, slug: str, pk: int, action: Any) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    if not user.has_perm(CHANGE_ITEM, project):
        raise PermissionDenied
    found = _item(project, pk)
    action(item=found, reason=request.POST.get("reason", ""), actor=user, now=timezone.now())
    return redirect("annotation:item", slug, pk)


def _item(project: Project, pk: int) -> Item:
    rows = Item.objects.filter(project=project).select_related(
        "project", "subject", "source", "working_translation__current_revision"
    )
    found: Item = get_object_or_404(rows, pk=pk)
    return found


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "items"}


def _tokens(request: HttpRequest, form: ItemFilterForm) -> list[dict[str, str]]:
    """Each chosen filter with the address of the list without it."""
    return [
        {"label": label, "value": value, "url": f"?{_filter_query(request, without=name)}"}
        for name, label, value in form.chosen()
    ]


def _filter_query(request: HttpRequest, without: str = "") -> str:
    query = request.GET.copy()
    for name in ("cursor", without):
        query.pop(name, None)
    return query.urlencode()


def _stream(lines: Iterator[str], media_type: str, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
