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


def declare_held_work(name: str, give_back: GiveBack) -> None:
    """Have `give_back` called, inside the transaction, when a person may no longer work."""
    _declared[name] = give_back


def give_back_held_work(*, user: User, scope: str, now: datetime) -> int:
    """Free all that `user` holds in the project `scope`, or everywhere if it is empty; return how much."""
    return sum(give_back(user, scope, now) for give_back in _declared.values())
