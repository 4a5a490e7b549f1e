"""Starts, resumes and cancels screening jobs, and writes what a model says of each item."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from annotation.asking.actions import (
    INSERT_BATCH,
    AskingSettings,
    queue_asking,
    settings_faults,
)
from annotation.asking.kinds import AskingKind
from annotation.asking.queries import Estimate
from annotation.enums import OpinionState, Screen
from annotation.models import Opinion, ScreeningJob, ScreenThreshold
from annotation.screening.queries import (
    TASKS,
    Chosen,
    choose_opinions,
    estimate_screening,
    thresholds,
)
from annotation.screening.screens import Read
from common.errors import DomainError
from endpoints.connections import check_usable
from endpoints.specs.actions import check_answers_prompts, check_not_retired
from projects.locks import lock_project
from projects.models import Project


class ScreeningInvalid(DomainError):
    code = "screening_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class NothingToScreen(DomainError):
    code = "nothing_to_screen"
    detail = gettext_lazy(
        "No item of this selection can be screened. Each is excluded, hidden from this endpoint, or "
        "lacks what the screens look at: options, or a translation. Choose other items or screens."
    )


class ScreeningUnderway(DomainError):
    code = "screening_underway"
    detail = gettext_lazy(
        "A screening job of the model “%(model)s” is already in progress. Wait for it, or cancel it."
    )


class ScreeningComplete(DomainError):
    code = "screening_complete"
    detail = gettext_lazy("This job is complete: every question has an opinion or its reason.")


class ThresholdInvalid(DomainError):
    code = "threshold_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


SCREENING: Final = AskingKind(
    name="screening",
    key="screening",
    jobs=ScreeningJob.objects.select_related(
        "project", "job", "model_spec__endpoint", "started_by"
    ),
    rows="opinions",
    reason="words",
    data="data",
    alone="model_spec__name",
    word="model",
    invalid=ScreeningInvalid,
    underway=ScreeningUnderway,
    complete=ScreeningComplete,
    view="annotation.view_screenings",
    manage="annotation.screen_items",
    page="annotation:screening",
    page_list="annotation:screenings",
    templates="annotation/screening",
    title=gettext_lazy("Screening"),
    start_title=gettext_lazy("Screen items"),
    progress_title=gettext_lazy("Questions asked"),
    unit_title=gettext_lazy("Questions"),
    prompt_title=gettext_lazy("Prompts of screens"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningSettings(AskingSettings):
    """Which model answers which screens."""

    screens: tuple[str, ...]


def estimate_of(*, project: Project, settings: ScreeningSettings) -> Estimate:
    """Return what a job would take, without writing. Raises what `start_screening` raises of settings."""
    chosen = _choose(project, settings)
    return estimate_screening(project, chosen, settings.model, is_from_file=settings.is_held)


def start_screening(
    *, project: Project, settings: ScreeningSettings, actor: User | None, now: datetime
) -> ScreeningJob:
    """Queue or hold a job. Writes its job with an audit row, its row, and an open opinion for each question.

    Hidden items are left out unless the project allows their text at the endpoint. Raises
    ScreeningInvalid, NothingToScreen, ScreeningUnderway, EndpointNotAllowed, EndpointClosed,
    ModelRetired.
    """
    chosen, model = _choose(project, settings), settings.model
    if not chosen.questions:
        raise NothingToScreen
    started = ScreeningJob(project=project, started_by=actor, started_at=now, **settings.columns())
    params = {
        "model": model.name, "model_revision": model.revision, "screens": [*settings.screens],
    }  # fmt: skip
    with transaction.atomic():
        queue_asking(SCREENING, started, params=params, is_held=settings.is_held)
        prompts = {each: TASKS[each].ensure(project, now=now) for each in settings.screens}
        Opinion.objects.bulk_create(
            [
                Opinion(
                    screening_job=started, item_id=each.item, revision_id=each.revision,
                    screen=each.screen, prompt_template=prompts[each.screen],
                )
                for each in chosen.questions
            ],
            batch_size=INSERT_BATCH,
        )  # fmt: skip
    return started


@transaction.atomic
def choose_threshold(
    *, project: Project, screen: str, confidence: float | None, actor: User | None, now: datetime
) -> None:
    """Say from which confidence on doubts of a screen count, with an audit row; None: all count.

    Choosing the same again changes nothing. Raises ThresholdInvalid.
    """
    if screen not in Screen.values:
        raise ThresholdInvalid(
            fields={"screen": [_("Choose one of: %s.") % ", ".join(Screen.values)]}
        )
    if confidence is not None and not 0 <= confidence <= 1:
        raise ThresholdInvalid(fields={"confidence": [_("Enter a number from 0 to 1.")]})
    lock_project(project.pk)
    if thresholds(project).get(screen) == confidence:
        return
    if confidence is None:
        ScreenThreshold.objects.filter(project=project, screen=screen).delete()
    else:
        ScreenThreshold.objects.update_or_create(
            project=project, screen=screen, defaults={"confidence": confidence}
        )
    record_event(
        actor=actor, verb="screening.threshold_chosen", target=f"project:{project.pk}",
        scope=project.slug, data={"screen": screen, "confidence": confidence}, now=now,
    )  # fmt: skip


def give_opinion(*, opinion: Opinion, read: Read) -> None:
    """Store an opinion as it was read, if it is still open."""
    Opinion.objects.filter(pk=opinion.pk, state=OpinionState.OPEN).update(
        state=OpinionState.DOUBT if read.is_doubt else OpinionState.FINE,
        confidence=read.confidence, words=read.reason, data=dict(read.data),
    )  # fmt: skip


def _choose(project: Project, settings: ScreeningSettings) -> Chosen:
    _check_settings(project, settings)
    return choose_opinions(project, settings.screens, settings.selection, settings.model)


def _check_settings(project: Project, settings: ScreeningSettings) -> None:
    faults = settings_faults(settings)
    known = set(Screen.values)
    if not settings.screens or not known.issuperset(settings.screens):
        faults["screens"] = [_("Choose one or more of: %s.") % ", ".join(Screen.values)]
    if faults:
        raise ScreeningInvalid(fields=faults)
    check_answers_prompts(settings.model)
    check_not_retired(settings.model)
    check_usable(settings.model.endpoint, project)
