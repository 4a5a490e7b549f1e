"""Pages of problem reports: the form for readers, and the list where managers and seniors decide."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import client_address, current_user
from common.errors import DomainError
from common.filters import known_value
from common.pagination import listed_page
from projects.selectors import project_for
from releases.enums import ProblemState
from releases.models import Release
from releases.problems.actions import (
    TooManyProblems,
    accept_problem,
    dismiss_problem,
    report_problem,
)
from releases.problems.forms import ProblemForm
from releases.problems.queries import problem_reports
from releases.problems.selectors import problem_for
from releases.public.access import release_for_everybody


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show the form or take the report; one that a program filled in is thrown away without a word."""
    found = release_for_everybody(slug, version)
    form = ProblemForm(
        request.POST or None,
        initial={"item": request.GET.get("item", "")},
        is_monolingual=found.project.is_monolingual,
    )
    if request.method != "POST":
        return _form_page(request, found, form)
    if form.is_from_a_program:
        return redirect("releases:problem-sent", slug, version)
    if not form.is_valid():
        return _form_page(request, found, form, status=400)
    try:
        report_problem(
            release=found,
            problem=form.problem(),
            address=client_address(request),
            now=timezone.now(),
        )
    except DomainError as error:
        return _refused(request, found, form, error)
    return redirect("releases:problem-sent", slug, version)


@login_not_required
@require_safe
def sent(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    found = release_for_everybody(slug, version)
    context = {"project": found.project, "release": found}
    return render(request, "releases/problems/sent.html", context)


@require_safe
def problems(request: HttpRequest, slug: str) -> HttpResponse:
    """List reports of the project's releases, the open ones unless the address names another state."""
    project = project_for(current_user(request), slug, "releases.decide_problem")
    state = known_value("state", request.GET.get("state", ""), ProblemState.values)
    state = state or ProblemState.OPEN
    rows = problem_reports(project).filter(state=state)
    context = {
        "project": project,
        "section": "releases",
        "page": listed_page(request, rows, filters=["state"], order=["-pk"]),
        "state": state,
        "states": ProblemState.choices,
    }
    return render(request, "releases/problems/problems.html", context)


@require_POST
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Accept or dismiss a report, by the button that was pressed."""
    user = current_user(request)
    found = problem_for(user, slug, pk)
    words, now = request.POST.get("words", ""), timezone.now()
    if request.POST.get("decision") == ProblemState.ACCEPTED:
        accept_problem(report=found, words=words, actor=user, now=now)
        messages.success(request, _("Accepted. The release now lists it as an erratum."))
    else:
        dismiss_problem(report=found, reason=words, actor=user, now=now)
        messages.success(request, _("The report is dismissed."))
    return redirect("releases:problems", slug)


def _refused(
    request: HttpRequest, found: Release, form: ProblemForm, error: DomainError
) -> HttpResponse:
    """Show the form with what was typed, and the refusal in words."""
    if isinstance(error, TooManyProblems) or not error.fields:
        form.add_error(None, str(error))
    for name, words in error.fields.items():
        form.add_error(name, words)
    answer = _form_page(request, found, form, status=error.status)
    for name, value in error.headers().items():
        answer[name] = value
    return answer


def _form_page(
    request: HttpRequest, found: Release, form: ProblemForm, *, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"project": found.project, "release": found, "form": form}
    return render(request, "releases/problems/report.html", context, status=status)
