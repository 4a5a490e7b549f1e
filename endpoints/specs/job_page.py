"""What the page and the API of a job show of a test of a model."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from endpoints.specs.testing import texts_of_test
from jobs.enums import JobState
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def page_of_test(_user: User, job: Job, project: Project) -> JobPage:
    """Say what came of the test, and link to the models."""
    result = result_of_test(job)
    url = reverse("endpoints:models", args=[project.slug])
    warning = None
    if result.get("error"):
        warning = _("The model cannot be used."), result["texts"][0]
    return JobPage(
        heading=_("Test of the model %s") % job.params["model"],
        links=[Link(_("Models"), url)],
        warning=warning,
        context={"texts": result.get("texts", [])},
    )


def result_of_test(job: Job) -> dict[str, Any]:
    """Return the stored result with its words in the reader's language."""
    if job.state != JobState.DONE:
        return dict(job.result)
    return {**job.result, "texts": texts_of_test(job.result)}
