"""Estimating how reliable reviewers are, as a job; each estimate is a new row."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from jobs.actions import create_job
from jobs.enums import ENDED_JOB_STATES
from jobs.models import Job
from jobs.progress import Progress
from projects.locks import lock_project
from projects.models import Project
from projects.selectors import get_project
from review.enums import RoundState
from review.figures.reliability import fit_reliability
from review.models import ReliabilityEstimate
from review.outcomes import VERDICTS
from review.report.peer_queries import told_verdicts

RELIABILITY_KIND = "reviewer-reliability"
LEAST_VERDICTS = 30


class ReliabilityRunning(DomainError):
    code = "reliability_running"
    detail = _("An estimate is already running. Wait until it is done.")


class TooFewVerdicts(DomainError):
    code = "too_few_verdicts"
    detail = _("There are %(count)s judgements to compare. The estimate needs at least %(least)s.")


@transaction.atomic
def start_reliability(*, project: Project, actor: User | None, now: datetime) -> Job:
    """Queue the estimate for a project; the job writes one `ReliabilityEstimate`.

    Raises ReliabilityRunning while another is waiting or running.
    """
    lock_project(project.pk)  # of two at once, the second finds the job of the first
    if waiting_job(project) is not None:
        raise ReliabilityRunning
    return create_job(kind=RELIABILITY_KIND, scope=project.slug, params={}, actor=actor, now=now)


def waiting_job(project: Project) -> Job | None:
    """The estimate of a project that is waiting or running, if one is."""
    rows = Job.objects.filter(kind=RELIABILITY_KIND, scope=project.slug)
    return rows.exclude(state__in=ENDED_JOB_STATES).order_by("-pk").first()


def perform_reliability(job: Job, progress: Progress) -> dict[str, Any]:
    """Fit the model to the verdicts of all decided panels and store what it says.

    The job is the key of the row: run again, it writes none. Raises TooFewVerdicts.
    """
    if ReliabilityEstimate.objects.filter(job=job).exists():
        return {}
    progress.start(1)
    estimate = estimate_reliability(project=get_project(job.scope), job=job, now=timezone.now())
    return {"judgements": estimate.content["judgements"]}


def estimate_reliability(
    *, project: Project, job: Job | None, now: datetime
) -> ReliabilityEstimate:
    """Fit the model now and store it. Raises TooFewVerdicts."""
    as_of = project.rounds.filter(judged_count__gt=0).order_by("-number").first()
    rows = list(told_verdicts(project))
    if as_of is None or len(rows) < LEAST_VERDICTS:
        raise TooFewVerdicts(count=len(rows), least=LEAST_VERDICTS)
    items, reviewers, verdicts = zip(*rows, strict=True)
    answers = [VERDICTS.index(verdict) for verdict in verdicts]
    found = fit_reliability(items, reviewers, answers, class_count=len(VERDICTS))
    return ReliabilityEstimate.objects.create(
        project=project,
        job=job,
        as_of=as_of.number,
        created_at=now,
        content={
            "judgements": len(rows),
            "items": len(found.classes),
            "is_closed": as_of.state == RoundState.CLOSED,
            "iterations": found.iterations,
            "is_converged": found.is_converged,
            "prevalence": dict(zip(VERDICTS, found.prevalence, strict=True)),
            "reviewers": [asdict(each) for each in found.reviewers],
        },
    )
