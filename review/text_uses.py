"""What later apps have made of a text: each says so, so that a decision about it can be taken back or not.

An app declares its question in a module named `text_uses`, which is read when Django starts.
"""

from collections.abc import Callable, Collection

IsUsed = Callable[[Collection[int]], bool]
"""Ids of revisions → whether one of them is used."""

_declared: dict[str, IsUsed] = {}


def declare_text_use(name: str, is_used_there: IsUsed) -> None:
    """Have `is_used_there` asked before a decision about a text is taken back."""
    _declared[name] = is_used_there


def is_used(revisions: Collection[int]) -> bool:
    """Whether a later app holds one of these revisions."""
    return any(is_used_there(revisions) for is_used_there in _declared.values())
