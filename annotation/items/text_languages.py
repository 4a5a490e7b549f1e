"""The language of each text of an item and of its source.

An item that asks for a translation is its own text: its question is in the language to translate
from and its answer in the one to translate into, whatever the languages of its project are.
"""

from typing import Protocol

from annotation.enums import ItemKind
from annotation.items.text_rows import ANSWER, EXPLANATION
from projects.models import Project
from scoring.directions import Direction


class Directed(Protocol):
    """An item, or one as a release froze it."""

    @property
    def kind(self) -> str: ...

    def direction_in(self, project: Project) -> Direction: ...


def language_of(item: Directed, field: str, project: Project) -> str:
    """Return the language of a field of the item's text; asks the database nothing."""
    return _own_language(item, field, project) or project.target_language


def source_language_of(item: Directed, field: str, project: Project) -> str:
    """Return the language of a field of the item's source; asks the database nothing."""
    return _own_language(item, field, project) or project.source_language


def _own_language(item: Directed, field: str, project: Project) -> str:
    """Return the language of a text that is translated for no project, '' of others."""
    if item.kind != ItemKind.TRANSLATION:
        return ""
    if field == EXPLANATION:  # told to those who read the source's file
        return project.source_language
    direction = item.direction_in(project)
    return direction.target if field == ANSWER else direction.source
