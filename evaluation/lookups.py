"""Finding the rows that commands and programs name by version, name or number."""

from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from common.errors import DomainError
from evaluation.models import ModelSpec, PromptTemplate, Run
from evaluation.queries.specs import current_models, current_prompts
from releases.models import Release

LARGEST_ID = 2**62


class ReleaseUnknown(DomainError):
    code = "release_unknown"
    detail = _("There is no release %(version)s in this project.")
    status = 404


class ModelUnknown(DomainError):
    code = "model_unknown"
    detail = _("There is no model “%(name)s” in this project. Add it first.")
    status = 404


class PromptUnknown(DomainError):
    code = "prompt_unknown"
    detail = _("There is no prompt “%(name)s” in this project; there are: %(known)s.")
    status = 404


class RunUnknown(DomainError):
    code = "run_unknown"
    detail = _("There is no run %(pk)s.")
    status = 404


def get_release(project: Project, version: str) -> Release:
    """Return the release `version` that did not fail. Raises ReleaseUnknown."""
    rows = Release.objects.filter(project=project, version=version).standing()
    release: Release | None = rows.select_related("project").first()
    if release is None:
        raise ReleaseUnknown(version=version)
    return release


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
    run = rows.filter(pk=pk).first() if 0 < pk < LARGEST_ID else None
    if run is None:
        raise RunUnknown(pk=pk)
    return run
