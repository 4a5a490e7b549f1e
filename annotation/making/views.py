"""The page that makes items of sentences or pairs."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from annotation.making.actions import SHOWN, made_of, start_making
from annotation.making.base import fault_text
from annotation.making.forms import MakingForm
from common.errors import DomainError
from projects.forms import show_refusal
from projects.selectors import project_for


@require_http_methods(["GET", "HEAD", "POST"])
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; posting it shows what would be made, and with `confirm` imports that."""
    user = current_user(request)
    project = project_for(user, slug, "annotation.import_items")
    form = MakingForm(request.POST or None)
    context: dict[str, object] = {"project": project, "section": "items", "form": form}
    if request.method != "POST" or not form.is_valid():
        return _page(request, context, 400 if form.is_bound else 200)
    try:
        if request.POST.get("confirm"):
            started = start_making(
                project=project, settings=form.settings(), actor=user, now=timezone.now()
            )
            return redirect("jobs:job", started.job_id)
        made = made_of(project=project, settings=form.settings())
    except DomainError as error:
        show_refusal(form, error)
        return _page(request, context, error.status)
    context |= {
        "made": made,
        "shown": made.items[:SHOWN],
        "faults": [(fault.line, fault_text(fault, gettext)) for fault in made.faults[:SHOWN]],
    }
    return _page(request, context, 200)


def _page(request: HttpRequest, context: dict[str, object], status: int) -> HttpResponse:
    return render(request, "annotation/making/make.html", context, status=status)
