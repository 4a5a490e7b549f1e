"""Finds screening jobs and the prompts of screens for requests, with permissions."""

from collections.abc import Sequence
from datetime import datetime

from django.http import Http404

from accounts.models import User
from annotation.enums import Screen
from annotation.models import Item, ScreeningJob
from annotation.screening.queries import screening_jobs
from annotation.screening.screens import QUESTIONS, ask
from annotation.translating.briefs import text_of
from common.db import bounded_pk
from endpoints.providers.base import Message
from projects.models import Project
from projects.selectors import project_for
from prompts.models import PromptTemplate
from prompts.queries import screening_prompt

VIEW = "annotation.view_screenings"
MANAGE = "annotation.screen_items"


def screening_for(user: User, slug: str, pk: int, permission: str = VIEW) -> ScreeningJob:
    """Return the screening job of an address. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, permission)
    found = screening_jobs(project).filter(pk=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    return found


def prompt_of(project: Project, screen: str, *, now: datetime) -> PromptTemplate:
    """Return the latest prompt of a screen. Raises Http404 where there is no such screen."""
    if screen not in Screen.values:
        raise Http404
    return screening_prompt(project, screen, frame=QUESTIONS[screen], now=now)


def preview_of(project: Project, screen: str, frame: str) -> Sequence[Message]:
    """Return the messages about the first item, as they would be sent; none without an item."""
    rows = Item.objects.filter(project=project, working_translation__current_revision__isnull=False)
    rows = rows.select_related("working_translation__current_revision").order_by("uid_order", "pk")
    item = rows.first()
    if item is None or item.working_translation is None:
        return ()
    revision = item.working_translation.current_revision
    return ask(screen, frame, text=text_of(revision or item), source=text_of(item))
