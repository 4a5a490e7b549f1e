"""Finds the current models and prompts of a project."""

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from evaluation.enums import PromptStyle
from evaluation.models import ModelSpec, PromptTemplate
from evaluation.prompts import default_template
from projects.models import Project


def current_models(project: Project) -> QuerySet[ModelSpec]:
    """Return the latest revision of each model spec."""
    later = ModelSpec.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    latest = ModelSpec.objects.filter(~Exists(later), project=project)
    return latest.select_related("project", "endpoint", "created_by")


def current_prompts(project: Project) -> QuerySet[PromptTemplate]:
    """Return the latest revision of each prompt template."""
    later = PromptTemplate.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    return PromptTemplate.objects.filter(~Exists(later), project=project)


def builtin_prompts(project: Project, *, now: datetime) -> list[PromptTemplate]:
    """Return unsaved rows for the built-in prompts that are not stored in the project yet."""
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
    """Return the prompts to choose from: the project's and the built-in ones, direct first."""
    found = [*current_prompts(project), *builtin_prompts(project, now=now)]
    return sorted(found, key=lambda prompt: (prompt.style != PromptStyle.DIRECT, prompt.name))
