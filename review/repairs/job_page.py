"""What the page of a job shows of a batch repair, or of undoing one."""

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.enums import JobState
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project
from review.models import RepairBatch
from review.repairs.labels import repaired_words, restored_words


def repair_page(user: User, job: Job, project: Project) -> JobPage:
    """What became of the texts, and the batch, where it can be undone."""
    return _page(user, job, project, RepairBatch.objects.get(job=job), repaired_words)


def repair_undo_page(user: User, job: Job, project: Project) -> JobPage:
    """How many texts are back, and the batch, which names the others."""
    return _page(user, job, project, RepairBatch.objects.get(undo_job=job), restored_words)


def _page(
    user: User,
    job: Job,
    project: Project,
    batch: RepairBatch,
    in_words: Callable[[Mapping[str, Any]], list[str]],
) -> JobPage:
    context = {"words": in_words(job.result) if job.state == JobState.DONE else []}
    if not user.has_perm("annotation.edit_text", project):
        return JobPage(context=context)
    repairs = Link(_("Batch repairs"), reverse("review:repairs", args=[project.slug]))
    texts = Link(
        _("Texts of this batch"), reverse("review:repair-batch", args=[project.slug, batch.pk])
    )
    return JobPage(breadcrumbs=[repairs], links=[texts], context=context)
