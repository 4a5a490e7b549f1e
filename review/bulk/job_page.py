"""What the page of a job shows of a change of many items."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project
from review.bulk.presenters import done_words, kind_words, stayed_words
from review.models import BulkChange


def bulk_page(user: User, job: Job, project: Project) -> JobPage:
    """What has become of the items so far, and where to undo it."""
    bulk = BulkChange.objects.defer("item_ids").filter(job=job).first()
    words = [done_words(bulk), stayed_words(bulk)] if bulk else []
    heading = kind_words(bulk) if bulk else ""
    items = Link(_("Items"), reverse("annotation:items", args=[project.slug]))
    context = {"words": [each for each in words if each]}
    if not user.has_perm("annotation.change_item", project):
        return JobPage(heading=heading, breadcrumbs=[items], context=context)
    changes = Link(_("Change items"), reverse("review:bulk-change", args=[project.slug]))
    return JobPage(heading=heading, breadcrumbs=[items], links=[changes], context=context)
