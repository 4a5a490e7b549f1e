"""What the page of a job shows about the judging of a run's answers."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from evaluation.models import Run
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def judging_page(user: User, job: Job, project: Project) -> JobPage:
    run = Run.objects.select_related("release__project").filter(judging__job=job).first()
    if run is None or not user.has_perm("evaluation.view_run", run):
        return JobPage()
    url = reverse("evaluation:judging", args=[project.slug, run.pk])
    warning = None
    if job.result.get("is_budget_spent"):
        warning = _("The budget is spent."), _("Go on with a higher budget to judge the rest.")
    return JobPage(links=[Link(_("Open the judging"), url)], warning=warning)
