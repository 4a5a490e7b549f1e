"""Practice for people who begin: three items with feedback, of which nothing is stored."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from projects.criteria import common_scale, names_of
from projects.models import Project
from projects.selectors import project_for
from review.guidelines.queries import guideline_in_force
from review.practice.forms import PracticeForm
from review.practice.items import COUNT
from review.practice.labels import practice_text
from review.practice.texts import practice_of
from review.workbench.labels import rating_fields, tag_fields, typed_rating


@require_http_methods(["GET", "POST"])
def practice(request: HttpRequest, slug: str, number: int = 1) -> HttpResponse:
    """One practice item, and after a judgement what somebody who knows would have said."""
    project = project_for(current_user(request), slug, "review.practise")
    if not 1 <= number <= COUNT:
        raise Http404
    found = practice_of(project)
    item = found.items[number - 1]
    form = PracticeForm(request.POST if request.method == "POST" else None)
    context = {
        "project": project,
        "section": "rounds",
        "item": item,
        "count": COUNT,
        "following": item.number + 1 if item.number < COUNT else None,
        "are_own": found.are_own,
        "source_language": found.source_language,
        "target_language": found.target_language,
        "form": form,
        **_judgement_fields(project, request.POST),
    }
    if request.method == "POST" and form.is_valid():
        context["is_found"] = item.is_found(**form.cleaned_data)
        context["explanation"] = practice_text(item.fault)
    status = 400 if form.errors else 200
    return render(request, "review/practice/practice.html", context, status=status)


def _judgement_fields(project: Project, said: QueryDict) -> dict[str, Any]:
    """What the workbench asks for, as the project's guideline explains it, and what was said."""
    criteria = project.criteria
    ratings = {name: typed_rating(said.get(name, "")) for name in names_of(criteria)}
    return {
        "criteria": criteria,
        "rating_keys": common_scale(criteria),
        "tags": tag_fields(),
        "rating_fields": rating_fields(criteria, guideline_in_force(project).rubric, ratings),
        "values": {**said.dict(), "tags": said.getlist("tags")},
    }
