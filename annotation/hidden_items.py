"""Items whose text is to stay secret: later apps say which, so that no job sends them to an outside model.

An app declares its question in a module named `hidden_items`, which is read when Django starts.
"""

from collections.abc import Callable

HiddenOf = Callable[[int], frozenset[int]]
"""Id of a project → ids of its hidden items."""

_declared: dict[str, HiddenOf] = {}


def declare_hidden_items(name: str, hidden_of: HiddenOf) -> None:
    """Have the items of `hidden_of` kept from endpoints that a project does not allow for them."""
    _declared[name] = hidden_of


def hidden_items(project: int) -> frozenset[int]:
    """Return the ids of a project's items that a later app hides."""
    return frozenset().union(*(hidden_of(project) for hidden_of in _declared.values()))
