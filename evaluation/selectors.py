"""Finds runs and responses for requests and commands, with permissions."""

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import bounded_pk
from common.errors import DomainError
from evaluation.models import Run
from evaluation.queries import runs_seen_by
from projects.models import Project
from projects.selectors import check_reading, project_for


def run_for(user: User, slug: str, pk: int, permission: str) -> Run:
    """Return the run if `user` has `permission` on it.

    Raises Http404 if the user is not a member or may not see the release yet, and
    PermissionDenied for members without the permission.
    """
    project = project_for(user, slug, "evaluation.view_runs")
    run = _seen(user, project, pk)
    check_reading(user, run, project, permission)
    return run


def run_by_id(user: User, pk: int, permission: str) -> Run:
    """Do the same as `run_for` without knowing the project, for the API."""
    project = Project.objects.visible_to(user).filter(releases__runs=bounded_pk(pk)).first()
    if project is None:
        raise Http404
    return run_for(user, project.slug, pk, permission)


def _seen(user: User, project: Project, pk: int) -> Run:
    run = runs_seen_by(user, project).filter(pk=bounded_pk(pk)).first()
    if run is None:
        raise Http404
    return run


class RunUnknown(DomainError):
    code = "run_unknown"
    detail = _("There is no run %(pk)s.")
    status = 404


def get_run(pk: int) -> Run:
    """Return the run `pk` with its release, model, prompt and job. Raises RunUnknown."""
    rows = Run.objects.select_related(
        "release__project", "model_spec", "prompt_template", "job", "scoring_job"
    )
    run = rows.filter(pk=bounded_pk(pk)).first()
    if run is None:
        raise RunUnknown(pk=pk)
    return run
