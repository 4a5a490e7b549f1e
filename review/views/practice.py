"""Practice for people who begin: three items with feedback, of which nothing is stored."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from projects.criteria import common_scale, names_of
from projects.models import Project
from projects.selectors import project_for
from review.default_guideline import first_rubric
from review.forms import PracticeForm
from review.labels import rating_fields, tag_fields, typed_rating
from review.practice import COUNT, Fault, PracticeItem, practice_items
from review.practice_texts import texts_of


@require_http_methods(["GET", "POST"])
def practice(request: HttpRequest, slug: str, number: int = 1) -> HttpResponse:
    """One practice item, and after a judgement what somebody who knows would have said."""
    project = project_for(current_user(request), slug, "review.practise")
    if not 1 <= number <= COUNT:
        raise Http404
    texts, are_own = texts_of(project)
    item = practice_items(texts)[number - 1]
    form = PracticeForm(request.POST if request.method == "POST" else None)
    context = {
        "project": project,
        "section": "rounds",
        "item": item,
        "count": COUNT,
        "following": item.number + 1 if item.number < COUNT else None,
        "are_own": are_own,
        "source_language": project.source_language if are_own else get_language(),
        "target_language": project.target_language if are_own else get_language(),
        "form": form,
        **_judgement_fields(project, request.POST),
    }
    if request.method == "POST" and form.is_valid():
        context |= _feedback(item, form.cleaned_data)
    return render(request, "review/practice.html", context, status=400 if form.errors else 200)


def _judgement_fields(project: Project, said: QueryDict) -> dict[str, Any]:
    """What the workbench asks for, as the project's guideline explains it, and what was said."""
    criteria = project.criteria
    guideline = project.guidelines.order_by("-version").first()
    rubric = guideline.rubric if guideline else first_rubric(criteria)
    ratings = {name: typed_rating(said.get(name, "")) for name in names_of(criteria)}
    return {
        "criteria": criteria,
        "rating_keys": common_scale(criteria),
        "tags": tag_fields(),
        "rating_fields": rating_fields(criteria, rubric, ratings),
        "values": {**said.dict(), "tags": said.getlist("tags")},
    }


def _feedback(item: PracticeItem, said: dict[str, Any]) -> dict[str, Any]:
    return {
        "is_found": item.is_found(said["verdict"], said["tags"]),
        "explanation": {
            Fault.NONE: _(
                "The translation says what the source says, and the key is right: Approve. "
                "Approve a text that is correct and reads well, even if you would word it "
                "differently."
            ),
            Fault.SWAPPED: _(
                "Two options have changed places, so the key points to the wrong text. You can "
                "correct this: Revise, correct the options in place, and mark it as structure."
            ),
            Fault.WRONG_KEY: _(
                "The translation is good, but another option is marked as the key. A new "
                "translation cannot correct that: Reject, and mark “wrong key”. A senior looks "
                "at it."
            ),
        }[item.fault],
    }
