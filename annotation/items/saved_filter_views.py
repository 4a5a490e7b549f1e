"""Pages of saved filters: the list, saving the filter of an address, renaming and removing."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.rules import current_user
from annotation.items.forms import ItemFilterForm, SaveFilterForm, valid_filter_form
from annotation.items.saved_filters import (
    SHARE,
    filter_to_change,
    remove_filter,
    rename_filter,
    save_filter,
    saved_rows,
)
from common.errors import DomainError
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import check_right, project_for

VIEW_ITEMS = "annotation.view_items"


@require_http_methods(["GET", "HEAD", "POST"])
def saved_filters(request: HttpRequest, slug: str) -> HttpResponse:
    """List one's own and the shared filters; with a filter in the address, save that one."""
    user = current_user(request)
    project = project_for(user, slug, VIEW_ITEMS)
    shown = valid_filter_form(project, request.GET.dict())
    form = SaveFilterForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _save(form, shown, project, user):
        messages.success(request, _("The filter is saved."))
        return redirect("annotation:saved-filters", slug)
    context = _context(project) | {
        "form": form,
        "chosen": [(label, value) for _name, label, value in shown.chosen()],
        "rows": saved_rows(project, user),
        "can_share": user.has_perm(SHARE, project),
    }
    return render(
        request, "annotation/saved_filters.html", context, status=400 if form.errors else 200
    )


@require_POST
def rename(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a saved filter another name."""
    user = current_user(request)
    saved = filter_to_change(project_for(user, slug, VIEW_ITEMS), user, pk)
    try:
        name = request.POST.get("name", "")
        rename_filter(saved=saved, name=name, actor=user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The filter is renamed."))
    return redirect("annotation:saved-filters", slug)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a saved filter; items stay as they are."""
    user = current_user(request)
    saved = filter_to_change(project_for(user, slug, VIEW_ITEMS), user, pk)
    remove_filter(saved=saved, actor=user, now=timezone.now())
    messages.success(request, _("The filter is removed."))
    return redirect("annotation:saved-filters", slug)


def _save(form: SaveFilterForm, shown: ItemFilterForm, project: Project, user: User) -> bool:
    """Save as asked for; otherwise the form says why not."""
    said = form.cleaned_data
    if said["is_shared"]:
        check_right(user, project, SHARE)
    try:
        save_filter(project=project, wanted=shown.wanted(), actor=user, now=timezone.now(), **said)
    except DomainError as error:
        show_refusal(form, error)
        return False
    return True


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "items"}
