"""Counts what an import brought, and how people have worked with that since."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.enums import PairState
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
from projects.models import Project

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
"""Models whose rows point to an import's and go with them, or are counted for themselves."""


@dataclass(frozen=True, slots=True)
class Brought:
    """Counts of what an import brought and is still there: new items, and translations of any item."""

    items: int
    translations: int


def batch_of(import_job: ImportJob) -> ImportBatch | None:
    """Return what the import has brought and can be asked to remove; None where there is nothing."""
    rows: QuerySet[ImportBatch] = import_job.batches.filter(has_pointers=True)
    return rows.first()


def undoable_imports(project: Project) -> QuerySet[ImportBatch]:
    """Return finished imports of the project, newest first."""
    rows = ImportBatch.objects.filter(project=project, has_pointers=True)
    return rows.select_related("import_job").order_by("-pk")


def brought_by(batch: ImportBatch) -> Brought:
    items, translations = _rows_of(batch)
    return Brought(items.count(), translations.count())


def uses_of(batch: ImportBatch) -> dict[str, int]:
    """Return how often people have worked with what an import brought, under the names of USES.

    Whatever table points to a row of it counts, also one that is added to the software later.
    """
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
        "pairs": pairs_of(batch).exclude(state=PairState.OPEN),
    }
    found = {name: rows.count() for name, rows in counts.items()}
    found["elsewhere"] = sum(
        rows.count()
        for kind in (items, translations, revisions)
        for (model, name), rows in pointing_to(kind.model, kind.values("pk"))
        if (model, name) not in _OWN
    )
    return {name: count for name, count in found.items() if count}


def pairs_of(batch: ImportBatch) -> QuerySet[DuplicatePair]:
    """Return pairs found by an item of the import, or by a text of it under review."""
    mine = Q()
    for side in ("a", "b"):
        mine |= Q(**{f"{side}__import_batch": batch})
        mine |= Q(**{f"{side}__working_translation__import_batch": batch})
    return DuplicatePair.objects.filter(mine, project=batch.project_id)


def pointing_to(
    model: type[models.Model], ids: Any
) -> Iterator[tuple[tuple[type[models.Model], str], QuerySet[Any]]]:
    """Yield ((model, field), its rows that point to one of `ids` of `model`) for every such field."""
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ForeignObjectRel):
            pointing, name = relation.related_model, relation.field.name
            rows = pointing._base_manager.filter(**{f"{name}__in": ids})  # noqa: SLF001
            yield (pointing, name), rows


def _rows_of(batch: ImportBatch) -> tuple[QuerySet[Item], QuerySet[Translation]]:
    return (
        Item.all_rows.filter(import_batch=batch),
        Translation.all_rows.filter(import_batch=batch),
    )
