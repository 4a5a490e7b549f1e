"""What the page of a job shows about its arena, and whether it can go on."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from arena.models import Arena
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project


def arena_page(user: User, job: Job, project: Project) -> JobPage:
    arena = Arena.objects.select_related("project").filter(pk=job.params.get("arena")).first()
    if arena is None or not user.has_perm("arena.view_arena", arena):
        return JobPage()
    url = reverse("arena:arena", args=[project.slug, arena.pk])
    return JobPage(links=[Link(_("Open the arena"), url)])


def can_go_on(job: Job) -> bool:
    """Whether the arena of the job is still there."""
    return Arena.objects.filter(pk=job.params.get("arena")).exists()
