"""The marks in which a judge model ends, such as [[A>B]] or [[CORRECT]]."""

import re
from collections.abc import Container
from typing import Final

_MARKED: Final = re.compile(r"\[\[([^\[\]]*)\]\]")


def read_mark(text: str, known: Container[str]) -> str:
    """Return the one of `known` that `text` marks, or "".

    Strict: a mark that is not known, or two that differ, cannot be read. The same mark twice can.
    """
    marks = set(_MARKED.findall(text))
    mark: str = marks.pop() if len(marks) == 1 else ""
    return mark if mark in known else ""
