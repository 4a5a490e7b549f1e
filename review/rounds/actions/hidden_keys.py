"""Hiding keys from the people whom a solving round asks, as long as it is open."""

from projects.models import Project
from review.enums import RoundKind, RoundState
from review.models import Round


def hide_keys(round_: Round) -> None:
    """Hide the project's keys from whom an open solving round asks; other rounds hide nothing.

    Again after its audience has changed. The caller holds a transaction.
    """
    if round_.kind == RoundKind.SOLVING and round_.state == RoundState.OPEN:
        _set_audience(round_, round_.audience)


def show_keys(round_: Round) -> None:
    """Show the keys to everybody again, as the round is closed or removed."""
    if round_.kind == RoundKind.SOLVING:
        _set_audience(round_, None)


def _set_audience(round_: Round, audience: dict[str, object] | None) -> None:
    Project.objects.filter(pk=round_.project_id).update(solving_audience=audience)
