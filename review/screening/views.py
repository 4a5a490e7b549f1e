"""The page that compares screens with experts, and where their thresholds are chosen."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from annotation.enums import Screen
from annotation.screening.actions import SCREENING, choose_threshold
from annotation.screening.queries import thresholds
from common.errors import DomainError
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from review.figures.calibration import thinned
from review.screening.forms import ThresholdForm
from review.screening.queries import calibrations

STEP = 0.05
DOUBTED = 200


@require_http_methods(["GET", "HEAD", "POST"])
def calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """Show precision and recall of each screen; posting chooses the threshold of one screen."""
    user = current_user(request)
    if request.method != "POST":
        return _page(request, project_for(user, slug, SCREENING.view), ThresholdForm(), 200)
    project = project_for(user, slug, SCREENING.manage)
    form = ThresholdForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form, 400)
    try:
        choose_threshold(project=project, actor=user, now=timezone.now(), **form.cleaned_data)
    except DomainError as error:
        show_refusal(form, error)
        return _page(request, project, form, error.status)
    messages.success(request, _("You have chosen the threshold."))
    return redirect("review:screen-calibration", slug)


def _page(request: HttpRequest, project: Project, form: ThresholdForm, status: int) -> HttpResponse:
    user, chosen = current_user(request), thresholds(project)
    context = {
        "project": project,
        "section": "items",
        "form": form,
        "found": [
            (Screen(each.screen).label, each, thinned(each.points, STEP))
            for each in calibrations(project)
        ],
        "thresholds": [(screen, label, chosen.get(screen)) for screen, label in Screen.choices],
        "doubted": DOUBTED,
        "can_manage": user.has_perm(SCREENING.manage, project),
        "can_open_round": user.has_perm("review.open_round", project),
    }
    return render(request, "review/screening/calibration.html", context, status=status)
