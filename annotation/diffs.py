"""Differences between two texts by grapheme, so that no stack of letters is ever cut in two."""

from typing import Literal, NamedTuple

import regex
from rapidfuzz.distance import Indel

_UNITS = regex.compile(r"[\p{Latin}\p{Nd}\p{Cyrillic}]+|\X")


class Segment(NamedTuple):
    """A run of text that is the same in both, only in the new one, or only in the old one."""

    op: Literal["same", "ins", "del"]
    text: str


def diff(old: str, new: str) -> list[Segment]:
    """Return the segments that lead from `old` to `new`; deletions stand before insertions.

    Units are graphemes, and whole words of Latin or Cyrillic letters and whole numbers: half a
    number is no useful difference. Joining all but the insertions gives `old` back, joining all
    but the deletions gives `new`.
    """
    before, after = _UNITS.findall(old), _UNITS.findall(new)
    segments: list[Segment] = []
    for op in Indel.opcodes(before, after):
        if op.tag == "equal":
            _add(segments, "same", "".join(before[op.src_start : op.src_end]))
        elif op.tag == "delete":
            _add(segments, "del", "".join(before[op.src_start : op.src_end]))
        else:
            _add(segments, "ins", "".join(after[op.dest_start : op.dest_end]))
    return _deletions_first(segments)


def _add(segments: list[Segment], op: Literal["same", "ins", "del"], text: str) -> None:
    if segments and segments[-1].op == op:
        segments[-1] = Segment(op, segments[-1].text + text)
    elif text:
        segments.append(Segment(op, text))


def _deletions_first(segments: list[Segment]) -> list[Segment]:
    """Within a run of changes, put what went before what came, each as one segment."""
    ordered: list[Segment] = []
    gone = came = ""
    for segment in [*segments, Segment("same", "")]:
        if segment.op == "del":
            gone += segment.text
        elif segment.op == "ins":
            came += segment.text
        else:
            ordered += [s for s in (Segment("del", gone), Segment("ins", came), segment) if s.text]
            gone = came = ""
    return ordered
