"""The way from a request's numbers to a run, model or response, by the right that it takes."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from accounts.models import User
from annotation.access import project_for
from annotation.models import Project
from evaluation.models import ModelResponse, ModelSpec, Run
from evaluation.queries.runs import runs_seen_by
from evaluation.queries.specs import current_models

LARGEST_ID = 2**62


def run_for(user: User, slug: str, pk: int, permission: str) -> Run:
    """Return the run if `user` has `permission` on it.

    Raises Http404 to strangers and for runs on releases that the user can't see yet,
    PermissionDenied to members without the right.
    """
    project = project_for(user, slug, "evaluation.view_runs")
    run = _seen(user, project, pk)
    if not user.has_perm(permission, run):
        raise PermissionDenied
    return run


def run_by_id(user: User, pk: int, permission: str) -> Run:
    """`run_for` where only the number is known, as in the API."""
    project = Project.objects.visible_to(user).filter(releases__runs=_bounded(pk)).first()
    if project is None:
        raise Http404
    return run_for(user, project.slug, pk, permission)


def model_for(user: User, slug: str, name: str) -> ModelSpec:
    """The latest revision of a model that `user` may revise. Raises as `run_for` does."""
    project = project_for(user, slug, "evaluation.change_models")
    spec = current_models(project).filter(name=name).first()
    if spec is None:
        raise Http404
    return spec


def response_for(user: User, slug: str, pk: int, response_pk: int) -> ModelResponse:
    """A response of a run with all that its page shows. Raises as `run_for` does."""
    run = run_for(user, slug, pk, "evaluation.view_responses")
    rows = ModelResponse.objects.filter(run=run, pk=_bounded(response_pk)).select_related(
        "release_item__item__subject", "release_item__revision"
    )
    response = rows.first()
    if response is None:
        raise Http404
    response.run = run
    return response


def _seen(user: User, project: Project, pk: int) -> Run:
    run = runs_seen_by(user, project).filter(pk=_bounded(pk)).first()
    if run is None:
        raise Http404
    return run


def _bounded(pk: int) -> int:
    if pk > LARGEST_ID:
        raise Http404
    return pk
