"""Texts with an escaped quotation mark, which has a certain repair, and batches of them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.checks.actions import check_revision
from annotation.index import refresh_finding_flags
from annotation.models import Item, Revision, Translation
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project
from review.models import RepairBatch
from review.repairs.actions import start_repairs, start_undo
from review.repairs.planning import RepairFilter, plan_repairs
from tests.factories import make_translated_item

BROKEN = 'འདྲི་\\"བ།'
SOUND = 'འདྲི་"བ།'
ESCAPES = RepairFilter(code="escapes_left")


@pytest.fixture
def broken(project: Project) -> Callable[..., Item]:
    """Make a checked item, whose text has an escaped quotation mark unless said otherwise."""

    def make(question: str = BROKEN, **fields: Any) -> Item:
        item = make_translated_item(
            project=project,
            source__project=project,
            subject__project=project,
            question=question,
            **fields,
        )
        check_revision(revision=text_of(item), now=timezone.now())
        refresh_finding_flags([item.pk])
        return item

    return make


def text_of(item: Item) -> Revision:
    """The current text of the item's working translation, freshly read."""
    translation = Translation.objects.select_related("current_revision").get(
        pk=item.working_translation_id
    )
    assert translation.current_revision
    return translation.current_revision


def started(
    project: Project, *, wanted: RepairFilter = ESCAPES, actor: User | None = None
) -> RepairBatch:
    """A batch with the repairs of a preview, whose job waits."""
    digest = plan_repairs(project, wanted).digest
    return start_repairs(
        project=project, wanted=wanted, digest=digest, actor=actor, now=timezone.now()
    )


def repaired(project: Project, actor: User | None = None) -> RepairBatch:
    """A batch whose job is done."""
    batch = started(project, actor=actor)
    run_now(batch.job)
    batch.refresh_from_db()
    return batch


def undone(batch: RepairBatch, actor: User | None = None) -> Job:
    return run_now(start_undo(batch=batch, actor=actor, now=timezone.now()))
