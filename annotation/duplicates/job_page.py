"""The parts of a job's page that are about a search for duplicates."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def search_page(user: User, _job: Job, project: Project) -> JobPage:
    """Return a link to the pairs, for those who may see them."""
    if not user.has_perm("annotation.view_duplicates", project):
        return JobPage()
    pairs = reverse("annotation:duplicates", args=[project.slug])
    return JobPage(links=[Link(_("Duplicate pairs"), pairs)])
