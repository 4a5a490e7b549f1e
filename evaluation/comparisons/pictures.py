"""Tables of comparisons as SVG files: accuracies of runs, by whatever the table divides them."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext_lazy as _

from common.bar_pictures import Group, Share, draw_groups
from common.errors import DomainError
from common.estimates import Estimate
from common.figure_tables import FORMATS, Cell, Column, Kind, Table, TableFile, table_file

MEASURE: Final = "accuracy"
NOT_DRAWN: Final = ("accuracy_macro",)
MOST_BARS: Final = 600
CSV: Final = "csv"
SVG: Final = "svg"
MEDIA_TYPES: Final = {**{name: each[1] for name, each in FORMATS.items()}, SVG: "image/svg+xml"}
"""The formats of a table that may be drawn, with their media types."""
Row = tuple[Cell, ...]


class NoPicture(DomainError):
    code = "no_picture"
    detail = _(
        "There is no picture of this table: it has no accuracies, or more than %(most)s. Choose "
        "another table, fewer runs, or CSV."
    )
    status = 400


class TableEmpty(DomainError):
    code = "table_empty"
    detail = _(
        "These runs do not differ in what this table compares. Choose another table or other runs."
    )
    status = 400


def file_of(table: Table, format_name: str, *, stem: str) -> TableFile:
    """Return a table in one of MEDIA_TYPES. Raises NoPicture, and TableEmpty but for CSV."""
    if not table.rows and format_name != CSV:
        raise TableEmpty
    if format_name == SVG:
        return TableFile(picture_of(table), MEDIA_TYPES[SVG], f"{stem}.svg")
    return table_file([table], format_name, stem=stem)


def picture_of(table: Table) -> str:
    """Return the accuracies of a table as an SVG document. Raises NoPicture."""
    if not has_picture(table):
        raise NoPicture(most=MOST_BARS)
    measures = {at: column for at, column in enumerate(table.columns) if _is_measure(column)}
    names = [column.name for column in table.columns]
    series, groups = _divided(table, measures, names)
    return draw_groups(table.title, series, groups, warning=table.warning)


def has_picture(table: Table) -> bool:
    """Return whether a table has accuracies, and not too many."""
    return 0 < sum(map(_is_measure, table.columns)) * len(table.rows) <= MOST_BARS


def _divided(
    table: Table, measures: Mapping[int, Column], names: Sequence[str]
) -> tuple[Sequence[str], Sequence[Group]]:
    """Return what is compared within a group, and the groups.

    Runs are compared within each group of items, be it a row or a column of the table. Without runs
    the columns are compared within each row.
    """
    labels = [_label(table, row) for row in table.rows]
    if "run" not in names:
        headings = [column.heading for column in measures.values()]
        return headings, [
            Group(label, [_share(row[at]) for at in measures])
            for label, row in zip(labels, table.rows, strict=True)
        ]
    if len(measures) > 1:
        return labels, [
            Group(column.heading, [_share(row[at]) for row in table.rows])
            for at, column in measures.items()
        ]
    return _by_run(table, next(iter(measures)), names.index("run"))


def _by_run(table: Table, measure: int, run: int) -> tuple[Sequence[str], Sequence[Group]]:
    shares: dict[str, dict[str, Share]] = {}
    for row in table.rows:
        shares.setdefault(_label(table, row, without=run), {})[str(row[run])] = _share(row[measure])
    if len(shares) == 1:
        only = next(iter(shares.values()))
        return [""], [Group(name, [share]) for name, share in only.items()]
    runs = list(dict.fromkeys(str(row[run]) for row in table.rows))
    return runs, [
        Group(label, [found.get(name) for name in runs]) for label, found in shares.items()
    ]


def _is_measure(column: Column) -> bool:
    is_named = column.name == MEASURE or column.name.startswith(f"{MEASURE}_")
    return is_named and column.kind == Kind.PERCENT and column.name not in NOT_DRAWN


def _label(table: Table, row: Row, *, without: int = -1) -> str:
    texts = (
        cell
        for at, (column, cell) in enumerate(zip(table.columns, row, strict=True))
        if column.kind == Kind.TEXT and at != without and isinstance(cell, str)
    )
    return " · ".join(text for text in texts if text)


def _share(cell: Cell) -> Share:
    if isinstance(cell, Estimate):
        return Share(cell.value, cell.low, cell.high)
    return Share(cell if isinstance(cell, float) else None)
