"""Extending the guideline from an adjudication."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.rules import current_user
from common.db import bounded_pk
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import listed_page
from projects.models import Project
from projects.selectors import project_for
from review.guidelines.actions.passages import accept_passage, decline_passage, propose_passage
from review.guidelines.passages import adjudication_of, decided_under_old_text, open_passages
from review.models import Adjudication

PROPOSE = "review.propose_passage"
CHANGE = "review.change_guideline"


def passage(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An adjudication, the passage to propose from it, and what was decided without the passage."""
    user = current_user(request)
    project = project_for(user, slug, PROPOSE)
    adjudication = get_object_or_404(adjudication_of(project, bounded_pk(pk)))
    if request.method != "POST":
        return _page(request, project, adjudication)
    text = request.POST.get("text", "")
    try:
        propose_passage(adjudication=adjudication, text=text, actor=user, now=timezone.now())
    except DomainError as error:
        return _page(request, project, adjudication, error)
    messages.success(request, _("The passage is proposed. A manager decides on it."))
    return redirect("review:passage", slug, adjudication.pk)


@require_POST
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Add a proposed passage to the guideline, or decline it."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    rows = open_passages(project).filter(pk=bounded_pk(pk))
    proposed = get_object_or_404(rows)
    if request.POST.get("answer") == "accept":
        made = accept_passage(passage=proposed, actor=user, now=timezone.now())
        words = _("The passage is in version %(version)s of the guideline.")
        messages.success(request, words % {"version": made.version})
    else:
        decline_passage(passage=proposed, actor=user, now=timezone.now())
        messages.success(request, _("The passage is declined."))
    return redirect("review:passage", slug, proposed.adjudication_id)


def _page(
    request: HttpRequest,
    project: Project,
    adjudication: Adjudication,
    error: DomainError | None = None,
) -> HttpResponse:
    rows = decided_under_old_text(adjudication)
    context = {
        "project": project,
        "section": "disputes",
        "adjudication": adjudication,
        "passages": adjudication.passages.select_related("guideline").order_by("pk"),
        "page": listed_page(request, rows, order=["-pk"], size=25),
        "text": request.POST.get("text") or adjudication.reason,
        "error": error,
        "can_change": current_user(request).has_perm(CHANGE, project),
    }
    status = error.status if error else 200
    return render_page(request, "review/guidelines/passage.html", context, status=status)
