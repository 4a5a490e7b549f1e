"""Whom a round asks, for rules of every app: while they solve items, they may not read keys."""

from collections.abc import Mapping, Sequence
from typing import Any


def is_asked_by(
    audience: Mapping[str, Any], *, user: int, role: str, languages: Sequence[str]
) -> bool:
    """Whether a round with this audience asks a member whose role judges.

    `audience` has "roles" and "languages", where none leave nobody out, and "excluded" people.
    All of its languages must be listed by the member.
    """
    roles = audience.get("roles", ())
    is_in_role = not roles or role in roles
    reads_all = all(reads_language(languages, each) for each in audience.get("languages", ()))
    return is_in_role and reads_all and user not in audience.get("excluded", ())


def reads_language(languages: Sequence[str], language: str) -> bool:
    """Whether `language` is among `languages`, without regard to script and region: mn reads mn-Cyrl."""
    return _primary(language) in map(_primary, languages)


def _primary(tag: str) -> str:
    return tag.lower().replace("_", "-").partition("-")[0]
