"""Batch repairs of what a check found, and undoing them: the jobs and their every write.

The author of a repaired text is nobody. The batch says who took the repairs, and that bars no one
from judging the texts: the software wrote them, and only where no other text can have been meant.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.enums import Origin
from annotation.imports.batches import short_transaction
from annotation.index import lock_items
from annotation.items.revisions import RevisionStale, put_back, supersede_text
from annotation.models import Revision
from common.errors import DomainError
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project, Subject
from review.enums import LeftOut
from review.models import RepairBatch, RepairedText
from review.repairs.planning import (
    PlannedRepair,
    RepairFilter,
    RepairPlan,
    obstacles_of,
    plan_repairs,
    plan_texts,
    with_findings,
)
from review.rounds.actions.choosing_guard import REPAIR_KIND, REPAIR_UNDO_KIND, hold_texts

TEXTS_AT_ONCE: Final = 20
_INSERTED_AT_ONCE: Final = 1000


class PreviewOutdated(DomainError):
    code = "preview_outdated"
    detail = _(
        "The texts or their repairs have changed since the preview. Look at the new preview and "
        "decide again."
    )


class NothingToRepair(DomainError):
    code = "nothing_to_repair"
    detail = _("No text here has a repair that a batch may take.")
    status = 400


class RepairsUndone(DomainError):
    code = "repairs_undone"
    detail = _("This batch is being undone or has been undone already.")


def start_repairs(
    *,
    project: Project,
    wanted: RepairFilter,
    digest: str | None,
    actor: User | None,
    now: datetime,
    is_whole: bool = False,
) -> RepairBatch:
    """Store the repairs of a preview as a batch and queue the job that makes them.

    `digest` is that of the preview, None for a command that takes what there is. Raises
    PreviewOutdated, NothingToRepair, TextsBeingRepaired, TextsBeingChosen, RoundBeingOpened.
    """
    plan = plan_repairs(project, wanted, is_whole=is_whole)
    if digest is not None and digest != plan.digest:
        raise PreviewOutdated
    if not plan.repairs:
        raise NothingToRepair
    return _store_batch(project, plan, actor, now)


@transaction.atomic
def _store_batch(
    project: Project, plan: RepairPlan, actor: User | None, now: datetime
) -> RepairBatch:
    hold_texts(project)
    wanted = plan.wanted
    subject = Subject.objects.filter(project=project, slug=wanted.subject).first()
    asked = {"code": wanted.code, "subject": wanted.subject, "system": wanted.system}
    params = asked | {"texts": len(plan.repairs), "digest": plan.digest}
    batch: RepairBatch = RepairBatch.objects.create(
        project=project,
        code=wanted.code,
        subject=subject,
        system=wanted.system,
        digest=plan.digest,
        text_count=len(plan.repairs),
        actor=actor,
        created_at=now,
        job=create_job(kind=REPAIR_KIND, scope=project.slug, params=params, actor=actor, now=now),
    )
    rows = [
        RepairedText(batch=batch, before=each.revision, content_hash=each.content_hash)
        for each in plan.repairs
    ]
    RepairedText.objects.bulk_create(rows, batch_size=_INSERTED_AT_ONCE)
    return batch


def perform_repairs(job: Job, progress: Progress) -> dict[str, Any]:
    """Make the repairs of a batch, TEXTS_AT_ONCE in a transaction; the work of a worker.

    Each text is looked at again: one whose repair is not the one that was shown is left out. Run
    again, it goes on with the texts that wait, so that none is repaired twice (a revision is
    superseded once). Records one audit event, `texts.repaired`, with the last text.
    """
    batch = RepairBatch.objects.select_related("project", "actor").get(job=job)
    waiting = batch.texts.filter(after__isnull=True, left="")
    done = batch.text_count - waiting.count()
    progress.start(batch.text_count, done=done)
    while ids := list(waiting.order_by("pk").values_list("pk", flat=True)[:TEXTS_AT_ONCE]):
        with short_transaction():
            _repair_some(batch, ids, job, timezone.now())
        done += len(ids)
        progress.advance_to(done)
    return _finish(batch, timezone.now())


def _repair_some(batch: RepairBatch, ids: Sequence[int], job: Job, now: datetime) -> None:
    """Repair some texts of a batch, or note why not, in the transaction of the caller."""
    hold_texts(batch.project, job=job)
    rows = {row.before_id: row for row in batch.texts.filter(pk__in=ids)}
    texts = with_findings(Revision.objects.filter(pk__in=rows))
    lock_items(list(texts.values_list("translation__item", flat=True)))
    for planned in plan_texts(list(texts), batch.project, batch.code):
        row = rows[planned.revision.pk]
        after = _repair_one(planned, row.content_hash, now)
        row.after, row.left = (None, after) if isinstance(after, LeftOut) else (after, "")
    RepairedText.objects.bulk_update(rows.values(), ["after", "left"])


def _repair_one(planned: PlannedRepair, content_hash: str, now: datetime) -> Revision | LeftOut:
    if planned.new is None:
        return planned.left or LeftOut.NO_REPAIR
    if planned.content_hash != content_hash:
        return LeftOut.GONE
    try:
        return supersede_text(
            base=planned.revision,
            question=planned.new.question,
            options=planned.new.options,
            origin=Origin.REPAIRED,
            author=None,
            now=now,
        )
    except RevisionStale:
        return LeftOut.CHANGED


@transaction.atomic
def _finish(batch: RepairBatch, now: datetime) -> dict[str, Any]:
    counts = outcome_of(batch)
    rows = RepairBatch.objects.filter(pk=batch.pk, finished_at__isnull=True)
    if rows.update(finished_at=now):
        _record(batch, "texts.repaired", batch.actor, counts, now)
    return counts


def outcome_of(batch: RepairBatch) -> dict[str, Any]:
    """Return {"repaired": count, "left": {reason: count}} of a batch."""
    rows = list(batch.texts.values_list("after", "left"))
    left = Counter(reason for _after, reason in rows if reason)
    return {"repaired": sum(after is not None for after, _left in rows), "left": dict(left)}


@transaction.atomic
def start_undo(*, batch: RepairBatch, actor: User | None, now: datetime) -> Job:
    """Queue the job that brings back the former texts of a batch.

    Raises RepairsUndone, TextsBeingRepaired, TextsBeingChosen, RoundBeingOpened.
    """
    hold_texts(batch.project)
    params = {"batch": batch.pk, "code": batch.code}
    slug = batch.project.slug
    job = create_job(kind=REPAIR_UNDO_KIND, scope=slug, params=params, actor=actor, now=now)
    rows = RepairBatch.objects.filter(pk=batch.pk, undo_job__isnull=True)
    if not rows.update(undo_job=job):
        raise RepairsUndone
    return job


def perform_undo(job: Job, progress: Progress) -> dict[str, Any]:
    """Bring back the former texts of a batch; run again, it goes on with those that are left.

    A text keeps its repair where something happened to it since: it was changed, judged or decided
    on. Records one audit event, `texts.repairs-undone`, with the last text.
    """
    batch = RepairBatch.objects.select_related("project").get(undo_job=job)
    repaired = batch.texts.filter(after__isnull=False)
    waiting = repaired.filter(restored_at__isnull=True, kept="")
    total = repaired.count()
    done = total - waiting.count()
    progress.start(total, done=done)
    while ids := list(waiting.order_by("pk").values_list("pk", flat=True)[:TEXTS_AT_ONCE]):
        with short_transaction():
            _restore_some(batch, ids, job, timezone.now())
        done += len(ids)
        progress.advance_to(done)
    return _finish_undo(batch, job, timezone.now())


def _restore_some(batch: RepairBatch, ids: Sequence[int], job: Job, now: datetime) -> None:
    hold_texts(batch.project, job=job)
    rows = batch.texts.filter(pk__in=ids).order_by("pk")
    lock_items(list(rows.values_list("before__translation__item", flat=True)))
    texts = list(rows.select_related("before__translation__item", "after__translation__item"))
    obstacles = obstacles_of(row.after for row in texts if row.after)
    for row in texts:
        row.kept = _restore_one(row, obstacles.get(row.after_id or 0)) or ""
        row.restored_at = None if row.kept else now
    RepairedText.objects.bulk_update(texts, ["kept", "restored_at"])


def _restore_one(row: RepairedText, obstacle: LeftOut | None) -> LeftOut | None:
    if row.after is None or row.after.translation.current_revision_id != row.after_id:
        return LeftOut.CHANGED
    if obstacle:
        return obstacle
    try:
        put_back(revision=row.before, current=row.after)
    except RevisionStale:
        return LeftOut.CHANGED
    return None


@transaction.atomic
def _finish_undo(batch: RepairBatch, job: Job, now: datetime) -> dict[str, Any]:
    counts = undo_outcome_of(batch)
    rows = RepairBatch.objects.filter(pk=batch.pk, undone_at__isnull=True)
    if rows.update(undone_at=now):
        actor = User.objects.filter(email=job.requested_by).first()
        _record(batch, "texts.repairs-undone", actor, counts, now)
    return counts


def undo_outcome_of(batch: RepairBatch) -> dict[str, Any]:
    """Return {"restored": count, "kept": {reason: count}} of a batch that is being undone."""
    rows = list(batch.texts.values_list("restored_at", "kept"))
    kept = Counter(reason for _restored, reason in rows if reason)
    return {"restored": sum(at is not None for at, _kept in rows), "kept": dict(kept)}


def can_go_on(job: Job) -> bool:
    """Whether a repair that stopped may be resumed: not once its batch is undone."""
    return not RepairBatch.objects.filter(job=job, undo_job__isnull=False).exists()


def refuse_going_on(job: Job) -> None:
    """Raise RepairsUndone or what `hold_texts` raises where a job cannot be resumed now."""
    rows = RepairBatch.objects.select_related("project")
    mine = {"undo_job": job} if job.kind == REPAIR_UNDO_KIND else {"job": job}
    hold_texts(rows.get(**mine).project, job=job)
    if not can_go_on(job):
        raise RepairsUndone


def _record(
    batch: RepairBatch, verb: str, actor: User | None, counts: dict[str, Any], now: datetime
) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"repair:{batch.pk}",
        scope=batch.project.slug,
        data={"code": batch.code, **counts},
        now=now,
    )
