"""Pages that belong to no app: a project's overview, help, health and the API's documentation."""

from dataclasses import dataclass
from typing import Any

from csp.decorators import csp_update
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularSwaggerSplitView

from accounts.models import User
from accounts.rules import current_user
from annotation.access import project_for
from annotation.models import Project
from common.jobs import is_broker_reachable, is_worker_alive
from config.queries import Funnel, overview
from review.charts import approval_chart
from review.queries import open_round_of, round_progress
from review.words import stage_name

# Swagger's own page needs inline styles and data: images; no other page gets them.
api_docs = csp_update({"style-src": ["'unsafe-inline'"], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_docs.html")
)


@require_safe
def project_overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the items are, what waits for whom, and the figures of each stage."""
    user = current_user(request)
    project = project_for(user, slug, "annotation.view_project")
    found = overview(project)
    current = open_round_of(project)
    context = {
        "project": project,
        "section": "overview",
        "overview": found,
        "steps": funnel_steps(project, found.funnel, user),
        "approval_chart": approval_chart(found.stages),
        "stages": [
            (stage_name(each.number), each, reverse("review:round", args=[slug, each.number + 1]))
            for each in found.stages
        ],
        "current": current,
        "progress": round_progress(current) if current else None,
        "can_judge": current is not None and user.has_perm("review.claim_seat", current),
    }
    return render(request, "config/overview.html", context)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the funnel: how many items are so far, and the page that lists them."""

    label: str
    value: int
    url: str
    note: str = ""
    tone: str = ""


def funnel_steps(project: Project, funnel: Funnel, user: User) -> list[Step]:
    """The funnel as steps with words, and addresses where `user` may go."""
    imported, findings, rounds, releases = (
        reverse(name, args=[project.slug])
        for name in ("annotation:items", "annotation:findings", "review:rounds", "releases:list")
    )
    approved = f"{imported}?state=approved"
    if not user.has_perm("annotation.view_items", project):
        imported = findings = approved = ""
    with_errors = _("%(count)s with errors") % {"count": funnel.with_errors}
    released = _("released")
    if funnel.release:
        released = _("in release %(version)s") % {"version": funnel.release.version}
    return [
        Step(_("imported"), funnel.items, imported),
        Step(_("without errors"), funnel.clean, findings, note=with_errors),
        Step(_("judged"), funnel.judged, rounds),
        Step(_("approved"), funnel.approved, approved),
        Step(released, funnel.in_release, releases, tone="good"),
    ]


def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "help.html")


def health(request: HttpRequest) -> JsonResponse:
    """Say how web, database, broker and worker are; 503 if the web cannot serve."""
    state: dict[str, Any] = {"web": "ok", "database": _database_state()}
    serves = state["database"] == "ok"
    state["broker"] = "ok" if is_broker_reachable() else "unreachable"
    alive = serves and is_worker_alive(now=timezone.now())
    state["worker"] = "ok" if alive else "not seen"
    return JsonResponse(state, status=200 if serves else 503)


def _database_state() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unreachable"
    return "ok"
