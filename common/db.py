"""State moves by compare-and-swap, the one way rows change state on either database."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from common.errors import DomainError


def sources_of(target: str, transitions: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the states from which `target` may be reached, in the table's order."""
    return [str(state) for state, targets in transitions.items() if target in targets]


def move(
    rows: QuerySet[Any],
    *,
    to: str,
    transitions: Mapping[str, frozenset[str]],
    refusal: type[DomainError],
    **changes: Any,
) -> int:
    """Move `rows` to state `to` with `changes`, in one UPDATE; return how many moved.

    Only rows in a state from which the table allows the move take part, so of two callers at
    once one wins. Raises `refusal` when none was left to move. (SQLite ignores row locks; this
    holds there too.)
    """
    moved = rows.filter(state__in=sources_of(to, transitions)).update(state=to, **changes)
    if not moved:
        raise refusal()
    return moved
