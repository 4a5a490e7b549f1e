"""Changes all items of a filter as their preview showed them, and brings back what one excluded.

Few items change in the transaction that compares them with the preview; many by a job, a batch in
each transaction. One audit row stands for the whole.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.checks.actions import check_again
from annotation.checks.recheck import texts_of_items
from annotation.enums import ItemState
from annotation.items.actions import move_items
from annotation.models import Item, ItemStateChange
from common.errors import DomainError
from common.reasons import checked_reason
from jobs.actions import create_job
from jobs.enums import ENDED_JOB_STATES
from jobs.models import Job
from jobs.progress import Progress
from projects.actions.subjects import group_subjects, grouping_of
from projects.locks import lock_project
from projects.models import Project, Subject
from review.bulk.plans import (
    Plan,
    WantedChange,
    dropped_duplicates,
    items_in_work,
    plan_change,
)
from review.enums import BulkKind
from review.models import BulkChange, BulkExclusion
from review.rounds.actions.choosing_guard import hold_texts

BULK_KIND = "bulk-change"
CHANGED_AT_ONCE = 1_000
"""More items are not changed while somebody waits for an answer."""
CHECKED_AT_ONCE = 200
BATCH = 500
CHECK_BATCH = 100
WITH_REASON: Final = frozenset({BulkKind.EXCLUDE, BulkKind.RESTORE})
VERBS: Final[Mapping[str, str]] = {
    BulkKind.EXCLUDE: "items.bulk_excluded",
    BulkKind.RESTORE: "items.bulk_restored",
    BulkKind.CHECK: "items.bulk_checked",
}


class SelectionChanged(DomainError):
    code = "selection_changed"
    detail = _(
        "The items have changed since you looked at what would happen, so nothing was done. Look at "
        "it again, then confirm."
    )


class NothingToChange(DomainError):
    code = "nothing_to_change"
    detail = _("None of these items would change.")


class ItemsBeingChanged(DomainError):
    code = "items_being_changed"
    detail = _(
        "Job %(job)s is changing items of this project. Wait until it is done, or cancel it, then "
        "try again."
    )


class BulkFixed(DomainError):
    code = "bulk_fixed"
    detail = _("Only an exclusion can be undone, and only once. This one was undone already.")


@transaction.atomic
def change_items(
    *,
    project: Project,
    wanted: WantedChange,
    digest: str,
    reason: str,
    actor: User | None,
    now: datetime,
) -> BulkChange:
    """Do what a preview with this `digest` showed, or queue the job where there are many items.

    The project's row is locked before the items are compared, so of two people at once the second
    is shown the new state. `reason` goes with excluding and restoring. Raises SelectionChanged with
    the new preview, NothingToChange, ItemsBeingChanged, CategoryInvalid, ReasonMissing,
    ReasonTooLong, TextInvalid; for excluding TextsBeingChosen, RoundBeingOpened.
    """
    reason = checked_reason(reason) if wanted.kind in WITH_REASON else ""
    _hold(project, wanted.kind)
    _refuse_second(project)
    plan = plan_change(project, wanted)
    if plan.digest != digest:
        raise SelectionChanged(current=plan.as_json())
    if not plan.changing:
        raise NothingToChange
    bulk = BulkChange.objects.create(
        project=project,
        kind=wanted.kind,
        item_filter={name: value for name, value in asdict(wanted.item_filter).items() if value},
        reason=reason,
        category=plan.category,
        item_ids=list(plan.changing),
        planned_count=len(plan.changing),
        left_out=dict(plan.left_out),
        actor=actor,
        made_at=now,
    )
    if wanted.kind == BulkKind.CATEGORY:
        return _group(bulk, plan, now)
    return _do_or_queue(bulk, now)


@transaction.atomic
def undo_exclusion(*, bulk: BulkChange, actor: User | None, now: datetime) -> BulkChange:
    """Bring back the items that a bulk change excluded, by a job where there are many.

    Items that somebody has restored since, or excluded again, stay as they are. Raises BulkFixed,
    NothingToChange, ItemsBeingChanged.
    """
    lock_project(bulk.project_id)
    _refuse_second(bulk.project)
    if bulk.kind != BulkKind.EXCLUDE or BulkChange.objects.filter(undoes=bulk).exists():
        raise BulkFixed
    ids = still_excluded_by(bulk)
    if not ids:
        raise NothingToChange
    undoing = BulkChange.objects.create(
        project=bulk.project,
        kind=BulkKind.RESTORE,
        reason=f"Undo of bulk change {bulk.pk}",
        item_ids=ids,
        planned_count=len(ids),
        undoes=bulk,
        actor=actor,
        made_at=now,
    )
    return _do_or_queue(undoing, now)


def perform_bulk(job: Job, progress: Progress) -> dict[str, Any]:
    """Make the change of `job`; the work of a worker. Run again, it goes on where it stopped.

    Items that have come into an open round since, or are in the wanted state already, stay.
    """
    bulk = BulkChange.objects.select_related("project", "actor", "undoes").get(job=job)
    progress.start(bulk.planned_count, done=bulk.done_count)
    while _do_batch(bulk, timezone.now()):
        progress.advance_to(bulk.done_count)
    if bulk.finished_at is None:
        _finish(bulk, timezone.now())
    return {"changed": bulk.item_count, "planned": bulk.planned_count}


def record_what_is_done(job: Job) -> None:
    """Leave an audit row of the items that a job changed before it was stopped."""
    bulk = BulkChange.objects.filter(job=job, finished_at=None, item_count__gt=0)
    for each in bulk.select_related("project", "actor"):
        _record(each, timezone.now())


def refuse_undone(job: Job) -> None:
    """Raise where a stopped job cannot go on: its change was undone, or another one is running."""
    bulk = BulkChange.objects.select_related("project").get(job=job)
    lock_project(bulk.project_id)
    _refuse_second(bulk.project, besides=job)
    if BulkChange.objects.filter(undoes=bulk).exists():
        raise BulkFixed


def still_excluded_by(bulk: BulkChange, item_ids: Collection[int] | None = None) -> list[int]:
    """Return the items whose latest change of state is that of `bulk`, by id."""
    latest = ItemStateChange.objects.filter(item=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    items = Item.objects.filter(
        project=bulk.project_id,
        state=ItemState.EXCLUDED,
        pk__in=bulk.exclusions.values("change__item"),
    )
    if item_ids is not None:
        items = items.filter(pk__among=item_ids)
    items = items.alias(latest=Subquery(latest)).filter(latest__in=bulk.exclusions.values("change"))
    return list(items.order_by("pk").values_list("pk", flat=True))


def _hold(project: Project, kind: str) -> None:
    """Lock the project; an item is not excluded while a round that may ask about it is opening."""
    if kind == BulkKind.EXCLUDE:
        hold_texts(project)
    else:
        lock_project(project.pk)


def _refuse_second(project: Project, besides: Job | None = None) -> None:
    jobs = Job.objects.filter(kind=BULK_KIND, scope=project.slug).exclude(
        state__in=ENDED_JOB_STATES
    )
    running = jobs.exclude(pk=besides.pk if besides else 0).order_by("pk").first()
    if running:
        raise ItemsBeingChanged(job=running.pk, current={"job": running.pk})


def _do_or_queue(bulk: BulkChange, now: datetime) -> BulkChange:
    at_once = CHECKED_AT_ONCE if bulk.kind == BulkKind.CHECK else CHANGED_AT_ONCE
    if bulk.planned_count > at_once:
        return _queue(bulk, now)
    while _do_batch(bulk, now):
        pass
    _finish(bulk, now)
    return bulk


def _queue(bulk: BulkChange, now: datetime) -> BulkChange:
    params = {"change": bulk.pk, "kind": bulk.kind, "items": bulk.planned_count}
    bulk.job = create_job(
        kind=BULK_KIND, scope=bulk.project.slug, params=params, actor=bulk.actor, now=now
    )
    bulk.save(update_fields=["job"])
    return bulk


@transaction.atomic
def _do_batch(bulk: BulkChange, now: datetime) -> bool:
    """Change the next items and count them; False when none is left."""
    if bulk.kind != BulkKind.CHECK:
        _hold(bulk.project, bulk.kind)
    # Two workers at once, if ever: the second goes on where the first has stopped.
    row = BulkChange.objects.select_for_update(of=("self",)).get(pk=bulk.pk)
    size = CHECK_BATCH if bulk.kind == BulkKind.CHECK else BATCH
    ids = row.item_ids[row.done_count : row.done_count + size]
    if ids:
        bulk.done_count = row.done_count + len(ids)
        bulk.item_count = row.item_count + _CHANGES[BulkKind(bulk.kind)](bulk, ids, now)
        bulk.save(update_fields=["done_count", "item_count"])
    return bool(ids)


def _exclude(bulk: BulkChange, ids: Collection[int], now: datetime) -> int:
    free = set(ids) - items_in_work(bulk.project, ids)
    changes = _move(bulk, free, ItemState.EXCLUDED, now)
    BulkExclusion.objects.bulk_create(BulkExclusion(bulk=bulk, change=each) for each in changes)
    return len(changes)


def _restore(bulk: BulkChange, ids: Collection[int], now: datetime) -> int:
    return len(_move(bulk, _still_to_restore(bulk, ids), ItemState.ACTIVE, now))


def _still_to_restore(bulk: BulkChange, ids: Collection[int]) -> Collection[int]:
    if bulk.undoes:
        return still_excluded_by(bulk.undoes, ids)
    return set(ids) - dropped_duplicates(bulk.project)


def _check(bulk: BulkChange, ids: Collection[int], now: datetime) -> int:
    texts = texts_of_items(bulk.project, ids)
    check_again(revisions=texts, project=bulk.project, now=now)
    return len({text.translation.item_id for text in texts})


_CHANGES: Final = {
    BulkKind.EXCLUDE: _exclude,
    BulkKind.RESTORE: _restore,
    BulkKind.CHECK: _check,
}


def _move(
    bulk: BulkChange, ids: Collection[int], state: ItemState, now: datetime
) -> list[ItemStateChange]:
    return move_items(
        project=bulk.project,
        item_ids=ids,
        state=state,
        reason=bulk.reason,
        actor=bulk.actor,
        now=now,
    )


def _group(bulk: BulkChange, plan: Plan, now: datetime) -> BulkChange:
    """Give the subjects of the items their category; the audit row is that of the subjects."""
    items = Item.objects.filter(pk__among=plan.changing).values("subject")
    subjects = Subject.objects.filter(pk__in=items)
    group_subjects(
        project=bulk.project,
        groupings={
            subject.slug: replace(grouping_of(subject), category=plan.category)
            for subject in subjects
        },
        actor=bulk.actor,
        now=now,
        item_count=bulk.planned_count,
    )
    bulk.done_count = bulk.item_count = bulk.planned_count
    _close(bulk, now)
    return bulk


@transaction.atomic
def _finish(bulk: BulkChange, now: datetime) -> None:
    _close(bulk, now)
    _record(bulk, now)


def _close(bulk: BulkChange, now: datetime) -> None:
    bulk.item_ids, bulk.finished_at = [], now
    bulk.save(update_fields=["item_ids", "finished_at", "done_count", "item_count"])


def _record(bulk: BulkChange, now: datetime) -> None:
    record_event(
        actor=bulk.actor,
        verb=VERBS[bulk.kind],
        target=f"bulkchange:{bulk.pk}",
        scope=bulk.project.slug,
        data={
            "items": bulk.item_count,
            "of": bulk.planned_count,
            "left_out": bulk.left_out,
            "filter": bulk.item_filter,
            "reason": bulk.reason,
            "undoes": bulk.undoes_id,
        },
        now=now,
    )
