"""Pages that start, list, show, cancel and resume screening jobs, and list their opinions."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from annotation.asking import views as asking
from annotation.asking.selectors import asking_job_for
from annotation.enums import OpinionState, Screen
from annotation.models import Opinion
from annotation.screening.actions import SCREENING, estimate_of, start_screening
from annotation.screening.forms import OpinionFilterForm, ScreeningForm
from annotation.screening.labels import words_of
from annotation.screening.queries import (
    OpinionFilter,
    opinions_of,
    screen_counts,
    thresholds,
    totals_of,
)
from annotation.screening.selectors import preview_of, task_of
from common.pagination import listed_page
from projects.selectors import project_for


@dataclass(frozen=True, slots=True)
class OpinionRow:
    """An opinion as the list shows it; `is_below` says that it does not reach the threshold."""

    opinion: Opinion
    words: str
    is_below: bool


@require_safe
def job_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, SCREENING.view)
    return asking.list_page(request, SCREENING, project)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, SCREENING.manage)
    form = ScreeningForm(project, request.POST or None)
    return asking.start_page(
        request, SCREENING, project, form, start=start_screening, estimate=estimate_of
    )


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    started = asking_job_for(SCREENING, current_user(request), slug, pk)
    counts = [(Screen(each.screen).label, each) for each in screen_counts(started)]
    return asking.job_page(request, SCREENING, started, counts=counts, totals=totals_of(started))


@require_safe
def opinions(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """List the opinions of a job, the surest first."""
    started = asking_job_for(SCREENING, current_user(request), slug, pk)
    form = OpinionFilterForm(request.GET)
    is_valid = form.is_valid()
    wanted = form.wanted() if is_valid else OpinionFilter()
    is_read = wanted.state in (OpinionState.DOUBT, OpinionState.FINE)
    page = listed_page(
        request,
        opinions_of(started, wanted),
        filters=form.fields,
        order=["-confidence", "-pk"] if is_read else ["-pk"],
    )
    context = {
        "project": started.project,
        "section": "items",
        "started": started,
        "form": form,
        "page": page,
        "rows": _rows(page.rows, thresholds(started.project)),
    }
    return render(
        request, "annotation/screening/opinions.html", context, status=200 if is_valid else 400
    )


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, slug: str, screen: str) -> HttpResponse:
    project = project_for(current_user(request), slug, SCREENING.manage)
    return asking.task_prompt_page(
        request, SCREENING, project, task_of(screen),
        preview=lambda frame: preview_of(project, screen, frame),
        screen=screen, screens=Screen.choices,
    )  # fmt: skip


def _rows(found: Iterable[Opinion], chosen: dict[str, float]) -> list[OpinionRow]:
    return [
        OpinionRow(
            opinion,
            words_of(opinion),
            opinion.state == OpinionState.DOUBT
            and (opinion.confidence or 0.0) < chosen.get(opinion.screen, 0.0),
        )
        for opinion in found
    ]
