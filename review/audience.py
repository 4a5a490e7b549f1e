"""Whom a round asks: a part of those whose role lets them judge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Empty `roles` and `languages` leave nobody out; `excluded` are ids of people.

    `needs_expert` keeps one seat of each panel for somebody whose expertise the item's subject is.
    """

    roles: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    excluded: tuple[int, ...] = ()
    needs_expert: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "roles": list(self.roles),
            "languages": list(self.languages),
            "excluded": list(self.excluded),
            "needs_expert": self.needs_expert,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Audience":
        return cls(
            roles=tuple(stored.get("roles", ())),
            languages=tuple(stored.get("languages", ())),
            excluded=tuple(stored.get("excluded", ())),
            needs_expert=bool(stored.get("needs_expert")),
        )


EVERYBODY = Audience()
