"""Tables of figures, made ready for a template."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma

from common.estimates import Estimate
from common.figure_tables import Cell, Column, Kind, Table, number_text


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell as the template writes it; `value` is an estimate or a text."""

    heading: str
    kind: str
    value: Any
    is_estimate: bool
    is_number: bool
    url: str = ""


@dataclass(frozen=True, slots=True)
class TableView:
    """One printed table; the first cell of a row heads it."""

    title: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[CellView, ...], ...]


def table_views(table: Table, urls: Sequence[str] = ()) -> list[TableView]:
    """What a table is printed as on a page; `urls` are the addresses of its rows, if any."""
    return [_table_view(part, urls) for part in table.printed() if part.rows]


def _table_view(table: Table, urls: Sequence[str]) -> TableView:
    return TableView(
        title=table.title,
        headings=tuple(Heading(c.heading, c.kind is not Kind.TEXT) for c in table.columns),
        rows=tuple(
            tuple(
                _cell_view(cell, column, urls[place] if urls and not index else "")
                for index, (cell, column) in enumerate(zip(row, table.columns, strict=True))
            )
            for place, row in enumerate(table.rows)
        ),
    )


def _cell_view(cell: Cell, column: Column, url: str) -> CellView:
    value: Any = intcomma(cell) if isinstance(cell, int) else cell
    if cell is None:
        value = "–"
    elif isinstance(cell, float):
        value = number_text(cell, column.kind)
    return CellView(
        heading=column.heading,
        kind=str(column.kind),
        value=value,
        is_estimate=isinstance(cell, Estimate),
        is_number=column.kind is not Kind.TEXT,
        url=url,
    )
