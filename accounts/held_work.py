"""Work that one person holds and others wait for: every app that reserves some says how to give it back.

An app declares its function in a module named `held_work`, which is read when Django starts. So an
account can be deactivated, or a member removed, without this app knowing what they held.
"""

from collections.abc import Callable
from datetime import datetime

from accounts.models import User

GiveBack = Callable[[User, str, datetime], int]
"""(person, project slug or "" for everywhere, now) → how many pieces of work are free again."""

_declared: dict[str, GiveBack] = {}
_ahead: dict[str, GiveBack] = {}


def declare_held_work(name: str, give_back: GiveBack, give_back_ahead: GiveBack) -> None:
    """Have `give_back` called, inside the transaction, when a person may no longer work.

    `give_back_ahead` is called when they are to stop: what they have begun stays theirs.
    """
    _declared[name], _ahead[name] = give_back, give_back_ahead


def give_back_held_work(*, user: User, scope: str, now: datetime) -> int:
    """Free all that `user` holds in the project `scope`, or everywhere if it is empty; return how much."""
    return sum(give_back(user, scope, now) for give_back in _declared.values())


def give_back_work_ahead(*, user: User, scope: str, now: datetime) -> int:
    """Free what `user` holds in the project `scope` but has not begun; return how much."""
    return sum(give_back(user, scope, now) for give_back in _ahead.values())
