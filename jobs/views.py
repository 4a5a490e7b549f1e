"""The page of a job: how far it is, what came of it, and buttons to cancel or resume it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from common.htmx import render_page
from jobs.actions import cancel_job, resume_job
from jobs.enums import JobState
from jobs.kinds import get_kind
from jobs.models import Job
from jobs.queries import is_worker_alive, is_worth_resuming
from jobs.selectors import job_for


@require_safe
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """The page; asked by htmx every two seconds, only the part about the job."""
    user = current_user(request)
    found, scope = job_for(user, pk, "jobs.view_job")
    return render_page(request, "jobs/job.html", _context(user, found, scope), partial="job")


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    found, _scope = job_for(user, pk, "jobs.cancel_job")
    cancel_job(job=found, actor=user, now=timezone.now())
    return redirect("jobs:job", pk)


@require_POST
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a failed or cancelled job back to the queue; what it has done stays done."""
    user = current_user(request)
    found, _scope = job_for(user, pk, "jobs.cancel_job")
    resume_job(job=found, actor=user, now=timezone.now())
    return redirect("jobs:job", pk)


def _context(user: User, found: Job, scope: Any) -> dict[str, Any]:
    """What the page shows of every job, and under the names of its kind what that adds."""
    now = timezone.now()
    kind = get_kind(found.kind)
    page = kind.page(user, found, scope)
    return {
        **page.context,
        "project": scope,
        "section": kind.section,
        "job": found,
        "title": found.title,
        "heading": page.heading or found.title,
        "warning": page.warning if found.state == JobState.DONE else None,
        "breadcrumbs": page.breadcrumbs,
        "links": page.links,
        "result_template": kind.template,
        "seconds_left": found.seconds_left(now),
        "is_worker_alive": is_worker_alive(now=now, queue=kind.queue),
        "can_manage": user.has_perm("jobs.cancel_job", found),
        "can_resume": is_worth_resuming(found),
    }
