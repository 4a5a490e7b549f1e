"""What the page of a job shows about its analysis of items."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def analysis_page(user: User, job: Job, project: Project) -> JobPage:
    """Link to the figures of the items."""
    if not user.has_perm("evaluation.view_item_analysis", project):
        return JobPage()
    url = reverse("evaluation:item-analysis", args=[project.slug])
    query = f"?release={job.params['release']}"
    return JobPage(links=[Link(_("Open the analysis of items"), url + query)])
