"""Reads the direction of an item that asks for a translation: `zh-bo`, `zho_Hans-bod_Tibt`, `en → lo`."""

import re
from typing import Final, NamedTuple

from babel.core import get_global

from languages import is_known
from languages.tags import canonical_tag

LONGEST: Final = 100
_ARROW: Final = re.compile("->|→|>")
_TAG: Final = re.compile("[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}")


class Direction(NamedTuple):
    """From what language into what, as tags."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


def read_direction(said: str, *, source: str, target: str) -> Direction:
    """Return the two languages that `said` names, or else `source` and `target`.

    Two tags with one hyphen or an arrow between them are taken as they stand. Tags have hyphens
    themselves: `zh-Hant-bo` is cut where both sides are languages that we know.
    """
    text = said.strip() if len(said) <= LONGEST else ""
    cuts = [[part.strip() for part in _ARROW.split(text)], text.split("-")]
    pairs = [cut for cut in cuts if len(cut) == 2][:1] or _known_cuts(text)
    if len(pairs) == 1 and all(map(_TAG.fullmatch, pairs[0])):
        return Direction(*map(_tag, pairs[0]))
    return Direction(source, target)


def _known_cuts(text: str) -> list[list[str]]:
    parts = text.split("-")
    cuts = [["-".join(parts[:at]), "-".join(parts[at:])] for at in range(1, len(parts))]
    return [cut for cut in cuts if all(is_known(_tag(part)) for part in cut)]


def _tag(said: str) -> str:
    """Return the usual form of a tag: `zho_Hans` is zh-Hans."""
    first, *rest = said.replace("_", "-").split("-")
    shorter = get_global("language_aliases").get(first.lower(), first)
    return canonical_tag("-".join([shorter, *rest]))
