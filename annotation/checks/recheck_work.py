"""The work of running every check again. Loads SciPy: workers and commands only."""

from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from annotation.checks.actions import check_again
from annotation.checks.recheck import text_count, texts_in_batches, texts_to_learn
from annotation.checks.siblings import MOST_LEARNED, Siblings, term_pairs
from annotation.checks.whole_set import SetItem, WholeSet, check_whole_set
from annotation.enums import ItemKind
from annotation.glossary.queries import renderings_of
from annotation.models import Item
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project
from projects.selectors import get_project


def perform_recheck(job: Job, progress: Progress) -> dict[str, Any]:
    """Check every current text again, by itself and beside the others, then the whole set.

    Where it was is kept in the job, so that another start goes on there; a text that is checked
    twice stays the same.
    """
    project = get_project(job.scope)
    counts = {"after": 0, "checked": 0, "new": 0} | job.params
    progress.start(text_count(project), done=counts["checked"])
    beside = siblings_of(project).problems
    for batch in texts_in_batches(project, after=counts["after"]):
        counts["new"] += check_again(
            revisions=batch, project=project, now=timezone.now(), beside=beside
        )
        counts["checked"] += len(batch)
        counts["after"] = batch[-1].pk
        Job.objects.filter(pk=job.pk).update(params=counts)
        progress.advance_to(counts["checked"])
    progress.set_note("whole_set")
    found = whole_set_of(project).as_json()
    return {"checked": counts["checked"], "new": counts["new"], "whole_set": found}


def siblings_of(project: Project) -> Siblings:
    """Return what the current texts of a project and its glossary show together."""
    languages = project.source_language, project.target_language
    terms = term_pairs(renderings_of(project), *languages)
    return Siblings(texts_to_learn(project, most=MOST_LEARNED), terms)


def whole_set_of(project: Project) -> WholeSet:
    """Return what the active items show together, by the texts that are under review."""
    return check_whole_set(_items(project))


def _items(project: Project) -> Iterator[SetItem]:
    """Yield the items with the text under review, else their source text."""
    rows = Item.objects.filter(project=project, kind=ItemKind.CHOICE).active()
    columns = rows.order_by("pk").values_list(
        "uid", "key", "question", "options",
        "working_translation__current_revision__question",
        "working_translation__current_revision__options",
    )  # fmt: skip
    for uid, key, source, source_options, question, options in columns.iterator(chunk_size=2000):
        if question is None:
            yield SetItem(uid, key, source, tuple(source_options))
        else:
            yield SetItem(uid, key, question, tuple(options), source, tuple(source_options))
