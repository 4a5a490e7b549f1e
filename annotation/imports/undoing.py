"""Takes an import back, as long as nobody has worked with what it brought.

One transaction hides every row of the import's batch again, as they were before it finished, and a job
then removes them in short transactions, as it does for an import that was broken off.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.duplicates.clusters import regroup_clusters
from annotation.imports.batches import discard_batch, hide_batch, is_being_written
from annotation.imports.brought import (
    USES,
    Brought,
    batch_of,
    brought_by,
    pairs_of,
    pointing_to,
    uses_of,
)
from annotation.index import refresh_chosen
from annotation.models import DuplicatePair, ImportBatch, ImportJob, Item, Translation
from common.errors import DomainError
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from projects.locks import lock_project
from projects.models import Project, Source, Subject

KIND = "import-undo"
AT_ONCE = 500
NOTHING = Q(pk__in=[])


class ImportInUse(DomainError):
    code = "import_in_use"
    detail = _(
        "This import cannot be undone any more, because people have worked with what it added: "
        "%(uses)s. Exclude the items that should not be there."
    )


class ImportUnderWay(DomainError):
    code = "import_under_way"
    detail = _("Another import of this project is running or being undone. Wait until it is done.")


class NothingToUndo(DomainError):
    code = "nothing_to_undo"
    detail = _("This import added nothing that could be removed, or it has already been undone.")


def undo_import(*, import_job: ImportJob, actor: User, now: datetime) -> Job:
    """Hide everything that an import brought, and queue its removal. Raises as `hide_import`."""
    with transaction.atomic():
        batch = batch_of(import_job)
        if batch is None:
            raise NothingToUndo
        brought = hide_import(batch=batch, actor=actor, now=now)
        return create_job(
            kind=KIND,
            scope=import_job.project.slug,
            params={
                "batch": batch.pk,
                "file": import_job.name,
                "items": brought.items,
                "translations": brought.translations,
            },
            actor=actor,
            now=now,
        )


def perform_undo(job: Job, progress: Progress) -> dict[str, Any]:
    """Remove the rows that are hidden; called again, it goes on where it was."""
    progress.set_note("removing")
    discard_batch(job.params["batch"], watch=progress.check)
    return {name: job.params[name] for name in ("items", "translations")}


@transaction.atomic
def hide_import(*, batch: ImportBatch, actor: User | None, now: datetime) -> Brought:
    """Hide the rows of a finished import for good; `discard_batch` then removes them.

    Items of other imports get the text under review that they had without this one. Raises
    NothingToUndo, ImportUnderWay, ImportInUse.
    """
    # Whoever begins to import locks the project too: it finds all of these rows, or none.
    project = lock_project(batch.project_id)
    if not ImportBatch.objects.filter(pk=batch.pk, has_pointers=True).exists():
        raise NothingToUndo
    if is_being_written(project, now):
        raise ImportUnderWay
    if uses := uses_of(batch):
        words = ", ".join(f"{USES[name]}: {count}" for name, count in uses.items())
        raise ImportInUse(uses=words)
    brought = brought_by(batch)
    _remove_pairs(batch)
    _give_back(batch)
    for model, ids in ((Subject, batch.new_subjects), (Source, batch.new_sources)):
        _hide_unused(model, ids, batch)
    hide_batch(batch, now)
    ImportJob.objects.filter(batches=batch).update(undone_at=now)
    _record(project, batch, brought, actor, now)
    return brought


def _remove_pairs(batch: ImportBatch) -> None:
    pairs = pairs_of(batch)
    clusters = set(pairs.filter(cluster__isnull=False).values_list("cluster", flat=True))
    DuplicatePair.objects.filter(pk__in=list(pairs.values_list("pk", flat=True))).delete()
    regroup_clusters(clusters)


def _give_back(batch: ImportBatch) -> None:
    """Point items of other imports to their oldest other translation, if they have one."""
    items = Item.objects.filter(working_translation__import_batch=batch)
    ids = list(items.exclude(import_batch=batch).order_by("pk").values_list("pk", flat=True))
    others = Translation.objects.filter(item=OuterRef("pk")).exclude(import_batch=batch)
    oldest = Subquery(others.order_by("pk").values("pk")[:1])
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        Item.objects.filter(pk__in=some).update(working_translation=oldest)
        refresh_chosen(some)


def _hide_unused(
    model: type[Subject] | type[Source], ids: Sequence[int], batch: ImportBatch
) -> None:
    """Hide the subjects or sources that came with an import and that nothing else names."""
    used: set[int] = set()
    for (pointing, name), rows in pointing_to(model, ids):
        is_own = Q(import_batch=batch) if pointing in (Item, Translation) else NOTHING
        used.update(rows.exclude(is_own).values_list(name, flat=True))
    model.all_rows.filter(pk__in=set(ids) - used).update(is_hidden=True)


def _record(
    project: Project, batch: ImportBatch, brought: Brought, actor: User | None, now: datetime
) -> None:
    name = batch.import_job.name if batch.import_job else ""
    record_event(
        actor=actor,
        verb="items.import-undone",
        target=f"project:{project.pk}",
        scope=project.slug,
        data={
            "import": batch.pk,
            "file": name,
            "items": brought.items,
            "translations": brought.translations,
        },
        now=now,
    )
