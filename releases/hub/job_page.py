"""Describe a publication on the Hub on the page of its job."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def hub_job_page(user: User, job: Job, project: Project) -> JobPage:
    """Return which release goes where, with a link back to the form."""
    version, repository = job.params["version"], job.params["repository"]
    url = reverse("releases:hub", args=[project.slug, version])
    label = _("Release %(version)s on the Hub") % {"version": version}
    heading = _("%(version)s to %(repository)s") % {"version": version, "repository": repository}
    return JobPage(heading=heading, links=[Link(label, url)])
