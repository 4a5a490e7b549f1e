"""Pages that compare runs, their files, and the items that two runs answer differently."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.rules import current_user
from common.filters import refuse_unknown_filters
from evaluation.comparisons.catalogue import with_unfinished
from evaluation.comparisons.pictures import file_of, has_picture
from evaluation.comparisons.presenters import accuracy_chart
from evaluation.comparisons.queries import OWN, Comparison, flips, replies_to
from evaluation.comparisons.selectors import (
    comparison_of,
    comparison_with_answers,
    page_number,
    runs_to_compare,
    shared_methods,
    table_and_method,
    table_of,
    tables_of,
)
from evaluation.comparisons.tables import run_labels, unfinished_note
from evaluation.comparisons.titles import method_text, table_label
from evaluation.models import Run
from evaluation.queries import runs_seen_by
from evaluation.results.labels import method_texts
from languages.letters import letter_of
from projects.models import Project
from projects.selectors import project_for
from review.figures.presenters import table_views
from scoring.scorers import TRANSLATION

FILE_FORMATS = (("csv", "CSV"), ("latex", "LaTeX"), ("markdown", "Markdown"))
PICTURE = (("svg", "SVG"),)
OFFERED_RUNS = 50


@require_safe
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose runs, or show one table of those that are chosen."""
    user = current_user(request)
    project = project_for(user, slug, "evaluation.view_runs")
    context: dict[str, Any] = {"project": project, "section": "runs"}
    if "runs" not in request.GET:
        rows = runs_seen_by(user, project).order_by("-pk")[:OFFERED_RUNS]
        return render(request, "evaluation/comparisons/choose.html", context | {"runs": rows})
    found = _compared(request, user, project)
    table = table_of(request.GET.get("table", ""), found)
    context |= {
        **_choices(found),
        "table": table.name,
        "tables": table_views(table),
        "chart": accuracy_chart(table),
        "note": table.note,
        "table_names": [(name, table_label(name)) for name in tables_of(found.runs)],
        "formats": FILE_FORMATS + (PICTURE if has_picture(table) else ()),
        "can_see_answers": found.method != TRANSLATION and _may_see_answers(user, found.runs),
    }
    return render(request, "evaluation/comparisons/comparison.html", context)


@require_safe
def comparison_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One table as a file, with the numbers of the page."""
    refuse_unknown_filters(request.GET, ("runs", "table", "method"))
    user = current_user(request)
    project = project_for(user, slug, "evaluation.view_runs")
    found = _compared(request, user, project)
    table = with_unfinished(table_of(request.GET.get("table", ""), found), found)
    file = file_of(table, name, stem=f"{slug}-{table.name}")
    response = HttpResponse(file.text, content_type=f"{file.media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


@require_safe
def flip_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The items that the first two runs answer differently, for those who may see the answers."""
    query = request.GET
    found = comparison_with_answers(
        current_user(request), slug, query.get("runs", ""), query.get("method", "")
    )
    context = {
        "project": found.runs[0].release.project,
        "section": "runs",
        **_choices(found),
        "page": flips(found, page=page_number(query.get("page", ""))),
    }
    return render(request, "evaluation/comparisons/flips.html", context)


@require_safe
def answer_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The answers of the runs to one item side by side, for those who may see all of it."""
    query = request.GET
    found = comparison_with_answers(
        current_user(request), slug, query.get("runs", ""), query.get("method", "")
    )
    placed, replies = replies_to(found, query.get("uid", ""))
    labels = {run.pk: label for label, run in zip(run_labels(found.runs), found.runs, strict=True)}
    context = {
        "project": found.runs[0].release.project,
        "section": "runs",
        **_choices(found),
        "item": placed,
        "options": [(letter_of(at), text) for at, text in enumerate(placed.revision.options)],
        "replies": [(labels[one.run], one) for one in replies],
    }
    return render(request, "evaluation/comparisons/answers.html", context)


def _compared(request: HttpRequest, user: User, project: Project) -> Comparison:
    """Read `runs` as “3,7”, or as the page to choose sends it: one field for each run."""
    runs = runs_to_compare(user, project, ",".join(request.GET.getlist("runs")))
    query = request.GET
    _table, method = table_and_method(query.get("table", ""), query.get("method", ""))
    return comparison_of(runs, method, user)


def _choices(found: Comparison) -> dict[str, Any]:
    is_published = all(run.is_published for run in found.runs)
    if found.method == TRANSLATION:
        methods = [(TRANSLATION, method_texts(TRANSLATION, is_published=False).label)]
    else:
        methods = [
            *(
                (name, method_texts(name, is_published=is_published).label)
                for name in shared_methods(found.runs)
            ),
            (OWN, method_text(OWN)),
        ]
    return {
        "runs": found.runs,
        "numbers": ",".join(str(run.pk) for run in found.runs),
        "labels": list(zip(run_labels(found.runs), found.runs, strict=True)),
        "method": found.method,
        "methods": methods,
        "shared": len(found.items),
        "unfinished": unfinished_note(found),
    }


def _may_see_answers(user: User, runs: tuple[Run, ...]) -> bool:
    projects = {run.release.project_id: run for run in runs}
    return all(user.has_perm("evaluation.view_responses", run) for run in projects.values())
