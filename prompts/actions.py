"""Writes prompt templates. A change is always a new revision."""

import re
from dataclasses import asdict, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from endpoints.parameters import NAME
from projects.models import Project
from prompts.enums import OptionLabels, PromptPurpose, PromptStyle, ShotLayout
from prompts.models import PromptTemplate
from prompts.queries import (
    JOB_PURPOSES,
    builtin_prompts,
    current_prompts,
    job_prompt,
    template_of,
    translation_prompt,
)
from prompts.rendering import Template, TemplateError, check_template
from prompts.translation import PROMPT_NAME, check_job_prompt, check_translation_prompt

LONGEST_PROMPT = 20_000
LARGEST_SEED = 2**31 - 1
TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


class PromptInvalid(DomainError):
    code = "prompt_invalid"
    detail = _("The prompt cannot be used: %(fault)s")
    status = 400


class PromptNameInvalid(DomainError):
    code = "prompt_name_invalid"
    detail = _("Use 1 to 100 Latin letters, digits, “.”, “_” and “-” for the name of a prompt.")
    status = 400


class PromptNameTaken(DomainError):
    code = "prompt_name_taken"
    detail = _("This project already has a prompt “%(name)s”. Revise it, or choose another name.")


class PromptTooLong(DomainError):
    code = "prompt_too_long"
    detail = _("The prompt must not be longer than 20,000 characters.")
    status = 400


class PromptUnchanged(DomainError):
    code = "prompt_unchanged"
    detail = _("You have not changed anything, so there is no new revision.")


class PromptOutdated(DomainError):
    code = "prompt_outdated"
    detail = _("Someone else has revised this prompt. Start from the latest revision.")


def ensure_default_prompts(*, project: Project, now: datetime) -> None:
    """Add the built-in prompts of the target language, unless there are prompts with their names."""
    missing = builtin_prompts(project, now=now)
    if missing:
        PromptTemplate.objects.bulk_create(missing, ignore_conflicts=True)


@transaction.atomic
def ensure_translation_prompt(*, project: Project, now: datetime) -> PromptTemplate:
    """Return the latest prompt of translation jobs, after storing the built-in one if there is none."""
    if translation_prompt(project, now=now).pk is None:
        PromptTemplate.objects.bulk_create(
            [translation_prompt(project, now=now)], ignore_conflicts=True
        )
    return translation_prompt(project, now=now)


def ensure_job_prompt(
    *, project: Project, purpose: PromptPurpose, task: str, frame: str, now: datetime
) -> PromptTemplate:
    """Return the latest prompt of a task, after storing `frame` as its first if there is none."""
    if job_prompt(project, purpose, task, frame=frame, now=now).pk is None:
        first = job_prompt(project, purpose, task, frame=frame, now=now)
        PromptTemplate.objects.bulk_create([first], ignore_conflicts=True)
    return job_prompt(project, purpose, task, frame=frame, now=now)


@transaction.atomic
def create_prompt(
    *, project: Project, name: str, template: Template, actor: User | None, now: datetime
) -> PromptTemplate:
    """Store revision 1 of a new prompt for asking, and an audit row.

    Raises PromptNameInvalid, PromptNameTaken, PromptInvalid, PromptTooLong.
    """
    if not NAME.fullmatch(name):
        raise PromptNameInvalid
    check_prompt(template)
    ensure_default_prompts(project=project, now=now)
    if _is_reserved(name) or project.prompt_templates.filter(name=name).exists():
        raise PromptNameTaken(name=name)
    first = PromptTemplate(
        project=project, name=name, purpose=PromptPurpose.ASK, created_at=now, **asdict(template)
    )
    return _stored(first, PromptNameTaken(name=name), actor, now)


@transaction.atomic
def revise_prompt(
    *,
    prompt: PromptTemplate,
    revision: int,
    template: Template,
    actor: User | None,
    now: datetime,
) -> PromptTemplate:
    """Store the next revision of a prompt for asking, and an audit row. Runs keep the one that they used.

    `revision` is the one that was edited. `prompt` may be a built-in one that is not stored yet.
    Raises PromptInvalid, PromptTooLong, PromptUnchanged, PromptOutdated.
    """
    check_prompt(template)
    ensure_default_prompts(project=prompt.project, now=now)
    latest = current_prompts(prompt.project).get(name=prompt.name)
    if latest.revision != revision:
        raise PromptOutdated
    if template_of(latest) == template:
        raise PromptUnchanged
    return _stored(_next_revision(latest, template, now), PromptOutdated(), actor, now)


def _is_reserved(name: str) -> bool:
    """Whether prompts for another purpose than asking have the name."""
    prefixes = tuple(f"{purpose}-" for purpose in JOB_PURPOSES)
    return name in {PROMPT_NAME, PromptPurpose.ELSEWHERE} or name.startswith(prefixes)


def check_prompt(template: Template) -> None:
    """Raise PromptTooLong or PromptInvalid if items cannot be asked with `template`."""
    if sum(len(value) for value in asdict(template).values() if isinstance(value, str)) > (
        LONGEST_PROMPT
    ):
        raise PromptTooLong
    known = {
        "style": PromptStyle.values, "layout": ShotLayout.values, "labels": OptionLabels.values,
    }  # fmt: skip
    for field, values in known.items():
        value = getattr(template, field)
        if value not in values:
            words = _("%(value)s is no %(field)s. Choose one of: %(known)s.")
            fault = words % {"value": value, "field": field, "known": ", ".join(values)}
            raise PromptInvalid(fault=fault)
    if not TAG.fullmatch(template.language):
        raise PromptInvalid(fault=_("Write the language as a tag, such as “bo”."))
    if template.shot_seed is not None and not 0 <= template.shot_seed <= LARGEST_SEED:
        raise PromptInvalid(fault=_("The seed must be a whole number from 0 to %d.") % LARGEST_SEED)
    try:
        check_template(template)
    except TemplateError as error:
        raise PromptInvalid(fault=str(error)) from error


@transaction.atomic
def revise_translation_prompt(
    *, project: Project, revision: int, system: str, frame: str, actor: User | None, now: datetime
) -> PromptTemplate:
    """Store the next revision of the prompt of translation jobs, and an audit row.

    `revision` is the one that was edited. Jobs keep the revision that they used. Raises
    PromptInvalid, PromptTooLong, PromptUnchanged, PromptOutdated.
    """
    _check_translation(system, frame)
    latest = ensure_translation_prompt(project=project, now=now)
    return _revise(latest, revision, (system, frame), actor, now)


@transaction.atomic
def revise_job_prompt(
    *,
    project: Project,
    purpose: PromptPurpose,
    task: str,
    builtin: str,
    revision: int,
    frame: str,
    actor: User | None,
    now: datetime,
) -> PromptTemplate:
    """Store the next revision of the prompt of a task, and an audit row.

    `builtin` is its first revision. Otherwise as `revise_translation_prompt`.
    """
    if len(frame) > LONGEST_PROMPT:
        raise PromptTooLong
    try:
        check_job_prompt(frame)
    except TemplateError as error:
        raise PromptInvalid(fault=str(error)) from error
    latest = ensure_job_prompt(project=project, purpose=purpose, task=task, frame=builtin, now=now)
    return _revise(latest, revision, ("", frame), actor, now)


def _revise(
    latest: PromptTemplate, revision: int, words: tuple[str, str], actor: User | None, now: datetime
) -> PromptTemplate:
    """Store the system message and the frame of `words` after `latest`, if `revision` is its number."""
    if latest.revision != revision:
        raise PromptOutdated
    system, frame = words
    if (latest.system, latest.frame) == words:
        raise PromptUnchanged
    template = replace(template_of(latest), system=system, frame=frame)
    return _stored(_next_revision(latest, template, now), PromptOutdated(), actor, now)


def _check_translation(system: str, frame: str) -> None:
    if len(system) + len(frame) > LONGEST_PROMPT:
        raise PromptTooLong
    try:
        check_translation_prompt(system, frame)
    except TemplateError as error:
        raise PromptInvalid(fault=str(error)) from error


def _next_revision(latest: PromptTemplate, template: Template, now: datetime) -> PromptTemplate:
    return PromptTemplate(
        project=latest.project, name=latest.name, purpose=latest.purpose,
        revision=latest.revision + 1, created_at=now, **asdict(template),
    )  # fmt: skip


def _stored(
    prompt: PromptTemplate, refusal: DomainError, actor: User | None, now: datetime
) -> PromptTemplate:
    """Insert a revision and its audit row; raise `refusal` if another writer was faster."""
    try:
        with transaction.atomic():
            prompt.save(force_insert=True)
    except IntegrityError as error:
        raise refusal from error
    record_event(
        actor=actor, verb="prompt.created" if prompt.revision == 1 else "prompt.revised",
        target=f"prompt:{prompt.pk}", scope=prompt.project.slug,
        data={"name": prompt.name, "revision": prompt.revision}, now=now,
    )  # fmt: skip
    return prompt
