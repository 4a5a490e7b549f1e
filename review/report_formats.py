"""Tables of review figures as CSV, LaTeX and Markdown.

A row is a label (a stage, a translation system, a subject) with its figures. Texts for people
come in as `ReportLabels`; where a statistic has no value the reason stands, never a number.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from common.csv_cells import defuse
from review.agreement import Estimate, NoInterval, Undefined
from review.criteria import NAMES
from review.figures import ESTIMATES, BriefFigures, StageFigures


class ReportRow(NamedTuple):
    """One line of a table; `of` says what the label names: stage, system or subject.

    `code` names the same for programs, in no language. `round` is a round's number where the
    figures are those of one round.
    """

    label: str
    figures: StageFigures | BriefFigures
    of: str
    code: str
    round: int | None = None


@dataclass(frozen=True, slots=True)
class ReportLabels:
    """The texts of a table: headings by column, and one text for each reason.

    `undefined` says why there is no value, `no_interval` why a value has no interval.
    `n` and `n_left_out` are %-patterns with `used` and `left_out`; the second is for items that
    a statistic could not use.
    """

    columns: Mapping[str, str]
    undefined: Mapping[Undefined, str]
    no_interval: Mapping[NoInterval, str]
    n: str
    n_left_out: str
    note: str


def as_csv(rows: Sequence[ReportRow], labels: ReportLabels) -> str:
    """Write one line a row for programs: full precision, shares from 0 to 1, CRLF line ends.

    Each estimate has the columns NAME, NAME_low, NAME_high, NAME_n_used, NAME_n_left_out,
    NAME_undefined and NAME_no_interval; the last two say why where the value or the interval is
    empty. All are empty where a row has no such estimate. Labels that a spreadsheet would run as
    a formula get a leading apostrophe.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([*_CSV_HEAD, *_csv_headings()])
    for row in rows:
        estimates = row.figures.estimates
        cells = [cell for name in ESTIMATES for cell in _csv_cells(estimates.get(name), labels)]
        writer.writerow([*_csv_head(row), *cells])
    return buffer.getvalue()


def as_markdown(rows: Sequence[ReportRow], labels: ReportLabels) -> str:
    """Write a pipe table with intervals in brackets, and a line that explains them."""
    headings = [_markdown(labels.columns[name]) for name in _columns(rows)]
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)]]
    lines += [[_markdown(cell) for cell in _cells(row, labels, sign="−")] for row in rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{labels.note}\n"


def as_latex(rows: Sequence[ReportRow], labels: ReportLabels) -> str:
    """Write a plain `tabular` that needs no package; special characters are escaped."""
    headings = [_latex(labels.columns[name]) for name in _columns(rows)]
    body = [[_latex(cell) for cell in _cells(row, labels, sign="-")] for row in rows]
    lines = [f"\\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}", "\\hline"]
    lines += [f"{' & '.join(headings)} \\\\", "\\hline"]
    lines += [f"{' & '.join(cells)} \\\\" for cells in body]
    lines += ["\\hline", "\\end{tabular}", f"% {labels.note}"]
    return "\n".join(lines) + "\n"


_CSV_HEAD = ("of", "round", "code", "label", "panel_size", "items_judged", "approved")
_MEANS = tuple(f"{name}_mean" for name in NAMES)
_DECIMALS = {"approval_rate": 1} | dict.fromkeys(_MEANS, 2)
_WITHOUT_N = frozenset({"approval_rate", *_MEANS})
_CSV_SUFFIXES = ("", "_low", "_high", "_n_used", "_n_left_out", "_undefined", "_no_interval")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def _columns(rows: Sequence[ReportRow]) -> list[str]:
    """The rows of one table have the same estimates, in the order of ESTIMATES."""
    return ["label", "items_judged", *(rows[0].figures.estimates if rows else ESTIMATES)]


def _csv_headings() -> list[str]:
    return [name + suffix for name in ESTIMATES for suffix in _CSV_SUFFIXES]


def _csv_head(row: ReportRow) -> list[object]:
    counts = (row.figures.panel_size, row.figures.items_judged, row.figures.approved)
    return [row.of, row.round, defuse(row.code), defuse(row.label), *counts]


def _csv_cells(estimate: Estimate | None, labels: ReportLabels) -> list[object]:
    if estimate is None:
        return [""] * len(_CSV_SUFFIXES)
    reason = estimate.undefined_reason
    said = "" if reason is None else labels.undefined[reason]
    withheld = "" if estimate.no_interval is None else labels.no_interval[estimate.no_interval]
    numbers = [estimate.value, estimate.low, estimate.high, estimate.n_used, estimate.n_left_out]
    return [*numbers, said, withheld]


def _cells(row: ReportRow, labels: ReportLabels, *, sign: str) -> list[str]:
    estimates = row.figures.estimates.items()
    texts = [_text(name, estimate, labels, sign=sign) for name, estimate in estimates]
    return [row.label, str(row.figures.items_judged), *texts]


def _text(name: str, estimate: Estimate, labels: ReportLabels, *, sign: str) -> str:
    if estimate.undefined_reason is not None or estimate.value is None:
        return labels.undefined[estimate.undefined_reason or Undefined.NO_ITEMS]
    text = _number(name, estimate.value, sign)
    if estimate.low is not None and estimate.high is not None:
        text += f" [{_number(name, estimate.low, sign)}, {_number(name, estimate.high, sign)}]"
    elif estimate.no_interval is not None:
        text += f" [{labels.no_interval[estimate.no_interval]}]"
    if name in _WITHOUT_N:
        return text
    counts = {"used": estimate.n_used, "left_out": estimate.n_left_out}
    pattern = labels.n_left_out if estimate.n_left_out else labels.n
    return f"{text} ({pattern % counts})"


def _number(name: str, value: float, sign: str) -> str:
    scaled = value * 100 if name == "approval_rate" else value
    text = f"{scaled:.{_DECIMALS.get(name, 3)}f}"
    return text.replace("-", "" if float(text) == 0 else sign)


def _markdown(text: str) -> str:
    escaped = "".join(f"\\{each}" if each in "\\|*_`<>" else each for each in text)
    return " ".join(escaped.split())


def _latex(text: str) -> str:
    return " ".join("".join(_LATEX.get(each, each) for each in text).split())
