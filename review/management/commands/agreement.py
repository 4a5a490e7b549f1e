"""Agreement between reviewers from a CSV file with the columns item, reviewer, value."""

import csv
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from common.commands import LotsawaCommand, natural, positive
from common.estimates import Estimate, Undefined
from review.figures.agreement import (
    Level,
    RatingTable,
    Record,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    table_from_records,
)
from review.figures.intervals import RESAMPLES
from review.figures.values import MISSING, ReadValues, read_values

COLUMNS = ("item", "reviewer", "value")
STATISTICS = ("fleiss_kappa", "krippendorff_alpha", "krippendorff_alpha_nominal", "gwet_ac1")
MAX_CATEGORIES = 500
LONGEST_CELL = 131_072


class Command(LotsawaCommand):
    """Print Fleiss kappa, Krippendorff alpha and Gwet AC1 of a file; needs no database.

    kappa is over the items with the full number of reviewers: `--panel-size`, or else the
    largest number that any item of the file has. Numbers may be ranks or mere names: where
    `--level` doesn't say, alpha is given for both. The categories of AC1 and kappa are the values
    that occur in the file; the result says which spellings count as one value ("Approve" and
    "approve", "5", "5.0" and "༥"). A row without a value, or with a word such as NA, is a missing
    judgement: it is not counted, and the result says how many there are.
    """

    help = "Agreement between reviewers from a CSV file with the columns item, reviewer, value."

    def arguments(self, parser: ArgumentParser) -> None:
        words = ", ".join(filter(None, MISSING))
        parser.add_argument(
            "file",
            metavar="FILE.csv",
            type=Path,
            help=f"an empty value is missing, as is one of these in any letter case: {words}",
        )
        parser.add_argument(
            "--level",
            choices=["nominal", "ordinal"],
            help="level of the values (default: nominal, and ordinal too if all values are numbers)",
        )
        parser.add_argument(
            "--panel-size",
            type=positive,
            metavar="N",
            help="reviewers of a complete item (default: the largest number in the file)",
        )
        parser.add_argument(
            "--resamples",
            type=positive,
            default=RESAMPLES,
            metavar="N",
            help=f"random draws for the intervals (default: {RESAMPLES})",
        )
        parser.add_argument(
            "--seed", type=natural, default=0, metavar="S", help="seed of these draws (default: 0)"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        rows = dict(_records(options["file"]))
        read = read_values({row: str(record.value) for row, record in rows.items()})
        if not read.values:
            raise CommandError(_("%(path)s has no rows of values.") % {"path": options["file"]})
        level = _level(options["file"], rows, read, options["level"])
        table = table_from_records(
            rows[row]._replace(value=value) for row, value in read.values.items()
        )
        if len(table.categories) > MAX_CATEGORIES:
            raise CommandError(
                _("The column value has %(n)d different values. The limit is %(most)d.")
                % {"n": len(table.categories), "most": MAX_CATEGORIES}
            )
        return _measured(table, level, options) | {
            "missing": sum(read.missing.values()),
            "missing_as": sorted(filter(None, read.missing)),
            "folded": {value: list(others) for value, others in read.folded.items()},
        }

    def text(self, result: dict[str, Any]) -> str:
        found = {name: result[name] for name in STATISTICS if name in result}
        names = [_name(name, data) for name, data in found.items()]
        width = max(map(len, names))
        lines = [_("%(items)d items, %(reviewers)d reviewers, %(values)d values") % result]
        if result["missing"]:
            lines[0] += _(", %(missing)d missing") % result
        if result["missing_as"]:
            lines.append(_("Counted as missing: %s.") % ", ".join(result["missing_as"]))
        for value, others in result["folded"].items():
            words = _("Counted as the value %(value)s too: %(others)s.")
            lines.append(words % {"value": value, "others": ", ".join(others)})
        for name, data in zip(names, found.values(), strict=True):
            lines.append(f"{name:<{width}}  {_said(Estimate.from_json(data))}")
        return "\n".join(lines)


def _name(statistic: str, data: dict[str, Any]) -> str:
    if statistic == "fleiss_kappa":
        of_panel = _("items with %(panel_size)d reviewers") % data
        return f"Fleiss κ ({of_panel})"
    if statistic == "gwet_ac1":
        return "Gwet AC1"
    level = _("ordinal") if data["level"] == "ordinal" else _("nominal")
    return f"Krippendorff α ({level})"


def _records(path: Path) -> Iterator[tuple[int, Record]]:
    """Read the file as (row, record); row 1 is the header. CommandError names file and row."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            csv.field_size_limit(LONGEST_CELL)  # of the process, so each reader sets its own
            yield from _checked(path, _rows(path, csv.reader(file, strict=True)))
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(
            _("%(path)s cannot be read: %(reason)s.") % {"path": path, "reason": reason}
        ) from error


def _rows(path: Path, reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    row = 0
    try:
        for cells in reader:
            row += 1
            yield row, cells
    except UnicodeDecodeError as error:
        raise CommandError(
            _("%(path)s is not UTF-8 text (after row %(row)d). Save it as UTF-8 and try again.")
            % {"path": path, "row": row}
        ) from error
    except csv.Error as error:
        raise CommandError(
            _("%(path)s is not a valid CSV file (after row %(row)d): %(reason)s.")
            % {"path": path, "row": row, "reason": error}
        ) from error


def _checked(path: Path, rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Record]]:
    _row, header = next(rows, (1, []))
    places = _places(path, header)
    seen: dict[tuple[str, str], int] = {}
    for row, cells in rows:
        if not cells:
            continue
        record = _record(path, row, cells, places)
        first = seen.setdefault((record.item, record.reviewer), row)
        if first != row:
            raise _twice(path, row, record, first)
        yield row, record
    if not seen:
        raise CommandError(_("%(path)s has no rows of values.") % {"path": path})


class _Places(NamedTuple):
    item: int
    reviewer: int
    value: int
    width: int


def _places(path: Path, header: list[str]) -> _Places:
    if not header:
        raise CommandError(_("%(path)s is empty.") % {"path": path})
    names = [name.strip().lower() for name in header]
    wrong = [name for name in COLUMNS if names.count(name) != 1]
    if wrong:
        raise CommandError(
            _("%(path)s, row 1: each of the columns %(needed)s must occur once. Check %(wrong)s.")
            % {"path": path, "needed": ", ".join(COLUMNS), "wrong": ", ".join(wrong)}
        )
    item, reviewer, value = (names.index(name) for name in COLUMNS)
    return _Places(item, reviewer, value, len(names))


def _record(path: Path, row: int, cells: list[str], places: _Places) -> Record:
    where = {"path": path, "row": row}
    if len(cells) != places.width:
        raise CommandError(
            _("%(path)s, row %(row)d has %(found)d cells, but the header has %(wanted)d.")
            % (where | {"found": len(cells), "wanted": places.width})
        )
    record = Record(*(cells[place].strip() for place in places[:3]))
    for name in ("item", "reviewer"):
        if not getattr(record, name):
            raise CommandError(
                _("%(path)s, row %(row)d: %(column)s is empty.") % (where | {"column": name})
            )
    return record


def _twice(path: Path, row: int, record: Record, first: int) -> CommandError:
    words = _(
        "%(path)s, row %(row)d: reviewer %(reviewer)s already has a value for item %(item)s "
        "in row %(first)d."
    )
    return CommandError(words % (record._asdict() | {"path": path, "row": row, "first": first}))


def _level(path: Path, rows: dict[int, Record], read: ReadValues, wanted: Level | None) -> Level:
    """The level of the values: as it is wanted, or ordinal if all are numbers."""
    if read.odd_row is None:
        return wanted or "ordinal"
    if wanted == "ordinal":
        raise CommandError(
            _("%(path)s, row %(row)d: %(value)s is not a number. Ordinal values must be.")
            % {"path": path, "row": read.odd_row, "value": rows[read.odd_row].value}
        )
    return "nominal"


def _measured(table: RatingTable, level: Level, options: dict[str, Any]) -> dict[str, Any]:
    rated = (table.counts, table.weights)
    size = options["panel_size"] or int(table.counts.sum(axis=1).max())
    plan = {"resamples": options["resamples"], "seed": options["seed"]}
    levels: dict[str, Level] = {"krippendorff_alpha": level}
    if level == "ordinal" and options["level"] is None:
        levels["krippendorff_alpha_nominal"] = "nominal"
    alphas = {
        name: krippendorff_alpha(*rated, level=each, **plan).as_json() | {"level": each}
        for name, each in levels.items()
    }
    return {
        "fleiss_kappa": fleiss_kappa(*rated, panel_size=size, **plan).as_json()
        | {"panel_size": size},
        **alphas,
        "gwet_ac1": gwet_ac1(*rated, **plan).as_json(),
        "items": table.items,
        "reviewers": table.reviewers,
        "values": table.values,
    }


def _said(estimate: Estimate) -> str:
    counts = _("n = %(used)d, %(left_out)d left out") % {
        "used": estimate.n_used,
        "left_out": estimate.n_left_out,
    }
    if estimate.value is None:
        return f"{_undefined(estimate.undefined_reason)}  {counts}"
    interval = _("not enough disagreement to tell")
    if estimate.low is not None and estimate.high is not None:
        interval = f"{estimate.low:z.3f}, {estimate.high:z.3f}"
    return f"{estimate.value:z.3f}  [{interval}]  {counts}"


def _undefined(reason: Undefined | None) -> str:
    words = {
        Undefined.NO_ITEMS: _("not defined: there are no items"),
        Undefined.NOTHING_TO_COMPARE: _("not defined: no item has values from enough reviewers"),
        Undefined.TOO_FEW_ITEMS: _("not defined: fewer than two items can be used"),
        Undefined.NO_VARIATION: _("not defined: all values are the same"),
    }
    return words[reason or Undefined.NO_ITEMS]
