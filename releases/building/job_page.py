"""Describe the build of a release on the page of its job."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project
from releases.models import Release


def build_page(user: User, job: Job, project: Project) -> JobPage:
    """Return a link to the release for those who may see it."""
    release = Release.objects.select_related("project").filter(job=job).first()
    if release is None or not user.has_perm("releases.view_release", release):
        return JobPage()
    url = reverse("releases:detail", args=[project.slug, release.version])
    return JobPage(links=[Link(_("Open release %(version)s") % {"version": release.version}, url)])
