"""Data for templates: the preview of a round, tables of figures, a text changed by hand, the queue."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from annotation.checks.actions import findings_for
from annotation.checks.presenters import in_words, open_findings
from annotation.items.queries import current_revision
from annotation.items.text_rows import TextRow, text_rows
from annotation.models import Item, Revision
from projects.enums import Role
from projects.models import Project
from projects.templatetags.languages import language_name
from review.agreement import Estimate
from review.audience import Audience
from review.dispute_queue import DAYS, ONLY, QueueCounts, QueueFilter
from review.labels import (
    finished_on,
    late_text,
    left_out_text,
    person_status,
    reason_name,
    shortage_text,
    timing_text,
    verdicts_name,
)
from review.models import Round
from review.outcomes import Correction
from review.previews import Person, RoundPreview
from review.report_formats import Cell, Column, Kind, Table, number_text
from review.text_checks import as_revision


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One line of the table of people; `status` says why somebody may not judge now."""

    user: int
    name: str
    role: str
    subjects: str
    status: str
    items: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a round asks, in words; names and control items only for readers who may know them."""

    roles: str
    languages: SafeString
    excluded: str
    needs_expert: bool
    control_percent: int | None


def asked_words(user: User, round_: Round) -> Asked:
    """Whom `round_` asks, as `user` may know it: reviewers learn neither names nor of controls."""
    project, audience = round_.project, Audience.from_json(round_.audience)
    names: list[str] = []
    if audience.excluded and user.has_perm("projects.view_members", project):
        people = User.objects.filter(pk__in=audience.excluded).order_by("name", "pk")
        names = [str(person) for person in people]
    is_told = bool(round_.control_percent) and user.has_perm("review.open_round", project)
    return Asked(
        roles=_roles_text(audience),
        languages=format_html_join(", ", "{}", ((language_name(c),) for c in audience.languages)),
        excluded=", ".join(names),
        needs_expert=audience.needs_expert,
        control_percent=round_.control_percent if is_told else None,
    )


def _roles_text(audience: Audience) -> str:
    if set(audience.roles) == {Role.REVIEWER}:
        return _("Reviewers, not seniors")
    if set(audience.roles) == {Role.SENIOR}:
        return _("Seniors, not reviewers")
    return _("Reviewers and seniors")


def edit_rows(item: Item) -> list[TextRow]:
    """The text as it stands, with its open findings."""
    revision = current_revision(item)
    findings = open_findings(revision.pk) if revision else []
    return text_rows(item, revision, findings, option_count=len(item.options))


def checked_rows(item: Item, typed: Correction) -> list[TextRow]:
    """The text as it was typed, with what the checks say of it; nothing is stored."""
    current = current_revision(item)
    text = as_revision(typed.in_full(current) if current else typed, current or Revision())
    found = findings_for(item=item, revision=text, project=item.project, now=item.created_at)
    return text_rows(item, text, in_words(found), option_count=len(item.options))


def preview_context(
    project: Project, preview: RoundPreview, *, today: date, due_on: date | None
) -> dict[str, Any]:
    """The people with how much they may judge, and what stands in the way of the round's end.

    `timing` and `late` say how long it takes, and that this is too long.
    """
    names: dict[int, str] = dict(project.subjects.values_list("pk", "name"))
    found = preview.forecast
    words = [shortage_text(each, preview, names) for each in found.shortages]
    return {
        "forecast": found,
        "shortages": words,
        "told_shortages": [
            {"code": each.code, "count": each.count, "detail": text}
            for each, text in zip(found.shortages, words, strict=True)
        ],
        "pace": preview.pace,
        "days": preview.days,
        "finished_on": finished_on(preview, today) if preview.days else None,
        "timing": timing_text(preview, today),
        "late": late_text(preview, today, due_on),
        "left_out": preview.left_out,
        "left_out_text": left_out_text(preview.kind, preview.left_out),
        "people": [_person_row(person, preview, names) for person in preview.people],
    }


def _person_row(person: Person, preview: RoundPreview, names: dict[int, str]) -> PersonRow:
    return PersonRow(
        user=person.user,
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


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter; `count` is how many disputes have it, None where nobody counted."""

    value: str
    label: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FilterField:
    name: str
    label: str
    everything: str
    choices: Sequence[Choice]


def queue_fields(
    project: Project, counts: QueueCounts, wanted: QueueFilter
) -> tuple[FilterField, ...]:
    """The filters of the queue with their counts; one without a choice is left out."""
    names = dict(project.subjects.values_list("slug", "name"))
    reasons = [(code, reason_name(code), count) for code, count in sorted(counts.reasons.items())]
    alone = [
        (ONLY + code, _reason_words(ONLY + code), count)
        for code, count in sorted(counts.only_reasons.items())
    ]
    gaps = [
        (gap, _("gap of %(gap)s") % {"gap": gap}, count)
        for gap, count in sorted(counts.gaps.items())
    ]
    verdicts = [
        (each, verdicts_name(each), count) for each, count in sorted(counts.verdicts.items())
    ]
    rounds = [
        (n, _("Round %(number)s") % {"number": n}, c) for n, c in sorted(counts.rounds.items())
    ]
    days = [(n, ngettext("%(n)s day", "%(n)s days", n) % {"n": n}, None) for n in DAYS]
    found: tuple[FilterField, ...] = (
        _field(wanted, "subject", _("Subject"), _("All subjects"), _named(counts.subjects, names)),
        _field(wanted, "reason", _("Reason"), _("All reasons"), [*reasons, *alone]),
        _field(wanted, "verdicts", _("Verdicts"), _("All verdicts"), verdicts),
        _field(wanted, "gap", _("Largest gap"), _("All gaps"), gaps),
        _field(wanted, "round", _("Round"), _("All rounds"), rounds),
        _field(wanted, "system", _("System"), _("All systems"), _named(counts.systems, {})),
        _field(wanted, "days", _("Waiting at least"), _("Any time"), days),
    )
    if counts.is_more:
        found = tuple(_uncounted(field) for field in found)
    return tuple(field for field in found if field.choices)


def _uncounted(field: FilterField) -> FilterField:
    """The field without numbers, which would be of the first disputes only."""
    return replace(field, choices=[replace(each, count=None) for each in field.choices])


def chosen_labels(project: Project, wanted: QueueFilter) -> list[str]:
    """What a filter asks for, in words."""
    subject = project.subjects.filter(slug=wanted.subject).first()
    words = [
        subject.name if subject else wanted.subject,
        _reason_words(wanted.reason),
        verdicts_name(wanted.verdicts),
        _("gap of %(gap)s") % {"gap": wanted.gap} if wanted.gap else "",
        _("Round %(number)s") % {"number": wanted.round} if wanted.round else "",
        wanted.system,
        _("waiting at least %(days)s days") % {"days": wanted.days} if wanted.days else "",
    ]
    return [each for each in words if each]


def sort_choices(wanted: QueueFilter) -> list[Choice]:
    names = {"": _("Worst first"), "oldest": _("Oldest first"), "uid": _("By item")}
    return [Choice(value, label, None, value == wanted.sort) for value, label in names.items()]


def _reason_words(reason: str) -> str:
    code = reason.removeprefix(ONLY)
    if not code:
        return ""
    name = reason_name(code)
    return name if code == reason else _("Only: %(reason)s") % {"reason": name}


def _named(counts: Mapping[str, int], names: Mapping[str, str]) -> list[tuple[str, str, int]]:
    return [(value, names.get(value, value), count) for value, count in sorted(counts.items())]


def _field(
    wanted: QueueFilter,
    name: str,
    label: str,
    everything: str,
    rows: Iterable[tuple[str | int, str, int | None]],
) -> FilterField:
    chosen = getattr(wanted, name)
    choices = [Choice(str(v), text, count, str(v) == chosen) for v, text, count in rows]
    return FilterField(name, label, everything, choices)
