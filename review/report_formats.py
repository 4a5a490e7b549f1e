"""Tables of review figures as CSV, LaTeX and Markdown.

A row is a label (a stage, a translation system, a subject) with its figures. Words for people
come in as `ReportWords`; a statistic without a value is said in those words, never as a number.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from review.agreement import Estimate, Undefined
from review.figures import ESTIMATES, StageFigures


class ReportRow(NamedTuple):
    """One line of a table; `of` says what the label names: stage or system."""

    label: str
    figures: StageFigures
    of: str = "stage"


@dataclass(frozen=True, slots=True)
class ReportWords:
    """The words of a table: headings by column, and one text a reason code.

    `n_used` is a %-pattern with `used` and `left_out`.
    """

    columns: Mapping[str, str]
    undefined: Mapping[Undefined, str]
    n_used: str
    note: str


def as_csv(rows: Sequence[ReportRow], words: ReportWords) -> str:
    """Write one line a row for programs: full precision, shares from 0 to 1, CRLF line ends.

    Each estimate has the columns NAME, NAME_low, NAME_high, NAME_n_used, NAME_n_left_out and
    NAME_undefined; the last holds words where the value is empty. Labels that a spreadsheet
    would run as a formula get a leading apostrophe.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["of", "label", "panel_size", "items_judged", "approved", *_csv_headings()])
    for row in rows:
        cells = [cell for _, each in _estimates(row.figures) for cell in _csv_cells(each, words)]
        writer.writerow([*_csv_head(row), *cells])
    return buffer.getvalue()


def as_markdown(rows: Sequence[ReportRow], words: ReportWords) -> str:
    """Write a pipe table with intervals in brackets, and a line that explains them."""
    headings = [_markdown(words.columns[name]) for name in _COLUMNS]
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)]]
    lines += [[_markdown(cell) for cell in _cells(row, words, sign="−")] for row in rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{words.note}\n"


def as_latex(rows: Sequence[ReportRow], words: ReportWords) -> str:
    """Write a plain `tabular` that needs no package; special characters are escaped."""
    headings = [_latex(words.columns[name]) for name in _COLUMNS]
    body = [[_latex(cell) for cell in _cells(row, words, sign="-")] for row in rows]
    lines = [f"\\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}", "\\hline"]
    lines += [f"{' & '.join(headings)} \\\\", "\\hline"]
    lines += [f"{' & '.join(cells)} \\\\" for cells in body]
    lines += ["\\hline", "\\end{tabular}", f"% {words.note}"]
    return "\n".join(lines) + "\n"


_COLUMNS = ("label", "items_judged", *ESTIMATES)
_DECIMALS = {"approval_rate": 1, "domain_mean": 2, "cultural_mean": 2}
_WITHOUT_N = frozenset({"approval_rate", "domain_mean", "cultural_mean"})
_CSV_SUFFIXES = ("", "_low", "_high", "_n_used", "_n_left_out", "_undefined")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def _estimates(figures: StageFigures) -> list[tuple[str, Estimate]]:
    return [(name, getattr(figures, name)) for name in ESTIMATES]


def _csv_headings() -> list[str]:
    return [name + suffix for name in ESTIMATES for suffix in _CSV_SUFFIXES]


def _csv_head(row: ReportRow) -> list[object]:
    counts = (row.figures.panel_size, row.figures.items_judged, row.figures.approved)
    return [row.of, _defused(row.label), *counts]


def _csv_cells(estimate: Estimate, words: ReportWords) -> list[object]:
    reason = estimate.undefined_reason
    said = "" if reason is None else words.undefined[reason]
    numbers = [estimate.value, estimate.low, estimate.high, estimate.n_used, estimate.n_left_out]
    return [*numbers, said]


def _cells(row: ReportRow, words: ReportWords, *, sign: str) -> list[str]:
    estimates = _estimates(row.figures)
    texts = [_text(name, estimate, words, sign=sign) for name, estimate in estimates]
    return [row.label, str(row.figures.items_judged), *texts]


def _text(name: str, estimate: Estimate, words: ReportWords, *, sign: str) -> str:
    if estimate.undefined_reason is not None or estimate.value is None:
        return words.undefined[estimate.undefined_reason or Undefined.NO_ITEMS]
    text = _number(name, estimate.value, sign)
    if estimate.low is not None and estimate.high is not None:
        text += f" [{_number(name, estimate.low, sign)}, {_number(name, estimate.high, sign)}]"
    if name in _WITHOUT_N:
        return text
    counts = {"used": estimate.n_used, "left_out": estimate.n_left_out}
    return f"{text} ({words.n_used % counts})"


def _number(name: str, value: float, sign: str) -> str:
    scaled = value * 100 if name == "approval_rate" else value
    text = f"{scaled:.{_DECIMALS.get(name, 3)}f}"
    return text.replace("-", "" if float(text) == 0 else sign)


def _defused(label: str) -> str:
    return f"'{label}" if label.startswith(("=", "+", "-", "@", "\t", "\r")) else label


def _markdown(text: str) -> str:
    escaped = "".join(f"\\{each}" if each in "\\|*_`<>" else each for each in text)
    return " ".join(escaped.split())


def _latex(text: str) -> str:
    return " ".join("".join(_LATEX.get(each, each) for each in text).split())
