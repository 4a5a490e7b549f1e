"""The rows of a list of models: each with the addresses of what may be done to it there."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from endpoints.models import ModelSpec
from endpoints.specs.queries import current_models
from projects.models import Project


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model in the list of a project or of the server; the addresses are empty where they do not apply."""

    spec: ModelSpec
    test_url: str
    revise_url: str
    retire_url: str
    return_url: str


def model_url(action: str, project: Project | None, *name: str) -> str:
    """Return the address of a page of models of a project, or of the server."""
    if project is None:
        return reverse(f"endpoints:{action.replace('model', 'server-model')}", args=name)
    return reverse(f"endpoints:{action}", args=[project.slug, *name])


def model_rows(project: Project | None) -> Sequence[ModelRow]:
    """Return the models that a project can ask, or those of the server, by name."""
    return [_row(project, spec) for spec in current_models(project).order_by("name")]


def _row(project: Project | None, spec: ModelSpec) -> ModelRow:
    is_own = spec.project_id == (project.pk if project else None)
    is_retired = spec.retired_at is not None
    return ModelRow(
        spec,
        test_url=model_url("test-model", project, spec.name) if project else "",
        revise_url=model_url("revise-model", project, spec.name) * (is_own and not is_retired),
        retire_url=model_url("retire-model", project, spec.name) * (is_own and not is_retired),
        return_url=model_url("return-model", project, spec.name) * (is_own and is_retired),
    )
