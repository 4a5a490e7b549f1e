"""The matters that block a release or should be known before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from projects.enums import Role
from releases.readiness.waivers import WAIVABLE

MANAGERS = (Role.MANAGER,)
SENIORS = (Role.SENIOR,)
SENIORS_AND_MANAGERS = (Role.SENIOR, Role.MANAGER)
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that blocks a release or should be known before it.

    `items` are uids, pairs of uids, or names of subjects and sources; `uids` are the items
    concerned, where it is about items. `who` says in words what can be done about it, `roles` are
    those who can, `people` the first of them by name, and `url` the page where they do.
    """

    code: str
    words: Promise | str
    items: tuple[str, ...]
    url: str
    who: Promise
    roles: tuple[Role, ...] = MANAGERS
    uids: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return max(1, len(self.items))

    @property
    def can_waive(self) -> bool:
        return self.code in WAIVABLE

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "count": self.count,
            "items": list(self.items),
            "detail": str(self.words),
            "url": self.url,
            "who": str(self.who),
            "people": list(self.people),
            "can_waive": self.can_waive,
        }


def people_who_can(matter: Matter, members: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Return the first names of those with the roles of `matter`; `members` are names by role."""
    names = [name for role in matter.roles for name in members.get(role, [])]
    return tuple(names[:MOST_NAMED])
