"""What the page of a job shows about its screening job."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import ScreeningJob
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def screening_page(user: User, job: Job, project: Project) -> JobPage:
    """Link to the screening job, and warn if its budget ended it."""
    started = ScreeningJob.objects.filter(job=job).first()
    if started is None:
        return JobPage()
    url = reverse("annotation:screening", args=[project.slug, started.pk])
    return JobPage(links=[Link(_("Open the screening job"), url)], warning=_warning(job))


def _warning(job: Job) -> tuple[str, str] | None:
    if not job.result.get("is_budget_spent"):
        return None
    words = _("%(open)s questions are left. Resume the job with a higher budget to ask them.")
    return _("The budget is spent."), words % {"open": job.result["open"]}
