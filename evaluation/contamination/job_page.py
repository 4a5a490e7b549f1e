"""What the page of a job shows about the Min-k % test of a run."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from evaluation.models import Run
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def min_k_page(user: User, job: Job, project: Project) -> JobPage:
    run = Run.objects.select_related("release__project").filter(min_k__job=job).first()
    if run is None or not user.has_perm("evaluation.view_run", run):
        return JobPage()
    url = reverse("evaluation:min-k", args=[project.slug, run.pk])
    warning = None
    if job.result.get("is_budget_spent"):
        warning = _("The budget is spent."), _("Start it again with a higher budget for the rest.")
    return JobPage(links=[Link(_("Open the Min-k % test"), url)], warning=warning)
