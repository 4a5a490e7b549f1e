"""Rounds: the list, one round's figures, opening and closing, and the guideline."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.access import project_for
from annotation.forms.projects import show_refusal
from annotation.models import Project
from common.errors import DomainError
from common.markdown import to_html
from review import queries, words
from review.actions.rounds import close_round, create_guideline, open_round
from review.charts import approval_chart, rating_chart
from review.default_guideline import DEFAULT_RUBRIC, DEFAULT_TEXT
from review.figures import StageFigures
from review.forms import GuidelineForm, OpenRoundForm
from review.lookups import get_round
from review.report_formats import as_csv, as_latex, as_markdown

FORMATS = {
    "csv": (as_csv, "text/csv"),
    "latex": (as_latex, "application/x-tex"),
    "markdown": (as_markdown, "text/markdown"),
}
SUFFIXES = {"csv": "csv", "latex": "tex", "markdown": "md"}


@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    """The stage table over all rounds, the first stage by translation system, and what to do."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_rounds")
    stages = queries.stage_table(project)
    current = queries.open_round_of(project)
    context = {
        "project": project,
        "section": "rounds",
        "current": current,
        "progress": queries.round_progress(current) if current else None,
        "stages": _linked(slug, stages),
        "systems": [(row.system, row.figures, "") for row in queries.system_table(project)],
        "report_formats": [("csv", "CSV"), ("latex", "LaTeX"), ("markdown", "Markdown")],
        "approval_chart": approval_chart(stages),
        "domain_chart": rating_chart(stages, "domain"),
        "cultural_chart": rating_chart(stages, "cultural"),
        "can_judge": bool(current) and user.has_perm("review.claim_seat", current),
        "can_open": user.has_perm("review.open_round", project),
    }
    return render(request, "review/rounds.html", context)


@require_safe
def round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "review.view_rounds")
    round_ = get_round(project, min(number, 2**15))
    figures = queries.round_figures(round_)
    context = {
        "project": project,
        "section": "rounds",
        "round": round_,
        "progress": queries.round_progress(round_),
        "stage": words.stage_rows([figures])[0],
        "stages": [(words.stage_name(figures.number), figures, "")],
        "subjects": [(row.name, row.figures, "") for row in queries.subject_table(round_)],
        "can_judge": user.has_perm("review.claim_seat", round_),
        "can_close": user.has_perm("review.close_round", project),
        "can_settle": user.has_perm("review.view_disputes", project),
    }
    return render(request, "review/round.html", context)


@require_http_methods(["GET", "POST"])
def open_round_page(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "review.open_round")
    form = OpenRoundForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            round_ = open_round(
                project=project, settings=form.settings(), actor=user, now=timezone.now()
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("The round is open."))
            return redirect("review:round", slug, round_.number)
    context = {
        "project": project,
        "section": "rounds",
        "form": form,
        "counts": queries.selection_counts(project),
        "judges": queries.judge_count(project),
    }
    status = 400 if form.is_bound else 200
    return render(request, "review/open_round.html", context, status=status)


@require_POST
def close_round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "review.close_round")
    round_ = get_round(project, min(number, 2**15))
    close_round(round_=round_, actor=user, now=timezone.now())
    messages.success(request, _("The round is closed and its figures are frozen."))
    return redirect("review:round", slug, number)


@require_safe
def report_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The stage table, or the table of systems, as a file."""
    project = project_for(current_user(request), slug, "review.view_report")
    write, media_type = FORMATS[name]
    is_systems = request.GET.get("table") == "systems"
    if is_systems:
        rows = words.system_rows(queries.system_table(project))
    else:
        rows = words.stage_rows(queries.stage_table(project))
    text = write(rows, words.report_words(_("System") if is_systems else ""))
    name = f"{project.slug}-{'systems' if is_systems else 'stages'}.{SUFFIXES[name]}"
    response = HttpResponse(text, content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_http_methods(["GET", "POST"])
def guideline(request: HttpRequest, slug: str) -> HttpResponse:
    """The guideline in force; managers write the next version."""
    user = current_user(request)
    project = project_for(user, slug, "review.view_rounds")
    current = project.guidelines.order_by("-version").first()
    if request.method == "POST":
        project_for(user, slug, "review.change_guideline")
    form = GuidelineForm(request.POST or None, initial=_guideline_texts(current))
    if request.method == "POST" and _is_saved(form, project, user):
        messages.success(request, _("The new version holds from the next round on."))
        return redirect("review:guideline", slug)
    context = {
        "project": project,
        "section": "rounds",
        "guideline": current,
        "html": to_html(_guideline_texts(current)["text"]),
        "rubric": _rubric_rows(current),
        "form": form,
        "can_change": user.has_perm("review.change_guideline", project),
    }
    return render(request, "review/guideline.html", context, status=400 if form.is_bound else 200)


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


def _linked(slug: str, stages: list[StageFigures]) -> list[tuple[str, StageFigures, str]]:
    """Rows of the stage table: name, figures, address of the round."""
    return [
        (words.stage_name(each.number), each, reverse("review:round", args=[slug, each.number + 1]))
        for each in stages
    ]


def _guideline_texts(current: Any) -> dict[str, str]:
    rubric = current.rubric if current else DEFAULT_RUBRIC
    return {
        "text": current.text if current else DEFAULT_TEXT,
        "domain": "\n".join(rubric["domain"]),
        "cultural": "\n".join(rubric["cultural"]),
    }


def _rubric_rows(current: Any) -> list[tuple[int, str, str]]:
    rubric = current.rubric if current else DEFAULT_RUBRIC
    pairs = zip(rubric["domain"], rubric["cultural"], strict=True)
    return [(number, domain, cultural) for number, (domain, cultural) in enumerate(pairs)]
