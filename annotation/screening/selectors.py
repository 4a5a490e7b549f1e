"""Finds the prompts of screens and their previews for requests."""

from collections.abc import Sequence
from datetime import datetime

from django.http import Http404

from annotation.enums import Screen
from annotation.models import Item
from annotation.screening.screens import QUESTIONS, ask
from annotation.translating.briefs import text_of
from endpoints.providers.base import Message
from projects.models import Project
from prompts.enums import PromptPurpose
from prompts.models import PromptTemplate
from prompts.queries import job_prompt


def prompt_of(project: Project, screen: str, *, now: datetime) -> PromptTemplate:
    """Return the latest prompt of a screen. Raises Http404 where there is no such screen."""
    if screen not in Screen.values:
        raise Http404
    return job_prompt(project, PromptPurpose.SCREEN, screen, frame=QUESTIONS[screen], now=now)


def preview_of(project: Project, screen: str, frame: str) -> Sequence[Message]:
    """Return the messages about the first item, as they would be sent; none without an item."""
    rows = Item.objects.filter(project=project, working_translation__current_revision__isnull=False)
    rows = rows.select_related("working_translation__current_revision").order_by("uid_order", "pk")
    item = rows.first()
    if item is None or item.working_translation is None:
        return ()
    revision = item.working_translation.current_revision
    return ask(screen, frame, text=text_of(revision or item), source=text_of(item))
