"""The page that changes all items of a filter, after a preview, and undoing an exclusion."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.rules import current_user
from annotation.items.forms import ItemFilterForm, valid_filter_form
from annotation.items.queries import filtered_items
from common.errors import DomainError
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from review.bulk.actions import SelectionChanged, change_items, undo_exclusion
from review.bulk.forms import ConfirmForm, WhatToDoForm
from review.bulk.plans import Plan, WantedChange, plan_change
from review.bulk.presenters import done_words, left_out_words, shown_bulks
from review.bulk.selectors import bulk_of
from review.models import BulkChange

RIGHT = "annotation.change_item"
OWN = ("change", "to_category")


@dataclass(slots=True)
class _Asked:
    """What the address of the page asks for: a filter, and once it is chosen what to do."""

    shown: ItemFilterForm
    form: WhatToDoForm
    confirm: ConfirmForm | None = None
    plan: Plan | None = None
    status: int = 200

    def wanted(self) -> WantedChange:
        return WantedChange(
            kind=self.form.kind(),
            item_filter=self.shown.wanted(),
            category=self.form.cleaned_data["to_category"],
        )


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what to do, see what would happen, and confirm exactly that."""
    user = current_user(request)
    project = project_for(user, slug, RIGHT)
    asked = _asked(request, project)
    if request.method == "POST" and asked.confirm and asked.confirm.is_valid():
        if bulk := _do(asked, asked.confirm, project, user):
            return _done(request, bulk)
    elif request.method == "POST":
        asked.status = 400
    return render(request, "review/bulk/change.html", _context(asked, project), status=asked.status)


@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Bring back what one bulk change excluded."""
    user = current_user(request)
    bulk = bulk_of(project_for(user, slug, RIGHT), pk)
    try:
        undoing = undo_exclusion(bulk=bulk, actor=user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
        return redirect("review:bulk-change", slug)
    return _done(request, undoing)


def _asked(request: HttpRequest, project: Project) -> _Asked:
    """Read the address. Raises ItemFilterInvalid."""
    query = request.GET.dict()
    own = {name: query.pop(name) for name in OWN if name in query}
    asked = _Asked(valid_filter_form(project, query), WhatToDoForm(own or None))
    if not own or not asked.form.is_valid():
        asked.status = 400 if own else 200
        return asked
    try:
        asked.plan = plan_change(project, asked.wanted())
    except DomainError as error:
        show_refusal(asked.form, error)
        asked.status = 400
        return asked
    asked.confirm = ConfirmForm(
        request.POST or None, kind=asked.form.kind(), initial={"digest": asked.plan.digest}
    )
    return asked


def _do(asked: _Asked, confirm: ConfirmForm, project: Project, user: User) -> BulkChange | None:
    """Do what was confirmed; otherwise the page shows why not, or what would happen now."""
    said = {"reason": ""} | confirm.cleaned_data
    try:
        return change_items(
            project=project, wanted=asked.wanted(), actor=user, now=timezone.now(), **said
        )
    except DomainError as error:
        asked.status = error.status
        if isinstance(error, SelectionChanged):
            # What was typed stays, for what the page shows now.
            confirm = ConfirmForm(
                confirm.cleaned_data | {"digest": error.current["digest"]}, kind=asked.form.kind()
            )
            confirm.is_valid()
            asked.plan = plan_change(project, asked.wanted())
        asked.confirm = confirm
        show_refusal(confirm, error)
    return None


def _done(request: HttpRequest, bulk: BulkChange) -> HttpResponse:
    """Go to the job, or back to the page, which then says what happened."""
    if bulk.job_id:
        return redirect("jobs:job", bulk.job_id)
    messages.success(request, done_words(bulk))
    slug = bulk.project.slug
    query = urlencode(bulk.item_filter)
    address = reverse("review:bulk-change", args=[slug])
    return redirect(f"{address}?{query}" if query else address)


def _context(asked: _Asked, project: Project) -> dict[str, Any]:
    wanted, plan = asked.shown.wanted(), asked.plan
    chosen = asked.shown.chosen()
    return {
        "project": project,
        "section": "items",
        "form": asked.form,
        "confirm": asked.confirm,
        "plan": plan,
        "left_out": left_out_words(plan.left_out) if plan else [],
        "selected": plan.selected if plan else filtered_items(project, wanted).order_by().count(),
        "chosen": [(label, value) for _name, label, value in chosen],
        "values": [(name, getattr(wanted, name)) for name, _label, _value in chosen],
        "latest": shown_bulks(project),
        "page_title": _("Change items"),
    }
