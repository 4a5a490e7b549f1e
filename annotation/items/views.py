"""Pages of items: the filtered list, its download, one item, and taking it out or back in."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.items.actions import exclude_item, restore_item
from annotation.items.forms import ItemFilterForm
from annotation.items.keys import correct_key
from annotation.items.presenters import item_sheet, key_correction
from annotation.items.queries import (
    DOWNLOAD_COLUMNS,
    FindingCounts,
    counts_of_items,
    download_rows,
    filtered_items,
    neighbours,
)
from annotation.items.saved_filters import saved_rows
from annotation.items.selectors import item_of
from annotation.models import Item
from common.downloads import csv_lines, json_lines
from common.filters import refuse_filter_faults
from common.pagination import COUNTED, bounded_total, listed_page
from common.redirects import next_address
from projects.models import Project
from projects.selectors import check_right, project_for

ORDER = ["uid_order"]
COUNTED_OF_ALL = 20_000  # without a filter, counting costs a fifth of what it costs with one
VIEW_ITEMS = "annotation.view_items"
CHANGE_ITEM = "annotation.change_item"
EDIT_TEXT = "annotation.edit_text"
CORRECT_KEY = "annotation.correct_key"


@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """Items by uid, a page at a time; a filter that is not known answers 400 and is left out."""
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    form = ItemFilterForm(request.GET, project=project)
    is_valid = form.is_valid()
    if is_valid and (kept := _kept_filter(request, project)) is not None:
        return redirect(f"{request.path}?{kept}" if kept else request.path)
    rows = filtered_items(project, form.wanted())
    page = listed_page(request, rows, filters=form.fields, order=ORDER)
    counts = counts_of_items(page.rows)
    context = _context(project) | {
        "form": form,
        "page": page,
        "total": bounded_total(
            rows, order=ORDER, most=COUNTED if form.chosen() else COUNTED_OF_ALL
        ),
        "rows": [(item, counts.get(item.pk, FindingCounts())) for item in page.rows],
        "tokens": _tokens(request, form),
        "filter_query": _filter_query(request),
        "saved": saved_rows(project, user),
        "list_query": urlencode({"list": request.GET.urlencode()}) if request.GET else "",
        **_rights(user, project),
    }
    return render(request, "annotation/items.html", context, status=200 if is_valid else 400)


def _rights(user: User, project: Project) -> dict[str, bool]:
    """Return which buttons of the list are for this person."""
    return {
        "can_import": user.has_perm("annotation.import_items", project),
        "can_change": user.has_perm(CHANGE_ITEM, project),
        "can_open_round": user.has_perm("review.open_round", project),
        "sees_translation_jobs": not project.is_monolingual
        and user.has_perm("annotation.view_translation_jobs", project),
        "sees_screenings": user.has_perm("annotation.view_screenings", project),
    }


@require_safe
def download_items(request: HttpRequest, slug: str, extension: str) -> StreamingHttpResponse:
    """Everything that the filter shows, as CSV or JSON lines."""
    project = project_for(current_user(request), slug, VIEW_ITEMS)
    form = ItemFilterForm(request.GET, project=project)
    refuse_filter_faults(form)
    rows = download_rows(filtered_items(project, form.wanted()))
    if extension == "csv":
        return _stream(csv_lines(DOWNLOAD_COLUMNS, rows), "text/csv", f"{slug}-items.csv")
    return _stream(json_lines(rows), "application/jsonl", f"{slug}-items.jsonl")


@require_safe
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    found = item_of(project, pk)
    can_lead = user.has_perm("annotation.dismiss_finding", project)
    list_query = request.GET.get("list", "").replace("\0", "")
    before, after = neighbours(_listed(project, list_query), found)
    context = _context(project) | {
        "sheet": item_sheet(found),
        "key_correction": key_correction(
            found, can_correct=user.has_perm(CORRECT_KEY, project), shows_authors=can_lead
        ),
        "item": found,
        "is_one_text": project.is_monolingual or found.asks_for_translation,
        "can_dismiss": can_lead,
        "can_edit": user.has_perm(EDIT_TEXT, project),
        "can_change": user.has_perm(CHANGE_ITEM, project),
        "list_url": f"{reverse('annotation:items', args=[slug])}?{list_query}",
        "list_query": urlencode({"list": list_query}) if list_query else "",
        "before": before,
        "after": after,
        "here": request.get_full_path(),
    }
    return render(request, "annotation/item.html", context)


@require_POST
def exclude(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _change(request, slug, pk, exclude_item)


@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _change(request, slug, pk, restore_item)


@require_POST
def correct(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Correct the key, then go back to the page of the form."""
    user = current_user(request)
    found = item_of(project_for(user, slug, CORRECT_KEY), pk)
    change = correct_key(
        item=found,
        key=request.POST.get("key", ""),
        reason=request.POST.get("reason", ""),
        actor=user,
        now=timezone.now(),
    )
    words = {"old": change.old_key, "new": change.new_key}
    messages.success(request, _("The key is changed from %(old)s to %(new)s.") % words)
    return redirect(next_address(request) or reverse("annotation:item", args=[slug, pk]))


def _change(request: HttpRequest, slug: str, pk: int, action: Any) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    check_right(user, project, CHANGE_ITEM)
    found = item_of(project, pk)
    action(item=found, reason=request.POST.get("reason", ""), actor=user, now=timezone.now())
    return redirect("annotation:item", slug, pk)


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "items"}


def _listed(project: Project, query: str) -> QuerySet[Item]:
    """Return the items of a list by its query; a filter that is not known is left out."""
    form = ItemFilterForm(QueryDict(query), project=project)
    form.is_valid()
    return filtered_items(project, form.wanted())


def _tokens(request: HttpRequest, form: ItemFilterForm) -> list[dict[str, str]]:
    return [
        {
            "label": label,
            "value": value,
            "url": f"?{_filter_query(request, without=name) or 'clear'}",
        }
        for name, label, value in form.chosen()
    ]


def _kept_filter(request: HttpRequest, project: Project) -> str | None:
    """Keep the filter of this session for the next visit; the query to go to, None to stay here.

    A visit without any parameters gets the filter of the last one, and `?clear` forgets it.
    """
    place = f"items-of-{project.pk}"
    if "clear" in request.GET:
        request.session.pop(place, None)
        return ""
    query = _filter_query(request)
    if not request.GET:
        return request.session.get(place) or None
    if any(request.GET.get(name) for name in request.GET if name != "cursor"):
        if request.session.get(place) != query:
            request.session[place] = query
    elif query:
        request.session.pop(place, None)
    return None


def _filter_query(request: HttpRequest, without: str = "") -> str:
    query = request.GET.copy()
    for name in ("cursor", without):
        query.pop(name, None)
    return query.urlencode()


def _stream(lines: Iterator[str], media_type: str, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
