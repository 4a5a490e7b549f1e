"""Pages of a project's managers: the rules, the teams, the submissions."""

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.rules import current_user
from common.errors import DomainError
from common.pagination import listed_page
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from releases.selectors import get_release
from submissions.actions import flagging, moderating, teams
from submissions.actions.rescoring import start_rescoring
from submissions.forms import PolicyForm
from submissions.presenters import with_words
from submissions.queries import (
    insiders,
    policy_of,
    project_submissions,
    releases_asked,
    releases_with_hidden,
    team_accounts,
)
from submissions.selectors import managed_submission, managed_team

CHANGE = "submissions.change_submissions"
LONGEST_ID = 19


@require_http_methods(["GET", "HEAD", "POST"])
def submissions(request: HttpRequest, slug: str) -> HttpResponse:
    """Show rules, teams with what they were told, and submissions; posting changes the rules."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    is_sent = request.method == "POST"
    policy = policy_of(project)
    shown = asdict(teams.content_of(policy)) | {"seen": teams.policy_digest(policy)}
    form = PolicyForm(request.POST if is_sent else None, initial=shown)
    if is_sent and form.is_valid():
        try:
            content, seen = form.content(), form.cleaned_data["seen"]
            teams.change_policy(
                project=project, content=content, seen=seen, actor=user, now=timezone.now()
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("submissions:manage", slug)
    context = {**_listed(request, project), "form": form, "policy": policy}
    return render(request, "submissions/manage.html", context, status=400 if form.errors else 200)


def _listed(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return what the page lists: teams, a page of submissions, and releases with hidden items.

    Those that were published have a leaderboard, whose entries can be scored again.
    """
    rows, number = project_submissions(project), request.GET.get("submission")
    if number is not None:
        is_id = number.isdecimal() and len(number) <= LONGEST_ID
        rows = rows.filter(pk=number) if is_id else rows.none()
    page = listed_page(request, rows, order=["-pk"], filters=["submission"])
    with_hidden = releases_with_hidden(project)
    return {
        "project": project,
        "section": "releases",
        "teams": project.teams.order_by("name", "pk").prefetch_related("participants__user"),
        "accounts": team_accounts(project),
        "inside": {email for people in insiders(project).values() for email in people},
        "page": page,
        "is_one": number is not None,
        "rows": with_words(page.rows),
        "with_hidden": with_hidden,
        "published": with_hidden.filter(published_at__isnull=False),
        "with_asked": releases_asked(project),
    }


@require_POST
def moderate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Hide, show, flag or verify a submission or dismiss its flags, by the button's `do`.

    The form carries what stood on the page: the ids of the flags and the reason.
    """
    user = current_user(request)
    project_for(user, slug, CHANGE)
    found, now = managed_submission(user, pk, slug=slug), timezone.now()
    told: dict[str, Any] = {"submission": found, "actor": user, "now": now}
    text = request.POST.get("reason", "")
    match request.POST.get("do"):
        case "hide":
            moderating.hide_submission(reason=text, **told)
        case "show":
            moderating.show_submission(seen_reason=request.POST.get("seen_reason"), **told)
        case "flag":
            flagging.flag_submission(note=text, **told)
        case "dismiss":
            flagging.dismiss_flags(seen=_seen_flags(request), reason=text, **told)
        case "verify" | "unverify" as verb:
            moderating.verify_submission(is_verified=verb == "verify", **told)
        case _:
            return HttpResponse(status=400)
    return redirect("submissions:manage", slug)


def _seen_flags(request: HttpRequest) -> set[int]:
    """Return the ids of the flags that stood on the page; what is no id stood on none."""
    sent = request.POST.getlist("seen_flag")
    return {int(pk) for pk in sent if pk.isdecimal() and len(pk) <= LONGEST_ID}


@require_POST
def team(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Admit a team, trust its endpoints, ban it or let it back, by the button's `do`."""
    user = current_user(request)
    project_for(user, slug, CHANGE)
    found, now = managed_team(user, pk, slug=slug), timezone.now()
    match request.POST.get("do"):
        case "admit":
            teams.admit_team(team=found, actor=user, now=now)
        case "trust" | "distrust" as verb:
            teams.trust_team(team=found, is_trusted=verb == "trust", actor=user, now=now)
        case "ban":
            teams.ban_team(team=found, reason=request.POST.get("reason", ""), actor=user, now=now)
        case "lift":
            seen = request.POST.get("seen_reason")
            teams.lift_ban(team=found, seen_reason=seen, actor=user, now=now)
        case _:
            return HttpResponse(status=400)
    return redirect("submissions:manage", slug)


@require_POST
def rescore(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Score all submissions to a release again by the corrected keys."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    start_rescoring(release=get_release(project, version), actor=user, now=timezone.now())
    messages.success(request, _("Scoring with the corrected keys has started."))
    return redirect("submissions:manage", slug)
