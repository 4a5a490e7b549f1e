"""Questions about batch repairs: which there are, and what became of their texts."""

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

from common.db import bounded_pk
from projects.models import Project
from review.models import RepairBatch, RepairedText


def batches_of(project: Project) -> QuerySet[RepairBatch]:
    """Return the batches of a project with their counts as `n_…`; order by "-pk"."""
    rows = RepairBatch.objects.filter(project=project)
    return rows.select_related("actor", "subject", "job", "undo_job").annotate(
        n_repaired=Count("texts", filter=Q(texts__after__isnull=False)),
        n_left=Count("texts", filter=~Q(texts__left="")),
        n_restored=Count("texts", filter=Q(texts__restored_at__isnull=False)),
        n_kept=Count("texts", filter=~Q(texts__kept="")),
    )


def batch_of(project: Project, pk: int) -> RepairBatch:
    """Return a batch of the project with its counts. Raises Http404."""
    found: RepairBatch = get_object_or_404(batches_of(project), pk=bounded_pk(pk))
    found.project = project
    return found


def texts_of(batch: RepairBatch) -> QuerySet[RepairedText]:
    """Return the texts of a batch with what `shown_texts` wants."""
    rows: QuerySet[RepairedText] = batch.texts.select_related("before__translation__item", "after")
    return rows
