"""Keeps choices of texts and the opening of a round apart: while one goes on, the other waits.

Both lock the project's row before they look, so of two that begin at once the second is refused.
"""

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from jobs.enums import ENDED_JOB_STATES
from jobs.models import Job
from projects.locks import lock_project
from projects.models import Project
from review.enums import RoundState
from review.models import Round

CHOOSING_KIND = "text-choice"
UNDOING_KIND = "text-choice-undo"


class TextsBeingChosen(DomainError):
    code = "texts_being_chosen"
    detail = _(
        "Job %(job)s is choosing texts of this project. Wait until it is done, or cancel it, then "
        "try again."
    )


class RoundBeingOpened(DomainError):
    code = "round_being_opened"
    detail = _(
        "Round %(number)s is being opened, and until then every item keeps its text. Wait until "
        "it is open, or discard it, then try again."
    )


@transaction.atomic
def hold_texts(project: Project, *, job: Job | None = None) -> None:
    """Let nobody else choose texts or open a round until the caller's transaction ends.

    `job` is the caller's own. Raises TextsBeingChosen, RoundBeingOpened.
    """
    refuse_while_choosing(project, besides=job)
    opening = Round.objects.filter(project=project, state=RoundState.OPENING).first()
    if opening:
        raise RoundBeingOpened(number=opening.number)


@transaction.atomic
def refuse_while_choosing(project: Project, *, besides: Job | None = None) -> None:
    """Lock the project and raise TextsBeingChosen if a job other than `besides` chooses texts."""
    lock_project(project.pk)
    running = running_choice(project, besides=besides)
    if running:
        raise TextsBeingChosen(job=running.pk, current={"job": running.pk})


def running_choice(project: Project, *, besides: Job | None = None) -> Job | None:
    """The job that chooses texts of a project or undoes a choice, waiting or running."""
    rows = Job.objects.filter(kind__in=[CHOOSING_KIND, UNDOING_KIND], scope=project.slug)
    rows = rows.exclude(state__in=ENDED_JOB_STATES)
    if besides:
        rows = rows.exclude(pk=besides.pk)
    return rows.order_by("pk").first()
