"""Takes a team's key out of what its endpoint says, however it is written there."""

import re
from typing import Final

SHORTEST: Final = 4
"""Fewer characters of a key tell nothing of it, and many texts end in them by chance."""
_DEPTH: Final = 3
"""JSON may be a text in JSON: the arguments of a tool call in a body are two deep."""
_ESCAPE: Final = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["/\\]))')
_HALF_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def without_key(text: str, key: str, *, is_cut: bool = False) -> str:
    """Return the text with [key] for the key; of a text that has it in escapes nothing is left.

    Nor is anything left of one that may have been cut and ends in the beginning of the key.
    """
    if not key:
        return text
    is_hidden = _is_hidden_in(text.replace(key, ""), key, is_cut=is_cut)
    return "[key]" if is_hidden else text.replace(key, "[key]")


def _is_hidden_in(text: str, key: str, *, is_cut: bool) -> bool:
    for _depth in range(_DEPTH):
        if is_cut and _ends_in_beginning(_HALF_ESCAPE.sub("", text), key):
            return True
        text = _ESCAPE.sub(_character, text)
        if key in text:
            return True
    return is_cut and _ends_in_beginning(text, key)


def _ends_in_beginning(text: str, key: str) -> bool:
    return any(text.endswith(key[:length]) for length in range(SHORTEST, len(key)))


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[2]
