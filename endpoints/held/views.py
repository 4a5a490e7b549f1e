"""What people do with the batch files of a job: download, give answers, change the way."""

from decimal import Decimal
from typing import BinaryIO, cast

from django import forms
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from common.errors import DomainError
from endpoints.held.actions import ask_directly, give_answers, held_work, hold_calls
from endpoints.held.files import file_of
from endpoints.held.job_page import page_of
from jobs.selectors import job_for

MANAGE = "jobs.cancel_job"


class HeldBudgetForm(forms.Form):
    """The budget of a job that waits for files; empty leaves it as it is."""

    budget = forms.DecimalField(required=False, max_digits=12, decimal_places=4)


class HeldBudgetInvalid(DomainError):
    code = "held_budget_invalid"
    detail = _("The budget is not valid.")
    status = 400


@require_safe
def download(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Return the calls that the job lacks as a batch file."""
    job, _scope = job_for(current_user(request), pk, MANAGE)
    return file_of(held_work(job))


@require_POST
def answers(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a job of their own store the answers, and show that."""
    user = current_user(request)
    job, _scope = job_for(user, pk, MANAGE)
    files = [(file.name or "", cast(BinaryIO, file)) for file in request.FILES.getlist("file")]
    storing = give_answers(job, files, actor=user, now=timezone.now())
    return redirect("jobs:job", storing.pk)


@require_POST
def hold(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a job wait for batch files, or give a job that waits another budget."""
    user = current_user(request)
    job, scope = job_for(user, pk, MANAGE)
    hold_calls(held_work(job), actor=user, now=timezone.now(), budget=_budget(request))
    return redirect(page_of(user, job, scope))


@require_POST
def end_waiting(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    job, scope = job_for(user, pk, MANAGE)
    ask_directly(job, actor=user, now=timezone.now())
    return redirect(page_of(user, job, scope))


def _budget(request: HttpRequest) -> Decimal | None:
    form = HeldBudgetForm(request.POST)
    if not form.is_valid():
        raise HeldBudgetInvalid(fields={"budget": [str(text) for text in form.errors["budget"]]})
    budget: Decimal | None = form.cleaned_data["budget"]
    return budget
