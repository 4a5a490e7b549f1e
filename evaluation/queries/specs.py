"""Which models and prompts a project has now."""

from datetime import datetime

from django.db.models import Count, Exists, Min, OuterRef, QuerySet

from annotation.models import Project
from evaluation.enums import PromptStyle
from evaluation.models import ModelSpec, PromptTemplate
from evaluation.prompts import default_template


def current_models(project: Project) -> QuerySet[ModelSpec]:
    """The latest revision of each model spec."""
    return _latest_models().filter(project=project).select_related("project", "created_by")


def endpoint_limit(spec: ModelSpec) -> int | None:
    """The most calls a minute to the endpoint of `spec`, of all runs together; None is no limit.

    It is the smallest limit of the current models at that address, in whatever project; where
    all have moved elsewhere meanwhile, that of `spec`.
    """
    there = _latest_models().filter(base_url=spec.base_url)
    found = there.aggregate(limit=Min("requests_per_minute"), models=Count("pk"))
    limit: int | None = found["limit"] if found["models"] else spec.requests_per_minute
    return limit


def current_prompts(project: Project) -> QuerySet[PromptTemplate]:
    """The latest revision of each prompt template."""
    later = PromptTemplate.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    return PromptTemplate.objects.filter(~Exists(later), project=project)


def builtin_prompts(project: Project, *, now: datetime) -> list[PromptTemplate]:
    """Unsaved rows of the built-in prompts that the project has not taken over yet, one a style."""
    wanted = [str(style) for style in PromptStyle]
    present = set(project.prompt_templates.filter(name__in=wanted).values_list("name", flat=True))
    templates = [default_template(project.target_language, style) for style in wanted]
    return [
        PromptTemplate(
            project=project, name=template.style, language=template.language,
            style=template.style, system=template.system, frame=template.frame, created_at=now,
        )
        for template in templates
        if template.style not in present
    ]  # fmt: skip


def known_prompts(project: Project, *, now: datetime) -> list[PromptTemplate]:
    """What a run can choose from: the project's prompts and the built-in ones, direct first."""
    found = [*current_prompts(project), *builtin_prompts(project, now=now)]
    return sorted(found, key=lambda prompt: (prompt.style != PromptStyle.DIRECT, prompt.name))


def _latest_models() -> QuerySet[ModelSpec]:
    later = ModelSpec.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    return ModelSpec.objects.filter(~Exists(later))
