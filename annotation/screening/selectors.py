"""Finds the prompts of screens and their previews for requests."""

from collections.abc import Sequence

from django.http import Http404

from annotation.asking.kinds import Task
from annotation.models import Item
from annotation.screening.queries import TASKS
from annotation.screening.screens import ask
from annotation.translating.briefs import text_of
from endpoints.providers.base import Message
from projects.models import Project


def task_of(screen: str) -> Task:
    """Return the task of a screen. Raises Http404 where there is no such screen."""
    if screen not in TASKS:
        raise Http404
    return TASKS[screen]


def preview_of(project: Project, screen: str, frame: str) -> Sequence[Message]:
    """Return the messages about the first item, as they would be sent; none without an item."""
    rows = Item.objects.filter(project=project, working_translation__current_revision__isnull=False)
    rows = rows.select_related("working_translation__current_revision").order_by("uid_order", "pk")
    item = rows.first()
    if item is None or item.working_translation is None:
        return ()
    revision = item.working_translation.current_revision
    return ask(screen, frame, text=text_of(revision or item), source=text_of(item))
