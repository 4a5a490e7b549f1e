"""Finds runs, models, prompts and responses for requests and commands, with permissions."""

from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import bounded_pk
from common.errors import DomainError
from evaluation.models import ModelResponse, ModelSpec, PromptTemplate, Run
from evaluation.queries.differences import methods_of
from evaluation.queries.responses import KINDS, ResponseFilter
from evaluation.queries.runs import runs_seen_by
from evaluation.queries.specs import current_models, current_prompts
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


def model_for(user: User, slug: str, name: str) -> ModelSpec:
    """Return the latest revision of a model if `user` may revise it. Raises as `run_for` does."""
    project = project_for(user, slug, "evaluation.change_models")
    spec = current_models(project).filter(name=name).first()
    if spec is None:
        raise Http404
    return spec


def response_of(run: Run, pk: int) -> ModelResponse:
    """Return a response of the run with what its page shows. Raises Http404."""
    rows = ModelResponse.objects.filter(run=run, pk=bounded_pk(pk)).select_related(
        "release_item__subject", "release_item__revision"
    )
    response = rows.first()
    if response is None:
        raise Http404
    response.run = run
    return response


def _seen(user: User, project: Project, pk: int) -> Run:
    run = runs_seen_by(user, project).filter(pk=bounded_pk(pk)).first()
    if run is None:
        raise Http404
    return run


class FilterUnknown(DomainError):
    code = "filter_unknown"
    detail = _("There is no %(name)s “%(value)s” to filter by. Choose one of: %(known)s.")
    status = 400


def response_filter(
    run: Run, *, method: str = "", kind: str = "", differs: str = ""
) -> ResponseFilter:
    """Return the filter for the given names; the default method is the headline method.

    Raises FilterUnknown.
    """
    methods = methods_of(run)
    _check_choice("method", method, methods)
    _check_choice("kind", kind, KINDS)
    _check_choice("differs", differs, methods)
    return ResponseFilter(method or methods[0], kind, differs)


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value and value not in known:
        raise FilterUnknown(name=name, value=value, known=", ".join(known))


class ModelUnknown(DomainError):
    code = "model_unknown"
    detail = _("There is no model “%(name)s” in this project. Add it first.")
    status = 404


class PromptUnknown(DomainError):
    code = "prompt_unknown"
    detail = _("There is no prompt “%(name)s” in this project. Available prompts: %(known)s.")
    status = 404


class RunUnknown(DomainError):
    code = "run_unknown"
    detail = _("There is no run %(pk)s.")
    status = 404


def get_model(project: Project, name: str) -> ModelSpec:
    """Return the latest revision of the model `name`. Raises ModelUnknown."""
    spec = current_models(project).filter(name=name).first()
    if spec is None:
        raise ModelUnknown(name=name)
    return spec


def get_prompt(project: Project, name: str) -> PromptTemplate:
    """Return the latest revision of the prompt `name`. Raises PromptUnknown."""
    prompt = current_prompts(project).filter(name=name).first()
    if prompt is None:
        names = current_prompts(project).order_by("name").values_list("name", flat=True)
        raise PromptUnknown(name=name, known=", ".join(names))
    return prompt


def get_run(pk: int) -> Run:
    """Return the run `pk` with its release, model, prompt and job. Raises RunUnknown."""
    rows = Run.objects.select_related("release__project", "model_spec", "prompt_template", "job")
    run = rows.filter(pk=bounded_pk(pk)).first()
    if run is None:
        raise RunUnknown(pk=pk)
    return run
