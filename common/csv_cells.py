"""CSV lines of texts, and one rule for cells that a spreadsheet would run as a formula.

A text that begins like a formula gets an apostrophe before it, which spreadsheets take to mean
"text". So does a text that already begins with apostrophes and then like a formula: taking one
apostrophe away therefore always gives the text back. Numbers stay as they are, negative ones too.
"""

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeVar

# The signs that begin a formula, their full-width forms, and what some spreadsheets skip first.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_STARTS = frozenset("'=+-@\t\r\n＝＋－＠")  # a look at one sign is enough for most cells
_NEGATIVE_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?%?")

_first_sign = itemgetter(0)
_needs_quotes = re.compile(r'[,"\r\n]').search

Cell = TypeVar("Cell")


def defuse(cell: Cell) -> Cell | str:
    """Make a cell harmless in a spreadsheet; what isn't text comes back unchanged."""
    if not isinstance(cell, str) or cell[:1] not in _STARTS or _NEGATIVE_NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}" if _FORMULA.match(cell) else cell


def defused(cells: Sequence[str]) -> Sequence[str]:
    """Every cell made harmless; one look at the first signs of all is enough for most rows."""
    if _STARTS.isdisjoint(map(_first_sign, filter(None, cells))):
        return cells
    return [defuse(cell) if cell[:1] in _STARTS else cell for cell in cells]


def restore(cell: str) -> str:
    """The text that `defuse` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_line(cells: Sequence[str]) -> str:
    """The cells as a line without its end, in quotes where they need them.

    Most lines need none, and that is seen from the line as a whole: the csv module takes five
    times as long to look at each character. It also leaves a lone carriage return without
    quotes, at which readers end the row.
    """
    line = ",".join(cells)
    needs_none = line.count(",") == len(cells) - 1
    if needs_none and not ('"' in line or "\n" in line or "\r" in line):
        return line
    return ",".join(map(quoted, cells))


def quoted(cell: str) -> str:
    """The cell as it stands in a file: in quotes where it needs them."""
    if not _needs_quotes(cell):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'
