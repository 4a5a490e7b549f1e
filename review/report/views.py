"""The report: figures of every stage with charts, as files, and the figures of reviewers."""

import json
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.charts import BarChart
from common.figure_tables import TableFile, table_file
from common.filters import refuse_unknown_filters
from common.pagination import listed_page
from projects.models import Project
from projects.selectors import project_for
from review.figures.presenters import table_views
from review.guidelines import labels as guidelines_labels
from review.report import labels
from review.report.actions.reliability import start_reliability, waiting_job
from review.report.charts import approval_chart, cumulative_chart, group_chart, rating_chart
from review.report.kept import kept_minutes
from review.report.peer_presenters import common_item, pair_matrix, questions_about
from review.report.peer_queries import (
    are_peers_at_hand,
    common_panels,
    differing,
    latest_reliability,
    reviewer_tables,
)
from review.report.queries import closed_rounds, report
from review.report.rows import GroupFigures, Report
from review.report.selectors import closed_round_number, open_round_of, told_as_of
from review.report.tables import (
    NAMED,
    PUBLIC,
    make_tables,
    report_json,
    report_stem,
    report_table,
    reviewers_table,
    systems_table,
)

REPORT_FORMATS = [("csv", "CSV"), ("latex", "LaTeX"), ("markdown", "Markdown"), ("json", "JSON")]
LONGEST_CHART = 30


@require_safe
def report_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Every table that names nobody, with charts, as of now or of a closed round."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_report")
    as_of = _as_of(request, project)
    told = told_as_of(user, project, as_of)
    found = report(project, as_of=told)
    sections = _sections(project, found)
    context = {
        "project": project,
        "section": "report",
        "as_of": as_of,
        "closed_rounds": closed_rounds(project),
        "sections": sections,
        "charts": _charts(found) if found.stages else [],
        "report_formats": REPORT_FORMATS,
        "is_empty": not sections,
        "figures_wait": told != as_of,
        "kept_minutes": None if as_of else kept_minutes(open_round_of(project)),
        "can_see_reviewers": user.has_perm("review.view_reviewers", project),
    }
    return render(request, "review/report/report.html", context)


@require_safe
def report_file(request: HttpRequest, slug: str, table: str, name: str) -> HttpResponse:
    """One table of the report as a file; those of reviewers are for managers."""
    user = current_user(request)
    right = "review.view_reviewers" if table in NAMED else "review.view_report"
    project = project_for(user, slug, right)
    refuse_unknown_filters(request.GET, ["as-of"])
    as_of = told_as_of(user, project, _as_of(request, project))
    stem = report_stem(slug, table, as_of)
    if name == "json":
        data = report_json(project, table=table, as_of=as_of, is_named=table in NAMED)
        text = json.dumps(data, ensure_ascii=False)
        file = TableFile(text, "application/json", f"{stem}.json")
    else:
        file = table_file(make_tables(project, [table], as_of=as_of), name, stem=stem)
    response = HttpResponse(file.text, content_type=f"{file.media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


@require_safe
def reviewers_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures of reviewers, the agreement of pairs, and what their manager might ask about.

    Judgements of a large round take seconds to count. Where nobody has asked for them lately, the
    page comes without those figures and asks for them itself, with `counted`.
    """
    project = project_for(current_user(request), slug, "review.view_reviewers")
    as_of = _as_of(request, project)
    is_counting = "counted" not in request.GET and not are_peers_at_hand(project, as_of=as_of)
    context = {
        "project": project,
        "section": "report",
        "as_of": as_of,
        "closed_rounds": closed_rounds(project),
        "job": waiting_job(project),
        "is_counting": is_counting,
    }
    if is_counting:
        context["reliability"] = latest_reliability(project, as_of=as_of)
    else:
        context |= _reviewer_context(project, as_of)
    return render(request, "review/report/reviewers.html", context)


def _reviewer_context(project: Project, as_of: int | None) -> dict[str, Any]:
    tables = reviewer_tables(project, as_of=as_of)
    return {
        "report_formats": REPORT_FORMATS,
        "reviewers": table_views(reviewers_table(tables)),
        "matrix": pair_matrix(project.slug, tables),
        "questions": questions_about(project.slug, tables),
        "reliability": tables.reliability,
        "has_verdicts": bool(tables.reviewers),
        "kept_minutes": None if as_of else kept_minutes(open_round_of(project)),
    }


@require_safe
def pair_page(request: HttpRequest, slug: str, first: int, second: int) -> HttpResponse:
    """The items that two people judged, with what each said."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_reviewers")
    people = [get_object_or_404(User, pk=pk) for pk in (first, second)]
    panels = common_panels(project, *people)
    only_differing = request.GET.get("differing") == "1"
    rows = differing(panels) if only_differing else panels
    page = listed_page(request, rows, filters=["differing"], order=["-pk"])
    context = {
        "project": project,
        "section": "report",
        "people": people,
        "page": page,
        "rows": [common_item(slug, panel) for panel in page.rows],
        "only_differing": only_differing,
    }
    return render(request, "review/report/pair.html", context)


@require_POST
def estimate_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Start the job that estimates reliability."""
    user = current_user(request)
    project = project_for(user, slug, "review.estimate_reliability")
    start_reliability(project=project, actor=user, now=timezone.now())
    messages.success(request, _("The estimate is running. This page shows it when it is done."))
    return redirect("review:reviewers", slug)


def _as_of(request: HttpRequest, project: Project) -> int | None:
    """The round that figures are asked for as of. Raises what `closed_round_number` raises."""
    asked = request.GET.get("as-of", "")
    if not asked:
        return None
    number = int(asked) if asked.isdecimal() and len(asked) < 6 else 0
    return closed_round_number(project, number)


def _sections(project: Project, report: Report) -> list[dict[str, Any]]:
    """The tables with their charts; those of a single subject or system say nothing by bars."""
    sections = []
    for name in PUBLIC:
        if name in ("systems", "candidates") and project.is_monolingual:
            continue
        table = systems_table(project, report) if name == "systems" else report_table(report, name)
        if views := table_views(table):
            is_of_stage = any(column.name == "stage" for column in table.columns)
            chart, label = _group_chart(report, name) if is_of_stage else (None, "")
            sections.append({"name": name, "tables": views, "chart": chart, "label": label})
    return sections


def _group_chart(report: Report, name: str) -> tuple[BarChart | None, str]:
    """The chart of the latest stage that has such groups, and what it shows."""
    groups: dict[str, Sequence[GroupFigures]] = {
        "systems": report.systems,
        "subjects": report.subjects,
        "categories": report.categories,
    }
    rows = groups.get(name, ())
    latest = [each for each in rows if each.setup == rows[-1].setup]
    if not 1 < len(latest) <= LONGEST_CHART:
        return None, ""
    label = _("Final approval, %(stage)s") % {"stage": labels.stage_name(latest[0].stage)}
    return group_chart(latest), label


def _charts(report: Report) -> list[tuple[str, BarChart | None]]:
    """Approval, cumulative approval and the rating of each criterion, by stage."""
    stages = report.stages
    ratings = [
        (guidelines_labels.criterion_label(each), rating_chart(stages, each))
        for each in report.rated
    ]
    return [
        (_("Final approval, %"), approval_chart(stages)),
        (_("Final approval of all items so far, %"), cumulative_chart(stages)),
        *ratings,
    ]
