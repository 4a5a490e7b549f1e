"""Finds the prompts of a project."""

from dataclasses import asdict, fields
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from projects.models import Project
from prompts.enums import PromptPurpose, PromptStyle
from prompts.models import PromptTemplate
from prompts.rendering import Template, default_template
from prompts.translation import DEFAULT_FRAME, DEFAULT_SYSTEM, PROMPT_NAME


def template_of(prompt: PromptTemplate) -> Template:
    """Convert a prompt for `prompts.rendering`."""
    return Template(**{field.name: getattr(prompt, field.name) for field in fields(Template)})


JOB_PURPOSES = (PromptPurpose.SCREEN, PromptPurpose.MAKE)
"""Of prompts with a frame alone, whose names begin with the purpose."""


def current_prompts(
    project: Project, purpose: PromptPurpose = PromptPurpose.ASK
) -> QuerySet[PromptTemplate]:
    """Return the latest revision of each prompt template for a purpose."""
    later = PromptTemplate.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), revision__gt=OuterRef("revision")
    )
    return PromptTemplate.objects.filter(~Exists(later), project=project, purpose=purpose)


def builtin_prompts(project: Project, *, now: datetime) -> list[PromptTemplate]:
    """Return unsaved rows for the built-in prompts that are not stored in the project yet."""
    wanted = [str(style) for style in PromptStyle]
    present = set(project.prompt_templates.filter(name__in=wanted).values_list("name", flat=True))
    templates = [default_template(project.target_language, style) for style in wanted]
    return [
        PromptTemplate(
            project=project, name=template.style, created_at=now, **asdict(template)
        )
        for template in templates
        if template.style not in present
    ]  # fmt: skip


def known_prompts(project: Project, *, now: datetime) -> list[PromptTemplate]:
    """Return the prompts to choose from: the project's and the built-in ones, direct first."""
    found = [*current_prompts(project), *builtin_prompts(project, now=now)]
    return sorted(found, key=lambda prompt: (prompt.style != PromptStyle.DIRECT, prompt.name))


def revisions_of(project: Project, name: str) -> QuerySet[PromptTemplate]:
    """Return the stored revisions of a prompt for asking, the latest first."""
    rows = PromptTemplate.objects.filter(project=project, purpose=PromptPurpose.ASK, name=name)
    return rows.order_by("-revision")


def prompts_with_earlier(
    project: Project, *, now: datetime
) -> list[tuple[PromptTemplate, list[PromptTemplate]]]:
    """Return the prompts to choose from, each with its earlier revisions, the latest first."""
    rows = PromptTemplate.objects.filter(project=project, purpose=PromptPurpose.ASK)
    stored = list(rows.order_by("name", "-revision"))
    return [
        (each, [row for row in stored if row.name == each.name and row.revision < each.revision])
        for each in known_prompts(project, now=now)
    ]


def translation_prompt(project: Project, *, now: datetime) -> PromptTemplate:
    """Return the latest prompt of translation jobs: the project's, or else the built-in one, unsaved."""
    stored = current_prompts(project, PromptPurpose.TRANSLATE).filter(name=PROMPT_NAME).first()
    return stored or PromptTemplate(
        project=project, name=PROMPT_NAME, purpose=PromptPurpose.TRANSLATE, revision=1,
        language="en", system=DEFAULT_SYSTEM, frame=DEFAULT_FRAME, created_at=now,
    )  # fmt: skip


def job_prompt(
    project: Project, purpose: PromptPurpose, task: str, *, frame: str, now: datetime
) -> PromptTemplate:
    """Return the latest prompt of a task: the project's, or else one with the built-in `frame`, unsaved.

    The tasks of screening are its screens. `purpose` is one of JOB_PURPOSES.
    """
    name = f"{purpose}-{task}"
    stored = current_prompts(project, purpose).filter(name=name).first()
    return stored or PromptTemplate(
        project=project, name=name, purpose=purpose, revision=1, language="en", frame=frame,
        created_at=now,
    )  # fmt: skip
