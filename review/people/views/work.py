"""The page of one's own judgements, and its downloads."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.rules import current_user
from common.downloads import csv_lines, json_lines
from common.filters import refuse_filter_faults
from common.pagination import listed_page
from projects.models import Project
from projects.queries import printed_names_of
from review.people import answer_work
from review.people.answer_work import answer_work_rows, answers_by, months_of_all, projects_of_work
from review.people.charts import agreement_chart
from review.people.forms import AnswerWorkFilterForm, WorkFilterForm
from review.people.labels import duration_text
from review.people.statements import own_statements
from review.people.work import MonthOfWork, work_of
from review.people.work_rows import work_card, work_csv, work_rows
from review.screening.opinions import opinions_after_verdict

Form = TypeVar("Form", bound=WorkFilterForm)
VIEW_ITEMS = "annotation.view_items"
PAGE_SIZE = 20
STATEMENTS_SHOWN = 24


@require_safe
def my_work(request: HttpRequest) -> HttpResponse:
    """One's judgements, newest first, with what became of each."""
    user = current_user(request)
    form = _form(WorkFilterForm, request, user)
    is_valid = form.is_valid()
    wanted = form.wanted()
    page = listed_page(
        request, work_of(user, wanted), filters=form.fields, order=["-pk"], size=PAGE_SIZE
    )
    query = request.GET.copy()
    query.pop("cursor", None)
    opinions = opinions_after_verdict(page.rows)
    context = {
        "form": form,
        "page": page,
        "cards": [work_card(row, opinions.get(row.pk, ())) for row in page.rows],
        "closed_projects": _closed(user, (row.panel.round.project for row in page.rows)),
        "printed_names": printed_names_of(user),
        "statements": own_statements(user)[:STATEMENTS_SHOWN],
        "filter_query": query.urlencode(),
        "is_filtered": any(form.cleaned_data.values()),
    }
    context |= _totals(months_of_all(user, wanted))
    return render(request, "review/people/my_work.html", context, status=200 if is_valid else 400)


def _closed(user: User, projects: Iterable[Project]) -> set[int]:
    """Those of the projects whose items `user` may not open now: a round hides what they hold."""
    each_once = {project.pk: project for project in projects}
    return {pk for pk, each in each_once.items() if not user.has_perm(VIEW_ITEMS, each)}


def _form(kind: type[Form], request: HttpRequest, user: User) -> Form:
    """The filter in the address, which may name any project of the user's."""
    asked = request.GET.get("project", "")
    return kind(request.GET, projects=projects_of_work(user, asked=asked))


@require_safe
def my_work_file(request: HttpRequest, name: str) -> StreamingHttpResponse:
    """Everything that the filter shows, as CSV or JSON lines."""
    user = current_user(request)
    form = _form(WorkFilterForm, request, user)
    refuse_filter_faults(form)
    work = work_of(user, form.wanted())
    lines = work_csv(work) if name == "csv" else json_lines(work_rows(work))
    return _file(lines, f"my-work.{name}")


@require_safe
def my_answers(request: HttpRequest) -> HttpResponse:
    """One's answers in comparisons and solving rounds, newest first, with what became of each."""
    user = current_user(request)
    form = _form(AnswerWorkFilterForm, request, user)
    is_valid = form.is_valid()
    page = listed_page(
        request,
        answers_by(user, form.wanted()),
        filters=form.fields,
        order=["-pk"],
        size=PAGE_SIZE,
    )
    query = request.GET.copy()
    query.pop("cursor", None)
    cards = answer_work.answer_cards(user, page.rows)
    context = {
        "form": form,
        "page": page,
        "cards": [(card, answer_work.outcome_words(card)) for card in cards],
        "filter_query": query.urlencode(),
        "is_filtered": any(form.cleaned_data.values()),
    }
    return render(
        request, "review/people/my_answers.html", context, status=200 if is_valid else 400
    )


@require_safe
def my_answers_file(request: HttpRequest, name: str) -> StreamingHttpResponse:
    """All answers that the filter shows, as CSV or JSON lines."""
    user = current_user(request)
    form = _form(AnswerWorkFilterForm, request, user)
    refuse_filter_faults(form)
    rows = answer_work_rows(user, answers_by(user, form.wanted()))
    lines = csv_lines(answer_work.COLUMNS, rows) if name == "csv" else json_lines(rows)
    return _file(lines, f"my-answers.{name}")


def _file(lines: Iterable[str], name: str) -> StreamingHttpResponse:
    kind = "text/csv" if name.endswith(".csv") else "application/jsonl"
    response = StreamingHttpResponse(lines, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _totals(months: Sequence[MonthOfWork]) -> dict[str, Any]:
    """What the page says above the judgements: of all months together, and of each, newest first."""
    return {
        "months": [(month, duration_text(month.active_seconds)) for month in reversed(months)],
        "judgements": sum(month.judgements for month in months),
        "answers": sum(month.answers for month in months),
        "agreement": _agreement(months),
        "time": duration_text(sum(month.active_seconds for month in months)),
        "chart": agreement_chart(months),
    }


def _agreement(months: Sequence[MonthOfWork]) -> float | None:
    """In per cent of what was decided."""
    decided = sum(month.decided for month in months)
    return 100 * sum(month.agreed for month in months) / decided if decided else None
