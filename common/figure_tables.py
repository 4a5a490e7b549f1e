"""Tables of figures as CSV, LaTeX and Markdown; they only write what a `Table` holds.

Texts for people come in with the table. Where a statistic has no value or no interval the reason
stands in a note below the table, never a number.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from textwrap import wrap
from typing import Any, NamedTuple

from common.batches import batched
from common.csv_cells import defuse
from common.estimates import Estimate, NoInterval, Undefined

Cell = str | int | float | Estimate | None


class Kind(StrEnum):
    """How a column is written: as text, a whole number, a share in per cent, or with decimals.

    Money is in US dollars; a plain number has as few decimals as it needs, four at most.
    """

    TEXT = "text"
    COUNT = "count"
    PERCENT = "percent"
    RATING = "rating"
    AGREEMENT = "agreement"
    MONEY = "money"
    PROBABILITY = "probability"
    NUMBER = "number"


DECIMALS = {
    Kind.PERCENT: 1,
    Kind.RATING: 2,
    Kind.AGREEMENT: 2,
    Kind.MONEY: 4,
    Kind.PROBABILITY: 3,
    Kind.NUMBER: 4,
}
LEAST_PROBABILITY = 0.001


@dataclass(frozen=True, slots=True)
class Column:
    """`name` is for programs, in CSV; `heading` for people. `has_estimates` gives it an interval."""

    name: str
    heading: str
    kind: Kind = Kind.TEXT
    has_estimates: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Why something is missing, in the reader's language; `left_out` is a %-pattern."""

    undefined: Mapping[Undefined, str]
    no_interval: Mapping[NoInterval, str]
    left_out: str


class Part(NamedTuple):
    """A table that a larger one is printed as: its title, the names of its columns, and its note."""

    title: str
    columns: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells in the order of `columns`.

    `title` says what the table is of, with n, panel size and rule where there are any; `note`
    explains its intervals. `parts` are the tables that it is printed as; without any it is printed
    whole. CSV always has every column. `warning` is what nobody may read the numbers without: every
    format has it, CSV in a last column of each row.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    words: Words
    note: str = ""
    parts: tuple[Part, ...] = ()
    warning: str = ""

    @property
    def whole_note(self) -> str:
        return " ".join(filter(None, [self.warning, self.note]))

    def printed(self) -> "list[Table]":
        """The tables for people that this one is printed as, each with a name of its own."""
        parts = enumerate(self.parts, start=1)
        return [self._part(number, part) for number, part in parts] or [self]

    def _part(self, number: int, part: Part) -> "Table":
        names = [column.name for column in self.columns]
        places = [names.index(name) for name in part.columns]
        return replace(
            self,
            name=self.name if number == 1 else f"{self.name}-{number}",
            title=part.title,
            columns=tuple(self.columns[place] for place in places),
            rows=tuple(tuple(row[place] for place in places) for row in self.rows),
            note=part.note,
            parts=(),
        )


def as_csv(tables: Sequence[Table]) -> str:
    """Write one line a row for programs: full precision, shares from 0 to 1, CRLF line ends.

    The first column names the table; of several tables each row fills its own columns. Each
    estimate has the columns NAME, NAME_low, NAME_high, NAME_n_used, NAME_n_left_out,
    NAME_undefined and NAME_no_interval; the last two say why where the value or the interval is
    empty. Texts that a spreadsheet would run as a formula get a leading apostrophe. A table with a
    warning has it in each row, in the last column `warning`.
    """
    headings = ["table", *dict.fromkeys(name for table in tables for name in _csv_headings(table))]
    if any(table.warning for table in tables):
        headings.append("warning")
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, headings, restval="")
    writer.writeheader()
    for table in tables:
        for row in table.rows:
            said = {"warning": defuse(table.warning)} if table.warning else {}
            writer.writerow({"table": table.name} | _csv_cells(table, row) | said)
    return buffer.getvalue()


def as_json(table: Table) -> dict[str, Any]:
    """Give the rows as objects with the names of CSV; estimates are objects as in other figures."""
    names = [column.name for column in table.columns]
    rows = [
        {
            name: cell.as_json() if isinstance(cell, Estimate) else cell
            for name, cell in zip(names, row, strict=True)
        }
        for row in table.rows
    ]
    return {"table": table.name, "title": table.title, "note": table.whole_note, "rows": rows}


def as_markdown(tables: Sequence[Table]) -> str:
    """Write pipe tables with intervals in brackets, each with its title and its notes."""
    printed = [part for table in tables if table.rows for part in table.printed()]
    return "\n".join(_markdown_table(each) for each in printed)


def as_latex(tables: Sequence[Table]) -> str:
    r"""Write floating tables for a paper that loads `booktabs`; everything else is escaped text.

    Intervals stand below their values, headings and long names are broken into lines and many rows
    into several tables, so that each fits on a page of LaTeX's own classes. Names that are not in
    Latin letters need XeLaTeX or LuaLaTeX with a font that has them.
    """
    printed = [part for table in tables if table.rows for part in table.printed()]
    pages = [page for table in printed for page in _pages(table)]
    return "\n".join([_LATEX_HEAD, *map(_latex_table, pages)]) if pages else ""


def number_text(value: float, kind: Kind, *, minus: str = "\N{MINUS SIGN}") -> str:
    """Write a number with the decimals of its kind; what rounds to zero has no sign."""
    if kind is Kind.PROBABILITY and value < LEAST_PROBABILITY:
        return f"<{LEAST_PROBABILITY}"
    scaled = value * 100 if kind is Kind.PERCENT else value
    text = f"{scaled:.{DECIMALS.get(kind, 0)}f}"
    if kind is Kind.NUMBER:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "" if float(text) == 0 else minus)


FORMATS: Mapping[str, tuple[Callable[[Sequence[Table]], str], str, str]] = {
    "csv": (as_csv, "text/csv", "csv"),
    "latex": (as_latex, "application/x-tex", "tex"),
    "markdown": (as_markdown, "text/markdown", "md"),
}
"""Format → how it is written, its media type, and the ending of a file's name."""


class TableFile(NamedTuple):
    """A file with tables: its text, its media type and its whole name."""

    text: str
    media_type: str
    name: str


def table_file(tables: Sequence[Table], format_name: str, *, stem: str) -> TableFile:
    """The tables in a format of FORMATS, under a name that begins with `stem`."""
    write, media_type, suffix = FORMATS[format_name]
    return TableFile(write(tables), media_type, f"{stem}.{suffix}")


_CSV_SUFFIXES = ("", "_low", "_high", "_n_used", "_n_left_out", "_undefined", "_no_interval")
_LATEX_HEAD = r"""% Needs \usepackage{booktabs} in the preamble.
\providecommand{\withinterval}[2]{\begin{tabular}[t]{@{}r@{}}#1\\{\scriptsize #2}\end{tabular}}"""
_HEADING_LETTERS, _NAME_LETTERS = 11, 18
"""What goes into one line of a heading, and of a name whose column is not broken into lines."""
_PAGE_LINES = 32
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}\allowbreak{}",  # in the default encoding of LaTeX the sign itself is a dash
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "σ": r"$\sigma$",
    "±": r"$\pm$",
    "\N{MINUS SIGN}": "$-$",
    "–": "--",
    "“": "``",
    "”": "''",
} | {character: f"\\{character}" for character in "&%$#_{}"}


@dataclass(slots=True)
class _Notes:
    """What is said below a table, each once, in the order of the marks in its cells."""

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> str:
        if text not in self.texts:
            self.texts.append(text)
        return str(self.texts.index(text) + 1)


@dataclass(frozen=True, slots=True)
class _Text:
    """A cell in pieces, so that each format can set them in its own way."""

    value: str
    interval: str = ""
    marks: tuple[str, ...] = ()


def _csv_headings(table: Table) -> list[str]:
    return [
        column.name + suffix
        for column in table.columns
        for suffix in (_CSV_SUFFIXES if column.has_estimates else ("",))
    ]


def _csv_cells(table: Table, row: Sequence[Cell]) -> dict[str, object]:
    cells: dict[str, object] = {}
    for column, cell in zip(table.columns, row, strict=True):
        if isinstance(cell, Estimate):
            values = _csv_estimate(cell, table.words)
            cells |= {column.name + s: v for s, v in zip(_CSV_SUFFIXES, values, strict=True)}
        else:
            cells[column.name] = defuse(cell) if isinstance(cell, str) else cell
    return cells


def _csv_estimate(estimate: Estimate, words: Words) -> list[object]:
    reason, withheld = estimate.undefined_reason, estimate.no_interval
    return [
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.n_used,
        estimate.n_left_out,
        "" if reason is None else words.undefined[reason],
        "" if withheld is None else words.no_interval[withheld],
    ]


def _cells(table: Table, notes: _Notes) -> list[list[_Text]]:
    return [
        [
            _cell(cell, column, table.words, notes)
            for column, cell in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]


def _cell(cell: Cell, column: Column, words: Words, notes: _Notes) -> _Text:
    if cell is None:
        return _Text("–")
    if isinstance(cell, Estimate):
        return _estimate(cell, column, words, notes)
    return _Text(cell if isinstance(cell, str) else number_text(cell, column.kind))


def _estimate(estimate: Estimate, column: Column, words: Words, notes: _Notes) -> _Text:
    marks = []
    if estimate.value is None:
        reason = estimate.undefined_reason or Undefined.NO_ITEMS
        return _Text("–", marks=(notes.mark(words.undefined[reason]),))
    if estimate.no_interval is not None:
        marks.append(notes.mark(words.no_interval[estimate.no_interval]))
    if estimate.n_left_out:
        counts = {"used": estimate.n_used, "left_out": estimate.n_left_out}
        marks.append(notes.mark(words.left_out % counts))
    interval = ""
    if estimate.low is not None and estimate.high is not None:
        low, high = (number_text(end, column.kind) for end in (estimate.low, estimate.high))
        interval = f"[{low}, {high}]"
    return _Text(number_text(estimate.value, column.kind), interval, tuple(marks))


def _markdown_table(table: Table) -> str:
    notes = _Notes()
    rules = ["---" if column.kind is Kind.TEXT else "---:" for column in table.columns]
    lines = [[_markdown(column.heading) for column in table.columns], rules]
    lines += [[_markdown_cell(cell) for cell in row] for row in _cells(table, notes)]
    said = [f"({place}) {text}." for place, text in enumerate(notes.texts, start=1)]
    below = " ".join(filter(None, [table.whole_note, *said]))
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    title = _markdown(table.title)
    return f"**{title}**\n\n{body}\n" + (f"\n{_markdown(below)}\n" if below else "")


def _markdown_cell(cell: _Text) -> str:
    marks = "".join(f" ({mark})" for mark in cell.marks)
    return _markdown(" ".join(filter(None, [cell.value, cell.interval]))) + marks


def _markdown(text: str) -> str:
    escaped = "".join(f"\\{each}" if each in "\\|*_`<>" else each for each in text)
    return " ".join(escaped.split())


def _pages(table: Table) -> list[Table]:
    """The table in as many as its rows need pages, numbered in their titles."""
    lines = 2 if any(column.has_estimates for column in table.columns) else 1
    parts = list(batched(table.rows, _PAGE_LINES // lines))
    if len(parts) == 1:
        return [table]
    return [
        replace(
            table,
            name=f"{table.name}-page-{number}",
            title=f"{table.title} ({number}/{len(parts)})",
            rows=rows,
        )
        for number, rows in enumerate(parts, start=1)
    ]


def _latex_table(table: Table) -> str:
    notes = _Notes()
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{3pt}",
        f"\\caption{{{_latex(table.title)}}}",
        f"\\label{{tab:{table.name}}}",
        r"\smallskip",
        *_latex_rows(table, notes),
    ]
    marked = [
        f"\\textsuperscript{{{place}}} {_latex(text)}."
        for place, text in enumerate(notes.texts, start=1)
    ]
    if below := " ".join(filter(None, [_latex(table.whole_note), *marked])):
        lines += [r"\par\smallskip", f"{{\\footnotesize {below}\\par}}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_rows(table: Table, notes: _Notes) -> list[str]:
    rows = _cells(table, notes)
    is_long = [_is_long(column, rows, place) for place, column in enumerate(table.columns)]
    sides = "".join(map(_latex_side, table.columns, is_long))
    gap = r" \addlinespace[2pt]" if any(cell.interval for row in rows for cell in row) else ""
    return [
        f"\\begin{{tabular}}{{@{{}}{sides}@{{}}}}",
        r"\toprule",
        f"{' & '.join(map(_latex_heading, table.columns))} \\\\",
        r"\midrule",
        *(f"{' & '.join(map(_latex_cell, row, is_long))} \\\\{gap}" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _is_long(column: Column, rows: Sequence[Sequence[_Text]], place: int) -> bool:
    """Whether a column of names has one that must be broken into lines."""
    names = [row[place].value for row in rows] if column.kind is Kind.TEXT else []
    return any(len(name) > _NAME_LETTERS for name in names)


def _latex_side(column: Column, is_long: bool) -> str:
    if column.kind is not Kind.TEXT:
        return "r"
    return r"p{0.2\linewidth}" if is_long else "l"


def _latex_heading(column: Column) -> str:
    lines = wrap(column.heading, _HEADING_LETTERS, break_long_words=False)
    if len(lines) < 2:
        return _latex(column.heading)
    side = "l" if column.kind is Kind.TEXT else "r"
    text = r"\\".join(map(_latex, lines))
    return f"\\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{text}\\end{{tabular}}"


def _latex_cell(cell: _Text, is_long: bool) -> str:
    marks = f"\\textsuperscript{{{','.join(cell.marks)}}}" if cell.marks else ""
    if cell.value == "–":
        return f"--{marks}"
    text = _latex(cell.value)
    if is_long:
        return f"\\raggedright {text}"
    if text.startswith(("[", "*")):  # the end of the row before would take it for an argument
        text = f"{{}}{text}"
    if not cell.interval:
        return f"{text}{marks}"
    return f"\\withinterval{{{text}{marks}}}{{{_latex(cell.interval)}}}"


def _latex(text: str) -> str:
    return " ".join("".join(_LATEX.get(each, each) for each in text).split())
