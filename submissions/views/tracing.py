"""The page that tells from which team's endpoint a leaked text comes, for a project's managers."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects.forms import show_refusal
from projects.selectors import project_for
from releases.selectors import get_release
from submissions.actions.tracing import trace_leak
from submissions.forms import LeakForm

CHANGE = "submissions.change_submissions"


@require_http_methods(["GET", "HEAD", "POST"])
def leaks(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Take a text that was found, and show what it says about each team whose endpoint was asked."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    release = get_release(project, version, must_stand=True)
    is_sent = request.method == "POST"
    form = LeakForm(*(request.POST, request.FILES) if is_sent else ())
    context: dict[str, Any] = {"project": project, "release": release, "section": "releases"}
    status = 200
    if is_sent and form.is_valid():
        try:
            context["trace"] = trace_leak(
                release=release, content=form.cleaned_data["file"], actor=user, now=timezone.now()
            )
        except DomainError as error:
            show_refusal(form, error)
            status = error.status
    elif is_sent:
        status = 400
    return render(request, "submissions/leaks.html", context | {"form": form}, status=status)
