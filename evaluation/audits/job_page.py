"""What the page of a job shows about the extraction audit that it draws."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from evaluation.models import Run
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def audit_page(user: User, job: Job, project: Project) -> JobPage:
    """Link to the audit."""
    run = Run.objects.select_related("release__project").filter(audit__job=job).first()
    if run is None or not user.has_perm("evaluation.view_run", run):
        return JobPage()
    url = reverse("evaluation:audit", args=[project.slug, run.pk])
    return JobPage(links=[Link(_("Open the audit"), url)])
