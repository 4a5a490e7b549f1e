"""What the page of a job shows about its translation job."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import TranslationJob
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def translation_page(user: User, job: Job, project: Project) -> JobPage:
    """Link to the translation job, and warn if its budget ended it."""
    started = TranslationJob.objects.filter(job=job).first()
    if started is None:
        return JobPage()
    url = reverse("annotation:translation-job", args=[project.slug, started.pk])
    return JobPage(links=[Link(_("Open the translation job"), url)], warning=_warning(job))


def _warning(job: Job) -> tuple[str, str] | None:
    if not job.result.get("is_budget_spent"):
        return None
    words = _("%(open)s items are left. Resume the job with a higher budget to translate them.")
    return _("The budget is spent."), words % {"open": job.result["open"]}
