"""What a project tells translators of style: a later app says which text that is, for prompts of models.

The app declares it in a module named `style_notes`, which is read when Django starts.
"""

from collections.abc import Callable

NotesOf = Callable[[int], str]
"""Id of a project → its notes, empty if it has none."""

_declared: list[NotesOf] = []


def declare_style_notes(notes_of: NotesOf) -> None:
    """Have models that translate told what `notes_of` returns, where their prompt asks for it."""
    _declared.append(notes_of)


def style_notes(project: int) -> str:
    """Return what the later apps say of a project, a paragraph each."""
    return "\n\n".join(filter(None, (notes_of(project) for notes_of in _declared)))
