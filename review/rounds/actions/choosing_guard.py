"""Keeps choices of texts, batch repairs and the opening of a round apart: of these, one goes on.

Each locks the project's row before it looks, so of two that begin at once the second is refused.
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
REPAIR_KIND = "text-repair"
REPAIR_UNDO_KIND = "text-repair-undo"


class TextsBeingChosen(DomainError):
    code = "texts_being_chosen"
    detail = _(
        "Job %(job)s is choosing texts of this project. Wait until it is done, or cancel it, then "
        "try again."
    )


class TextsBeingRepaired(DomainError):
    code = "texts_being_repaired"
    detail = _(
        "Job %(job)s is repairing texts of this project. Wait until it is done, or cancel it, then "
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
    """Let nobody else choose or repair texts, or open a round, until the caller's transaction ends.

    `job` is the caller's own. Raises TextsBeingChosen, TextsBeingRepaired, RoundBeingOpened.
    """
    refuse_while_choosing(project, besides=job)
    opening = Round.objects.filter(project=project, state=RoundState.OPENING).first()
    if opening:
        raise RoundBeingOpened(number=opening.number)


@transaction.atomic
def refuse_while_choosing(project: Project, *, besides: Job | None = None) -> None:
    """Lock the project and refuse if a job other than `besides` chooses or repairs texts.

    Raises TextsBeingChosen, TextsBeingRepaired.
    """
    lock_project(project.pk)
    for refusal, running in (
        (TextsBeingChosen, running_choice(project, besides=besides)),
        (TextsBeingRepaired, running_repair(project, besides=besides)),
    ):
        if running:
            raise refusal(job=running.pk, current={"job": running.pk})


def running_choice(project: Project, *, besides: Job | None = None) -> Job | None:
    """The job that chooses texts of a project or undoes a choice, waiting or running."""
    return _running((CHOOSING_KIND, UNDOING_KIND), project, besides)


def running_repair(project: Project, *, besides: Job | None = None) -> Job | None:
    """The job that repairs texts of a project or undoes a batch repair, waiting or running."""
    return _running((REPAIR_KIND, REPAIR_UNDO_KIND), project, besides)


def _running(kinds: tuple[str, str], project: Project, besides: Job | None) -> Job | None:
    rows = Job.objects.filter(kind__in=kinds, scope=project.slug)
    rows = rows.exclude(state__in=ENDED_JOB_STATES)
    if besides:
        rows = rows.exclude(pk=besides.pk)
    return rows.order_by("pk").first()
