"""Choosing texts of many items, and undoing that, by a job; of few it is done at once."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation.items.queries import ItemFilter, filtered_items
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project
from review.choosing.actions.choosing import (
    ChoiceFixed,
    Chosen,
    choose_best_ranked,
    choose_system,
    count_given_back,
    is_undoable,
    refuse_unranked,
    texts_of_system,
    undo_choice,
    why_best,
)
from review.models import Round, TextChoice
from review.rounds.actions.choosing_guard import CHOOSING_KIND, UNDOING_KIND, hold_texts
from review.selection.item_choice import NO_FILTER

CHOSEN_AT_ONCE = 3_000
"""The texts of more items are not chosen while somebody waits for an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedTexts:
    """Whose texts to take: the best of a comparison, else a system's for the items of a filter."""

    system: str = ""
    item_filter: ItemFilter = NO_FILTER
    best_of: Round | None = None
    ties_to: str = ""
    is_reviewed_included: bool = False

    def as_params(self) -> dict[str, Any]:
        """As a job stores it."""
        said: dict[str, Any] = {"is_reviewed_included": self.is_reviewed_included}
        if self.best_of:
            return said | {"round": self.best_of.number, "ties_to": self.ties_to}
        return said | {"system": self.system, "item_filter": asdict(self.item_filter)}

    @classmethod
    def from_params(cls, project: Project, params: dict[str, Any]) -> "WantedTexts":
        is_reviewed_included = params["is_reviewed_included"]
        if "round" in params:
            return cls(
                best_of=project.rounds.select_related("project").get(number=params["round"]),
                ties_to=params["ties_to"],
                is_reviewed_included=is_reviewed_included,
            )
        return cls(
            system=params["system"],
            item_filter=ItemFilter(**params["item_filter"]),
            is_reviewed_included=is_reviewed_included,
        )


def choose_or_queue(
    *, project: Project, wanted: WantedTexts, actor: User | None, now: datetime
) -> Chosen | Job:
    """Choose texts, or queue the job that does where there are more than CHOSEN_AT_ONCE items.

    Raises SystemUnknown, NothingRanked, TextsBeingChosen, RoundBeingOpened.
    """
    if _is_much(project, wanted):
        return _queue_choosing(project, wanted, actor, now)
    return choose_wanted(project=project, wanted=wanted, actor=actor, now=now)


def choose_wanted(
    *,
    project: Project,
    wanted: WantedTexts,
    actor: User | None,
    now: datetime,
    is_preview: bool = False,
    choice: TextChoice | None = None,
    progress: Progress | None = None,
) -> Chosen:
    """Choose texts in this process; see `choose_system` and `choose_best_ranked`."""
    how: dict[str, Any] = {
        "is_reviewed_included": wanted.is_reviewed_included,
        "actor": actor,
        "now": now,
        "is_preview": is_preview,
        "choice": choice,
        "progress": progress,
    }
    if wanted.best_of:
        return choose_best_ranked(round_=wanted.best_of, ties_to=wanted.ties_to, **how)
    return choose_system(
        project=project, system=wanted.system, item_filter=wanted.item_filter, **how
    )


def undo_or_queue(*, choice: TextChoice, actor: User | None, now: datetime) -> int | Job:
    """Undo a choice, or queue the job that does where it has more than CHOSEN_AT_ONCE items.

    Raises ChoiceFixed, TextsBeingChosen, RoundBeingOpened.
    """
    if choice.item_count <= CHOSEN_AT_ONCE:
        return undo_choice(choice=choice, actor=actor, now=now)
    return _queue_undoing(choice, actor, now)


def perform_choosing(job: Job, progress: Progress) -> dict[str, Any]:
    """Make the choice of `job`; the work of a worker.

    Run again, it goes on with the same choice and changes only what is left, so that the whole
    is one thing to undo. Raises what `choose_system` and `choose_best_ranked` raise.
    """
    choice = choice_of_job(job)
    done = choose_wanted(
        project=choice.project,
        wanted=WantedTexts.from_params(choice.project, job.params),
        actor=choice.actor,
        now=timezone.now(),
        choice=choice,
        progress=progress,
    )
    choice.refresh_from_db(fields=["item_count"])
    return asdict(replace(done, changed=choice.item_count))


def perform_undoing(job: Job, progress: Progress) -> dict[str, Any]:
    """Undo a choice; run again, it gives back what is left. Raises ChoiceFixed."""
    choice = choice_of_job(job)
    if choice.undone_at:
        return {"restored": count_given_back(choice)}
    actor = User.objects.filter(email=job.requested_by).first()
    restored = undo_choice(
        choice=choice, actor=actor, now=timezone.now(), job=job, progress=progress
    )
    return {"restored": restored}


def choice_of_job(job: Job) -> TextChoice:
    """The choice that a job makes or undoes."""
    rows = TextChoice.objects.select_related("project", "actor", "job")
    found: TextChoice = (
        rows.get(pk=job.params["choice"]) if job.kind == UNDOING_KIND else rows.get(job=job)
    )
    return found


def can_go_on(job: Job) -> bool:
    """Whether resuming still makes sense: not once the choice is undone or a round was opened."""
    return is_undoable(choice_of_job(job))


def refuse_going_on(job: Job) -> None:
    """Raise ChoiceFixed, TextsBeingChosen or RoundBeingOpened where a job cannot be resumed now."""
    choice = choice_of_job(job)
    hold_texts(choice.project, job=job)
    if not is_undoable(choice):
        raise ChoiceFixed


def _is_much(project: Project, wanted: WantedTexts) -> bool:
    """Whether it is work for a job. Raises SystemUnknown, NothingRanked."""
    if wanted.best_of:
        refuse_unranked(wanted.best_of)
        return wanted.best_of.panel_count > CHOSEN_AT_ONCE
    texts_of_system(project, wanted.system)
    items = filtered_items(project, wanted.item_filter).order_by()
    return items[: CHOSEN_AT_ONCE + 1].count() > CHOSEN_AT_ONCE


@transaction.atomic
def _queue_choosing(
    project: Project, wanted: WantedTexts, actor: User | None, now: datetime
) -> Job:
    hold_texts(project)
    params = wanted.as_params()
    job = create_job(kind=CHOOSING_KIND, scope=project.slug, params=params, actor=actor, now=now)
    why = why_best(wanted.best_of) if wanted.best_of else wanted.system
    TextChoice.objects.create(project=project, actor=actor, why=why, made_at=now, job=job)
    return job


@transaction.atomic
def _queue_undoing(choice: TextChoice, actor: User | None, now: datetime) -> Job:
    hold_texts(choice.project)
    if not is_undoable(choice):
        raise ChoiceFixed
    return create_job(
        kind=UNDOING_KIND,
        scope=choice.project.slug,
        params={"choice": choice.pk, "why": choice.why},
        actor=actor,
        now=now,
    )
