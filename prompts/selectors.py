"""Finds prompts for requests and commands."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.models import Project
from projects.selectors import project_for
from prompts.models import PromptTemplate
from prompts.queries import current_prompts, known_prompts


class PromptUnknown(DomainError):
    code = "prompt_unknown"
    detail = _("There is no prompt “%(name)s” in this project. Available prompts: %(known)s.")
    status = 404


def get_prompt(project: Project, name: str) -> PromptTemplate:
    """Return the latest revision of the prompt `name`. Raises PromptUnknown."""
    prompt = current_prompts(project).filter(name=name).first()
    if prompt is None:
        names = current_prompts(project).order_by("name").values_list("name", flat=True)
        raise PromptUnknown(name=name, known=", ".join(names))
    return prompt


def prompt_for(
    user: User, slug: str, name: str, permission: str, *, now: datetime
) -> PromptTemplate:
    """Return the latest revision of a prompt, which may be a built-in one that is not stored yet.

    Raises Http404 and PermissionDenied as `project_for`, and PromptUnknown.
    """
    project = project_for(user, slug, permission)
    return find_prompt(known_prompts(project, now=now), name)


def find_prompt(known: Sequence[PromptTemplate], name: str) -> PromptTemplate:
    """Return the prompt `name` among the `known` ones. Raises PromptUnknown."""
    for prompt in known:
        if prompt.name == name:
            return prompt
    raise PromptUnknown(name=name, known=", ".join(prompt.name for prompt in known))
