"""Statements of work: what everybody judged in a project in a month, how long, and what it pays.

Answers in rounds that compare or solve are work like judgements, and are counted among them.

Months are those of UTC. A closed statement is read as it was closed. An open one is counted from
the judgements that no closed statement counts yet: those of its month and, in the first month that
is open, late ones of months that were closed before.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from accounts.models import User
from common.db import UtcMonth
from common.months import Month, month_of, parse_month
from projects.models import PayRate, Project
from review.models import (
    Answer,
    Judgement,
    StatedAnswer,
    StatedJudgement,
    WorkStatement,
    WorkStatementLine,
)
from review.seats.inquiries import work_done

CENT = Decimal("0.01")
HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class Line:
    """One person's work in a month; rate, currency and amount are none together."""

    person: int
    name: str
    email: str
    judgements: int
    late_judgements: int
    active_seconds: int
    hourly: Decimal | None
    currency: str
    amount: Decimal | None

    @property
    def hours(self) -> Decimal:
        """Active time in hours, to the hundredth."""
        return _rounded(Decimal(self.active_seconds) / HOUR)


@dataclass(frozen=True, slots=True)
class Statement:
    """A month's work in a project, by name; `closed_at` is none while it is open."""

    project: Project
    month: Month
    closed_at: datetime | None
    lines: Sequence[Line]

    @property
    def judgements(self) -> int:
        return sum(line.judgements for line in self.lines)

    @property
    def late_judgements(self) -> int:
        return sum(line.late_judgements for line in self.lines)

    @property
    def active_seconds(self) -> int:
        return sum(line.active_seconds for line in self.lines)

    @property
    def totals(self) -> list[tuple[str, Decimal]]:
        """(currency, amount) of each currency, by its code."""
        found: dict[str, Decimal] = {}
        for line in self.lines:
            if line.amount is not None:
                found[line.currency] = found.get(line.currency, Decimal(0)) + line.amount
        return sorted(found.items())


@dataclass(frozen=True, slots=True)
class StatementMonth:
    """A month in the list of statements."""

    month: Month
    judgements: int
    closed_at: datetime | None


class OpenWork(NamedTuple):
    """Judgements and answers."""

    judgements: QuerySet[Judgement]
    answers: QuerySet[Answer]


def statement_of(project: Project, month: Month) -> Statement:
    """The statement as it was closed, or as it stands now."""
    closed = WorkStatement.objects.filter(project=project, month=month.start.date()).first()
    if closed is None:
        return Statement(
            project,
            month,
            None,
            open_lines(project, month, open_work(project, month)),
        )
    lines = closed.lines.order_by("name", "email", "pk")
    return Statement(project, month, closed.closed_at, [line_of(row) for row in lines])


def statement_months(project: Project) -> list[StatementMonth]:
    """The months that have a statement or work without one, newest first."""
    rows = WorkStatement.objects.filter(project=project).annotate(n=Sum("lines__judgements"))
    months = {
        Month(row.month.year, row.month.month): StatementMonth(
            Month(row.month.year, row.month.month), row.n or 0, row.closed_at
        )
        for row in rows
    }
    for month, count in _open_counts(project).items():
        months[month] = StatementMonth(month, count, None)
    return [months[month] for month in sorted(months, reverse=True)]


def last_closed(project: Project) -> Month | None:
    """The latest month that is closed."""
    rows = WorkStatement.objects.filter(project=project).order_by("-month")
    found = rows.values_list("month", flat=True).first()
    return Month(found.year, found.month) if found else None


def first_open(project: Project, closed: Month | None) -> Month | None:
    """The first month with work that no statement counts; late work belongs to no open month.

    `closed` is the latest month that is closed.
    """
    begun: list[datetime] = []
    for rows in (unstated(project), unstated_answers(project)):
        after = rows.filter(submitted_at__gte=closed.end) if closed else rows
        begun += after.order_by("submitted_at").values_list("submitted_at", flat=True)[:1]
    return month_of(min(begun)) if begun else None


def open_work(project: Project, month: Month) -> OpenWork:
    """What the statement of `month` would count if it were closed now."""
    closed = last_closed(project)
    work = OpenWork(unstated(project), unstated_answers(project))
    if closed and month <= closed:
        return OpenWork(work.judgements.none(), work.answers.none())
    first = first_open(project, closed)
    in_time = Q(submitted_at__lt=month.end)
    if first is not None and month > first:  # late work counts in the first open month
        in_time &= Q(submitted_at__gte=month.start)
    return OpenWork(work.judgements.filter(in_time), work.answers.filter(in_time))


def unstated(project: Project) -> QuerySet[Judgement]:
    """The project's judgements that no closed statement counts."""
    counted = StatedJudgement.objects.filter(judgement=OuterRef("pk"))
    return work_done().filter(~Exists(counted), panel__round__in=project.rounds.all())


def unstated_answers(project: Project) -> QuerySet[Answer]:
    """The project's answers that no closed statement counts."""
    counted = StatedAnswer.objects.filter(answer=OuterRef("pk"))
    rows: QuerySet[Answer] = Answer.objects.filter(
        ~Exists(counted), panel__round__in=project.rounds.all()
    )
    return rows


def open_lines(project: Project, month: Month, work: OpenWork) -> list[Line]:
    """A line for each person in `work`, by name; two grouped queries, and one for the rates."""
    people: dict[int, dict[str, Any]] = {}
    for row in [*_by_person(work.judgements, month), *_by_person(work.answers, month)]:
        person = people.setdefault(
            row["reviewer"], {**row, "judgements": 0, "late": 0, "seconds": 0}
        )
        for name in ("judgements", "late", "seconds"):
            person[name] += row[name]
    rates = rates_of(project, month)
    by_name = sorted(
        people.values(),
        key=lambda row: (row["reviewer__name"], row["reviewer__email"], row["reviewer"]),
    )
    return [_line(row, rates.get(row["reviewer"])) for row in by_name]


def _by_person(work: QuerySet[Any], month: Month) -> QuerySet[Any, dict[str, Any]]:
    rows: QuerySet[Any, dict[str, Any]] = (
        work.values("reviewer", "reviewer__name", "reviewer__email")
        .annotate(
            judgements=Count("pk"),
            late=Count("pk", filter=Q(submitted_at__lt=month.start)),
            seconds=Sum("active_seconds"),
        )
        .order_by("reviewer")
    )
    return rows


def rates_of(project: Project, month: Month) -> dict[int, PayRate]:
    """The rate of each person in `month`, by the person's id."""
    rows = PayRate.objects.filter(project=project, from_month__lte=month.start.date())
    return {rate.user_id: rate for rate in rows.order_by("from_month", "pk")}


def line_of(row: WorkStatementLine) -> Line:
    return Line(
        person=row.person_id,
        name=row.name,
        email=row.email,
        judgements=row.judgements,
        late_judgements=row.late_judgements,
        active_seconds=row.active_seconds,
        hourly=row.hourly,
        currency=row.currency,
        amount=row.amount,
    )


def own_statements(user: User) -> list[tuple[WorkStatement, Line]]:
    """The person's line in each closed statement, newest first."""
    rows = WorkStatementLine.objects.filter(person=user).select_related("statement__project")
    ordered = rows.order_by("-statement__month", "statement__project__name", "pk")
    return [(row.statement, line_of(row)) for row in ordered]


def _open_counts(project: Project) -> dict[Month, int]:
    """How many judgements each open month would count; late ones go to the first."""
    counts: Counter[Month] = Counter()
    for work in (unstated(project), unstated_answers(project)):
        monthly: Any = work.annotate(in_month=UtcMonth("submitted_at"))
        rows = monthly.values("in_month").annotate(n=Count("pk")).order_by("in_month")
        counts.update({parse_month(row["in_month"]): row["n"] for row in rows})
    closed = last_closed(project)
    late = [month for month in counts if closed and month <= closed]
    waiting = sum(counts.pop(month) for month in late)
    if waiting and closed:
        first = min(counts, default=closed.following)
        counts[first] = counts.get(first, 0) + waiting
    return counts


def _line(row: dict[str, Any], rate: PayRate | None) -> Line:
    seconds = row["seconds"]
    amount = _rounded(rate.hourly * seconds / HOUR) if rate else None
    return Line(
        person=row["reviewer"],
        name=row["reviewer__name"],
        email=row["reviewer__email"],
        judgements=row["judgements"],
        late_judgements=row["late"],
        active_seconds=seconds,
        hourly=rate.hourly if rate else None,
        currency=rate.currency if rate else "",
        amount=amount,
    )


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(CENT, rounding=ROUND_HALF_UP)
