"""The page of the judge of a run."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from evaluation.audits.queries import method_accuracies
from evaluation.judging.actions import start_judging
from evaluation.judging.estimates import estimate_judging
from evaluation.judging.forms import JudgingForm, judging_initial
from evaluation.judging.queries import judging_figures, judging_of
from evaluation.models import Run
from evaluation.selectors import run_for
from jobs.queries import is_worth_resuming
from projects.forms import show_refusal
from scoring.scorers.judge import SCORER

VIEW, JUDGE = "evaluation.view_run", "evaluation.judge_run"


@require_http_methods(["GET", "HEAD", "POST"])
def judging(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show how far a judge is, and the form that starts it or, with `estimate`, says what that takes."""
    user = current_user(request)
    run = run_for(user, slug, pk, JUDGE if request.method == "POST" else VIEW)
    initial = judging_initial(judging_of(run))
    form = JudgingForm(run, request.POST or None, initial=initial)
    if not form.is_valid():
        return _page(request, run, form, status=400 if form.is_bound else 200)
    asked = {"run": run, "judge": form.cleaned_data["judge"], "settings": form.settings()}
    try:
        if request.POST.get("estimate"):
            return _page(request, run, form, estimate=estimate_judging(**asked))
        start_judging(**asked, actor=user, now=timezone.now())
    except DomainError as error:
        show_refusal(form, error)
        return _page(request, run, form, status=error.status)
    return redirect("evaluation:judging", slug, pk)


def _page(
    request: HttpRequest, run: Run, form: JudgingForm, *, status: int = 200, **more: object
) -> HttpResponse:
    found = judging_of(run)
    can_judge = current_user(request).has_perm(JUDGE, run)
    context = {
        "project": run.release.project,
        "section": "runs",
        "run": run,
        "judging": found,
        "figures": judging_figures(found) if found else None,
        "agreement": method_accuracies(run).get(SCORER.name),
        "form": form,
        "can_judge": can_judge,
        "can_resume": can_judge and found is not None and is_worth_resuming(found.job),
        **more,
    }
    return render(request, "evaluation/judging/judging.html", context, status=status)
