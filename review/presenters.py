"""Data for templates: the preview of a round, and tables of figures cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from projects.models import Project
from review.agreement import Estimate
from review.labels import person_status, shortage_text
from review.previews import Person, RoundPreview
from review.report_formats import Cell, Column, Kind, Table, number_text


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One line of the table of people; `status` says why somebody may not judge now."""

    name: str
    role: str
    subjects: str
    status: str
    items: int


def preview_context(project: Project, preview: RoundPreview) -> dict[str, Any]:
    """The people with how much they may judge, and what stands in the way of the round's end."""
    names: dict[int, str] = dict(project.subjects.values_list("pk", "name"))
    found = preview.forecast
    return {
        "forecast": found,
        "shortages": [shortage_text(each, found, names) for each in found.shortages],
        "people": [_person_row(person, preview, names) for person in preview.people],
    }


def _person_row(person: Person, preview: RoundPreview, names: dict[int, str]) -> PersonRow:
    return PersonRow(
        name=person.name,
        role=person.role,
        subjects=", ".join(names[pk] for pk in person.subjects),
        status=person_status(person),
        items=preview.forecast.items_for.get(person.user, 0),
    )


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell as the template writes it; `value` is an estimate, a whole number or a text."""

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
    is_count = isinstance(cell, int)
    value: Any = cell
    if cell is None:
        value = "–"
    elif isinstance(cell, float):
        value = number_text(cell, column.kind)
    return CellView(
        heading=column.heading,
        kind=str(column.kind),
        value=value,
        is_estimate=isinstance(cell, Estimate),
        is_number=is_count,
        url=url,
    )
