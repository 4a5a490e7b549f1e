"""What the page of a job shows about its run."""

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from evaluation.models import Run
from evaluation.results.queries.figures import run_results
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def run_page(user: User, job: Job, project: Project) -> JobPage:
    """Link to the run of the job, unless a later job has taken its place."""
    return _link_to(Run.objects.filter(job=job), user, project)


def scoring_page(user: User, job: Job, project: Project) -> JobPage:
    """Link to the run whose answers the job scores."""
    return _link_to(Run.objects.filter(scoring_job=job), user, project)


def _link_to(runs: QuerySet[Run], user: User, project: Project) -> JobPage:
    run = runs.select_related("release__project", "model_spec", "job").first()
    if run is None or not user.has_perm("evaluation.view_run", run):
        return JobPage()
    url = reverse("evaluation:run", args=[project.slug, run.pk])
    return JobPage(links=[Link(_("Open the run"), url)], warning=_warning(run))


def _warning(run: Run) -> tuple[str, str] | None:
    if run.job.result.get("is_budget_spent"):
        return _("The budget is spent."), _("Resume the run with a higher budget to ask the rest.")
    results = run_results(run)
    if not results.is_all_empty:
        return None
    title = _("Every answer is empty.")
    if results.kinds.only_reasoning:
        title = _("No answer has any text outside its reasoning.")
    return title, _("The page of the run says how the answers ended.")
