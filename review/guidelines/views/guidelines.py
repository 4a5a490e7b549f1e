"""The page of the guideline: reading it, and changing it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.rules import current_user
from common.errors import DomainError
from common.markdown import to_html
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from review.guidelines import labels, queries
from review.guidelines.actions.guidelines import create_guideline
from review.guidelines.forms import GuidelineForm
from review.guidelines.passages import passages_shown
from review.models import Guideline


@require_http_methods(["GET", "POST"])
def guideline(request: HttpRequest, slug: str) -> HttpResponse:
    """The guideline in force; managers write the next version."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_rounds")
    current = queries.guideline_in_force(project)
    if request.method == "POST":
        project_for(user, slug, "review.change_guideline")
    form = GuidelineForm(
        request.POST or None,
        initial=_guideline_texts(project, current),
        criteria=project.criteria,
    )
    if request.method == "POST" and _is_saved(form, project, user):
        messages.success(request, _("Saved. The next round will use this version."))
        return redirect("review:guideline", slug)
    context = _guideline_context(project, current, user) | {"form": form}
    return render(
        request, "review/guidelines/guideline.html", context, status=400 if form.is_bound else 200
    )


def _guideline_context(project: Project, current: Guideline, user: User) -> dict[str, Any]:
    return {
        "project": project,
        "section": "rounds",
        "guideline": current if current.version else None,
        "html": to_html(current.text),
        "rubrics": _rubrics(project, current),
        "can_change": user.has_perm("review.change_guideline", project),
        "passages": passages_shown(user, project),
        "can_practise": user.has_perm("review.practise", project),
    }


def _is_saved(form: GuidelineForm, project: Project, author: User) -> bool:
    """Make what was typed the next version; otherwise the form says why not."""
    if not form.is_valid():
        return False
    try:
        create_guideline(
            project=project,
            text=form.cleaned_data["text"],
            rubric=form.rubric(),
            actor=author,
            now=timezone.now(),
        )
    except DomainError as error:
        show_refusal(form, error)
        return False
    return True


def _guideline_texts(project: Project, current: Guideline) -> dict[str, str]:
    rubrics = {each.name: "\n".join(current.rubric[each.name]) for each in project.criteria}
    return {"text": current.text} | rubrics


def _rubrics(project: Project, current: Guideline) -> list[tuple[str, list[tuple[int, str]], str]]:
    """For each criterion its label, what each rating means and what is said of all of them."""
    return [
        (labels.criterion_label(each), *labels.levels_of(each, current.rubric))
        for each in project.criteria
    ]
