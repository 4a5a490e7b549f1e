"""Every write to projects as such."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.actions.audit import record
from projects.actions.criteria import criteria_from
from projects.actions.language_tags import language_tag
from projects.actions.members import grant_role
from projects.criteria import stored_criteria
from projects.enums import Role
from projects.models import Project


class SlugTaken(DomainError):
    code = "slug_taken"
    detail = _("There is already a project with this short name.")


class ProjectInvalid(DomainError):
    code = "project_invalid"
    detail = _("Some values of this project are not valid.")
    status = 400


@transaction.atomic
def create_project(
    *,
    slug: str,
    name: str,
    source_language: str,
    target_language: str,
    manager: User | None,
    actor: User | None,
    now: datetime,
    description: str = "",
    criteria: Sequence[Mapping[str, Any]] | None = None,
) -> Project:
    """Open a project, with `manager` as its first member where there is one.

    With one language for both the items are native: each is its own text. `criteria` are read by
    `criteria_from`; None for domain and cultural alignment.
    Raises ProjectInvalid, LanguageInvalid, CriteriaInvalid, SlugTaken.
    """
    source_language, target_language = map(language_tag, (source_language, target_language))
    project = Project(
        slug=slug,
        name=name.strip(),
        description=description.strip(),
        source_language=source_language,
        target_language=target_language,
        created_by=actor,
        created_at=now,
        criteria_text=stored_criteria(criteria_from(criteria)) if criteria is not None else "",
    )
    _check_fields(project)
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError as error:
        raise SlugTaken from error
    record(project, actor=actor, verb="project.created", target=project, now=now)
    if manager is not None:
        grant_role(project=project, user=manager, role=Role.MANAGER, actor=actor, now=now)
    return project


@transaction.atomic
def change_project(
    *,
    project: Project,
    name: str,
    description: str,
    items_ahead: int,
    undo_minutes: int,
    reminder_days: int,
    guards_hidden_items: bool,
    actor: User | None,
    now: datetime,
) -> None:
    """Raises ProjectInvalid."""
    project.name, project.description = name.strip(), description.strip()
    project.items_ahead, project.undo_minutes = items_ahead, undo_minutes
    project.reminder_days, project.guards_hidden_items = reminder_days, guards_hidden_items
    _check_fields(project)
    settings = ["items_ahead", "undo_minutes", "reminder_days", "guards_hidden_items"]
    project.save(update_fields=["name", "description", *settings])
    record(project, actor=actor, verb="project.changed", target=project, now=now)


def _check_fields(project: Project) -> None:
    try:
        project.clean_fields(exclude=["created_by"])
    except ValidationError as error:
        raise ProjectInvalid(fields=error.message_dict) from error
    if "\0" in project.name + project.description:
        raise ProjectInvalid
