"""The page of the Min-k % test of a run, and its figures as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.errors import DomainError
from common.figure_tables import FORMATS, table_file
from evaluation.contamination.actions import start_min_k
from evaluation.contamination.forms import MinKForm, min_k_initial
from evaluation.contamination.queries import min_k_figures, min_k_of
from evaluation.contamination.selectors import get_min_k
from evaluation.contamination.tables import comparison_table, min_k_tables, subjects_table
from evaluation.items.selectors import reference_release
from evaluation.models import Run
from evaluation.selectors import run_for
from jobs.queries import is_worth_resuming
from review.figures.presenters import table_views

VIEW, TEST = "evaluation.view_run", "evaluation.test_min_k"
READ = "evaluation.view_responses"
FILE_FORMATS = (("csv", "CSV"), ("latex", "LaTeX"), ("markdown", "Markdown"))


@require_http_methods(["GET", "HEAD", "POST"])
def min_k(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the figures of the test, and the form that starts it; posting it does."""
    user = current_user(request)
    run = run_for(user, slug, pk, TEST if request.method == "POST" else VIEW)
    form = MinKForm(request.POST or None, initial=min_k_initial(min_k_of(run)))
    if not form.is_valid():
        return _page(request, run, form, status=400 if form.is_bound else 200)
    try:
        _start(user, run, form)
    except DomainError as error:
        form.add_error(None, error.in_full())
        return _page(request, run, form, status=error.status)
    return redirect("evaluation:min-k", slug, pk)


@require_safe
def min_k_file(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponse:
    """The figures and the values of each text as a file, for those who may see responses."""
    run = run_for(current_user(request), slug, pk, READ)
    if name not in FORMATS:
        raise Http404
    file = table_file(min_k_tables(get_min_k(run)), name, stem=f"{slug}-run-{run.pk}-min-k")
    response = HttpResponse(file.text, content_type=f"{file.media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


def _start(user: User, run: Run, form: MinKForm) -> None:
    name, texts = form.cleaned_data["control"], form.cleaned_data["texts"]
    control = reference_release(run.release.project, name, user=user) if name else None
    start_min_k(
        run=run, control=control, texts=[texts], settings=form.settings(), actor=user,
        now=timezone.now(),
    )  # fmt: skip


def _page(request: HttpRequest, run: Run, form: MinKForm, *, status: int) -> HttpResponse:
    user, test = current_user(request), min_k_of(run)
    can_test = user.has_perm(TEST, run)
    figures = min_k_figures(test) if test else None
    tables = [comparison_table(test, figures), subjects_table(figures)] if test and figures else []
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "test": test,
        "figures": figures,
        "tables": [(view, table.note) for table in tables for view in table_views(table)],
        "formats": FILE_FORMATS if user.has_perm(READ, run) else (),
        "form": form,
        "can_test": can_test,
        "can_resume": can_test and test is not None and is_worth_resuming(test.job),
    }
    return render(request, "evaluation/contamination/min_k.html", context, status=status)
