"""Takes an import back, as long as nobody has worked with what it brought.

One transaction hides every row of the import's batch again, as they were before it finished, and a job
then removes them in short transactions, as it does for an import that was broken off.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models, transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.duplicates.clusters import regroup_clusters
from annotation.enums import PairState
from annotation.imports.batches import discard_batch, hide_batch
from annotation.items.index import refresh_chosen
from annotation.models import (
    DuplicatePair,
    Finding,
    ImportBatch,
    ImportJob,
    Item,
    ItemSearchText,
    ItemStateChange,
    KeyChange,
    Revision,
    Translation,
    TranslationSearchText,
)
from common.errors import DomainError
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from projects.locks import lock_project
from projects.models import Project, Source, Subject

KIND = "import-undo"
AT_ONCE = 500

USES = {
    "items": _("translations from other imports"),
    "texts": _("edited texts"),
    "keys": _("corrected keys"),
    "states": _("excluded or restored items"),
    "findings": _("dismissed findings"),
    "pairs": _("decided duplicates"),
    "elsewhere": _("uses in rounds, comments and releases"),
}
_OWN = {
    (ItemSearchText, "item"), (TranslationSearchText, "translation"), (Translation, "item"),
    (Translation, "current_revision"), (Item, "working_translation"), (Revision, "translation"),
    (Revision, "supersedes"), (Finding, "revision"), (DuplicatePair, "a"), (DuplicatePair, "b"),
    (DuplicatePair, "dropped"), (KeyChange, "item"), (ItemStateChange, "item"),
}  # fmt: skip
"""What points to rows of an import and goes with them, or is counted for itself."""


class ImportInUse(DomainError):
    code = "import_in_use"
    detail = _(
        "This import cannot be undone any more, because people have worked with what it brought: "
        "%(uses)s. Exclude the items that should not be there."
    )


class NothingToUndo(DomainError):
    code = "nothing_to_undo"
    detail = _("This import brought nothing that could be removed, or it is undone already.")


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import brought that is still there: new items, and translations of any item."""

    items: int
    translations: int


def batch_of(import_job: ImportJob) -> ImportBatch | None:
    """What the import has brought and can be asked to remove; None where there is nothing."""
    rows: QuerySet[ImportBatch] = import_job.batches.filter(has_pointers=True)
    return rows.first()


def undoable_imports(project: Project) -> QuerySet[ImportBatch]:
    """Finished imports of the project, newest first."""
    rows = ImportBatch.objects.filter(project=project, has_pointers=True)
    return rows.select_related("import_job").order_by("-pk")


def brought_by(batch: ImportBatch) -> Brought:
    items, translations = _rows_of(batch)
    return Brought(items.count(), translations.count())


def uses_of(batch: ImportBatch) -> dict[str, int]:
    """How often people have worked with what an import brought, under the names of USES."""
    items, translations = _rows_of(batch)
    revisions = Revision.objects.filter(translation__in=translations.values("pk"))
    there = {"item__in": items.values("pk")}
    counts = {
        "items": Translation.all_rows.filter(**there).exclude(import_batch=batch),
        "texts": revisions.filter(number__gt=1),
        "keys": KeyChange.objects.filter(**there),
        "states": ItemStateChange.objects.filter(**there),
        "findings": Finding.objects.filter(
            revision__in=revisions.values("pk"), dismissed_at__isnull=False
        ),
        "pairs": _pairs_of(batch).exclude(state=PairState.OPEN),
    }
    found = {name: rows.count() for name, rows in counts.items()}
    found["elsewhere"] = sum(
        rows.count() for kind in (items, translations, revisions) for rows in _pointing_to(kind)
    )
    return {name: count for name, count in found.items() if count}


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
    NothingToUndo, ImportInUse.
    """
    project = lock_project(batch.project_id)
    if not ImportBatch.objects.filter(pk=batch.pk, has_pointers=True).exists():
        raise NothingToUndo
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


def _rows_of(batch: ImportBatch) -> tuple[QuerySet[Item], QuerySet[Translation]]:
    return (
        Item.all_rows.filter(import_batch=batch),
        Translation.all_rows.filter(import_batch=batch),
    )


def _pointing_to(rows: QuerySet[Any]) -> Iterator[QuerySet[Any]]:
    """The rows of every model that point to `rows`, but for what the import itself wrote."""
    for relation in rows.model._meta.get_fields(include_hidden=True):
        if not isinstance(relation, models.ForeignObjectRel):
            continue
        model, name = relation.related_model, relation.field.name
        if (model, name) not in _OWN:
            yield model._base_manager.filter(**{f"{name}__in": rows.values("pk")})  # noqa: SLF001


def _pairs_of(batch: ImportBatch) -> QuerySet[DuplicatePair]:
    """Pairs found by an item of the import, or by a text of it under review."""
    mine = Q()
    for side in ("a", "b"):
        mine |= Q(**{f"{side}__import_batch": batch})
        mine |= Q(**{f"{side}__working_translation__import_batch": batch})
    return DuplicatePair.objects.filter(mine, project=batch.project_id)


def _remove_pairs(batch: ImportBatch) -> None:
    pairs = _pairs_of(batch)
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
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ForeignObjectRel):
            name, rows = relation.field.name, relation.related_model._base_manager  # noqa: SLF001
            others = rows.filter(**{f"{name}__in": ids})
            if relation.related_model in (Item, Translation):
                others = others.exclude(import_batch=batch)
            used.update(others.values_list(name, flat=True))
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
