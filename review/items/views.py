"""Pages about one item that need both its texts and its reviews: its history, and changing its text."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.items.selectors import item_of
from annotation.models import Item
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import listed_part
from projects.selectors import project_for
from review.items.actions import edit_text, obstacle_to_editing
from review.items.forms import ItemTextForm
from review.items.history import item_history
from review.items.presenters import checked_rows, edit_rows
from review.items.selectors import revision_to_edit
from review.outcomes import Correction
from review.workbench.text_checks import as_revision, shown_repair, typed_numbers

EDIT = "annotation.edit_text"
EVENTS_AT_ONCE = 30


@require_safe
def history(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Everything that happened to the item; htmx gets the list alone."""
    user = current_user(request)
    project = project_for(user, slug, "annotation.view_items")
    item = item_of(project, pk)
    context = {
        "project": project,
        "section": "items",
        "item": item,
        "page": listed_part(request, item_history(item, user), size=EVENTS_AT_ONCE),
    }
    return render_page(request, "review/items/item_history.html", context, partial="timeline")


@require_http_methods(["GET", "HEAD", "POST"])
def text(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A form with the text beside its source. POST checks what was typed, or saves it."""
    user = current_user(request)
    item = item_of(project_for(user, slug, EDIT), pk)
    if request.method != "POST":
        return _page(request, item, None, None, is_repaired="repair" in request.GET)
    form = ItemTextForm(request.POST)
    if not form.is_valid():
        return _page(request, item, form, None, status=400)
    if form.is_check:
        return _page(request, item, form, None)
    try:
        _save(item, form, user)
    except DomainError as error:
        return _page(request, item, form, error, status=error.status)
    messages.success(request, _("The text is changed. It waits for review."))
    return redirect("annotation:item", slug, pk)


def _save(item: Item, form: ItemTextForm, user: User) -> None:
    typed = form.correction()
    edit_text(
        item=item,
        base=revision_to_edit(item, form.cleaned_data["base"]),
        question=typed.question,
        options=typed.options,
        answer=typed.answer,
        explanation=typed.explanation,
        actor=user,
        now=timezone.now(),
        numbers_confirmed=form.cleaned_data["numbers_confirmed"],
    )


def _page(
    request: HttpRequest,
    item: Item,
    form: ItemTextForm | None,
    error: DomainError | None,
    *,
    status: int = 200,
    is_repaired: bool = False,
) -> HttpResponse:
    """The form with the current text, its repair or what was typed, which the checks have read."""
    obstacle = obstacle_to_editing(item)
    context = _texts(item, form, is_repaired=is_repaired) | {
        "project": item.project,
        "section": "items",
        "item": item,
        "error": error or obstacle,
        "is_shut": obstacle is not None,
    }
    return render(request, "review/items/item_text.html", context, status=status)


def _texts(item: Item, form: ItemTextForm | None, *, is_repaired: bool) -> dict[str, Any]:
    revision = revision_to_edit(item, None)
    checked = form if form is not None and form.is_valid() else None
    typed = checked.correction() if checked else None
    repair = shown_repair(as_revision(typed, revision) if typed else revision, item, item.project)
    if is_repaired and repair and not form:
        typed, repair = Correction(repair.question, tuple(repair.options)), None
    return {
        "revision": revision,
        "rows": checked_rows(item, typed) if typed else edit_rows(item),
        "is_checked": checked is not None,
        "repair": repair,
        "numbers": typed_numbers(typed, item, revision) if typed else (),
        "is_confirmed": bool(checked and checked.cleaned_data["numbers_confirmed"]),
    }
