r"""Differences between two texts by the syllables and words of their script.

`static/js/graphemes.js` does the same while somebody types; tests/annotation/diff_cases.json holds
both to one result.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

import regex
from rapidfuzz.distance import Indel

# A Tibetan syllable; a Lao consonant with its vowels and tone; a Mongolian word with its suffixes;
# a number; a word of a script that puts spaces between words; else a character with its marks.
_UNITS: Final = regex.compile(
    r"[\u0F40-\u0FBC]+"
    r"|[\u0EC0-\u0EC4]?[\u0E81-\u0EAE\u0EDC-\u0EDF][\u0EB0-\u0EBD\u0EC6\u0EC8-\u0ECE]*"
    r"|\p{Script=Mongolian}[\p{Script=Mongolian}\u180B-\u180F\u200D\u202F]*"
    r"|\p{Nd}+(?:[.,]\p{Nd}+)*"
    r"|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}]"
    r"[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{M}\u200C\u200D]*"
    r"|[\s\S][\p{M}\u200C\u200D]*"
)
_LETTER: Final = regex.compile(r"[\p{L}\p{N}]")

# Tables of more cells than this are not filled: the changed middle is shown as replaced.
_MOST_CELLS: Final = 1_000_000


class Segment(NamedTuple):
    """A run of text that is the same in both, only in the new one, or only in the old one."""

    op: Literal["same", "ins", "del"]
    text: str


class _Run(NamedTuple):
    """Units that stay, or units that went and units that came in their place."""

    is_same: bool
    old: Sequence[str]
    new: Sequence[str]


def diff(old: str, new: str) -> list[Segment]:
    """Return the segments that lead from `old` to `new`; deletions stand before insertions.

    Joining all but the insertions gives `old` back, joining all but the deletions gives `new`.
    What stays by chance between two changes belongs to them, and where little stays at all the
    whole text is one deletion and one insertion: a mosaic of two texts can be read by nobody.
    """
    before, after = _UNITS.findall(old), _UNITS.findall(new)
    runs = list(_joined(list(_runs(before, after)), _is_mark))
    runs = list(_joined(runs, _is_chance))
    kept = sum(_letters(run.old) for run in runs if run.is_same)
    most = max(_letters(before), _letters(after))
    if most >= 4 and 10 * kept < 3 * most:
        runs = [_Run(is_same=False, old=before, new=after)]
    return list(_segments(runs))


def _runs(before: Sequence[str], after: Sequence[str]) -> Iterator[_Run]:
    """Yield what stays and what changes by turns, from a longest common subsequence."""
    start, end = _ends(before, after)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if start:
        yield _Run(is_same=True, old=before[:start], new=before[:start])
    gone: list[str] = []
    came: list[str] = []
    for op in Indel.opcodes(old, new) if len(old) * len(new) <= _MOST_CELLS else ():
        if op.tag != "equal":
            gone += old[op.src_start : op.src_end] if op.tag == "delete" else []
            came += new[op.dest_start : op.dest_end] if op.tag == "insert" else []
            continue
        yield _Run(is_same=False, old=gone, new=came)
        same = old[op.src_start : op.src_end]
        yield _Run(is_same=True, old=same, new=same)
        gone, came = [], []
    if len(old) * len(new) > _MOST_CELLS:
        gone, came = list(old), list(new)
    if gone or came:
        yield _Run(is_same=False, old=gone, new=came)
    if end:
        yield _Run(is_same=True, old=before[-end:], new=before[-end:])


def _ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many units are the same at the start, and of the rest at the end."""
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - start
    end = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    return start, end


def _joined(runs: Sequence[_Run], is_part: Callable[[_Run, _Run, _Run], bool]) -> Iterator[_Run]:
    """Join two changes with what stays between them, where that is a part of the change."""
    waiting: _Run | None = None
    position = 0
    while position < len(runs):
        run = runs[position]
        after = runs[position + 1] if position + 1 < len(runs) else None
        if waiting and run.is_same and after and is_part(waiting, run, after):
            waiting = _Run(
                is_same=False,
                old=[*waiting.old, *run.old, *after.old],
                new=[*waiting.new, *run.new, *after.new],
            )
            position += 2
            continue
        if run.is_same:
            if waiting:
                yield waiting
            waiting = None
            yield run
        else:
            waiting = run
        position += 1
    if waiting:
        yield waiting


def _is_mark(before: _Run, same: _Run, after: _Run) -> bool:
    """Say whether nothing stays but a tsheg, a space or the like."""
    return _letters(same.old) == 0


def _is_chance(before: _Run, same: _Run, after: _Run) -> bool:
    """Say whether a single syllable or word stays between two longer changes."""
    return _letters(same.old) == 1 and min(_size(before), _size(after)) >= 2


def _size(change: _Run) -> int:
    return max(_letters(change.old), _letters(change.new))


def _letters(units: Sequence[str]) -> int:
    return sum(1 for unit in units if _LETTER.search(unit))


def _segments(runs: Sequence[_Run]) -> Iterator[Segment]:
    for run in runs:
        if run.is_same:
            yield Segment("same", "".join(run.old))
            continue
        if run.old:
            yield Segment("del", "".join(run.old))
        if run.new:
            yield Segment("ins", "".join(run.new))
