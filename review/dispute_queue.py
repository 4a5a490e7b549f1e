"""The queue of open disputes: what it is filtered and sorted by, counts, and what comes next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, QuerySet

from accounts.models import User
from common.pagination import following
from projects.models import Project
from review.criteria import CRITERIA
from review.models import Panel
from review.outcomes import LETTERS, ReasonCode, parse_tally
from review.queries import disputes_for

SORTS: Mapping[str, Sequence[str]] = {
    "worst": ("-severity", "pk"),
    "oldest": ("decided_at", "pk"),
    "uid": ("uid_key", "pk"),
}
DAYS = (1, 7, 30)
ONLY = "only-"
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """What somebody wants to see of the queue; empty values ask for nothing.

    `reason` is a code that must be among the reasons, or with "only-" before it the only one.
    `verdicts` holds a letter for each judgement ("AAE"); `gap` is the largest difference between
    two ratings of one criterion; `days` is the least time of waiting.
    """

    subject: str = ""
    reason: str = ""
    verdicts: str = ""
    gap: str = ""
    round: str = ""
    system: str = ""
    days: str = ""
    sort: str = ""

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "QueueFilter":
        """Read a query string; what cannot be a value of a field is no value."""
        return cls(
            **{field.name: _clean(field.name, values.get(field.name, "")) for field in fields(cls)}
        )

    @property
    def order(self) -> Sequence[str]:
        return SORTS[self.sort or "worst"]

    @property
    def query(self) -> str:
        """The query string that leads back here, empty where nothing is asked for."""
        values = [(field.name, getattr(self, field.name)) for field in fields(self)]
        return urlencode([(name, value) for name, value in values if value])

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out."""
        return any(getattr(self, field.name) for field in fields(self) if field.name != "sort")


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many open disputes there are by each value of a filter."""

    total: int
    subjects: Mapping[str, int]
    rounds: Mapping[int, int]
    systems: Mapping[str, int]
    verdicts: Mapping[str, int]
    gaps: Mapping[int, int]
    reasons: Mapping[str, int]
    only_reasons: Mapping[str, int]


def queue_of(
    project: Project, user: User, wanted: QueueFilter, *, now: datetime
) -> QuerySet[Panel]:
    """The disputes that `user` may settle and asked for, in the order they asked for."""
    rows = disputes_for(project, user)
    if wanted.subject:
        rows = rows.filter(item__subject__slug=wanted.subject)
    if wanted.round:
        rows = rows.filter(round__number=int(wanted.round))
    if wanted.system:
        rows = rows.filter(revision__translation__system=wanted.system)
    if wanted.days:
        rows = rows.filter(decided_at__lte=now - timedelta(days=int(wanted.days)))
    if wanted.reason.startswith(ONLY):
        rows = rows.filter(reason_codes=wanted.reason.removeprefix(ONLY))
    elif wanted.reason:
        rows = rows.filter(reason_codes__contains=wanted.reason)
    if wanted.verdicts or wanted.gap:
        rows = rows.filter(tally__in=_tallies_with(rows, wanted))
    return rows.order_by(*wanted.order)


def queue_counts(project: Project, user: User) -> QueueCounts:
    """Counts of all that the user may settle; one grouped query for each column."""
    rows = disputes_for(project, user)
    verdicts: Counter[str] = Counter()
    gaps: Counter[int] = Counter()
    for tally, count in _counted(rows, "tally"):
        verdicts[verdicts_of(tally)] += count
        gaps[gap_of(tally)] += count
    reasons: Counter[str] = Counter()
    only: Counter[str] = Counter()
    total = 0
    for text, count in _counted(rows, "reason_codes"):
        total += count
        codes = text.split()
        reasons.update(dict.fromkeys(codes, count))
        only.update(dict.fromkeys(codes, count) if len(codes) == 1 else {})
    return QueueCounts(
        total=total,
        subjects=dict(_counted(rows, "item__subject__slug")),
        rounds=dict(_counted(rows, "round__number")),
        systems=dict(_counted(rows, "revision__translation__system")),
        verdicts=dict(sorted(verdicts.items())),
        gaps=dict(sorted(gaps.items())),
        reasons=reasons,
        only_reasons=only,
    )


def next_after(rows: QuerySet[Panel], panel: Panel, wanted: QueueFilter) -> Panel | None:
    """The dispute that follows `panel` in the queue `rows`, from its end back to its beginning."""
    later = following(rows, order=wanted.order, row=panel)
    return later.first() or rows.exclude(pk=panel.pk).first()


def verdicts_of(tally: str) -> str:
    """A letter for each judgement of a tally: approvals, then edits, then rejections."""
    return "".join(sorted(LETTERS[entry.verdict] for entry in parse_tally(tally)))


def gap_of(tally: str) -> int:
    """The largest difference between two ratings of one criterion."""
    entries = parse_tally(tally)
    columns = [[entry.ratings[index] for entry in entries] for index in range(len(CRITERIA))]
    return max((max(column) - min(column) for column in columns if column), default=0)


def _clean(name: str, value: str) -> str:
    value = value.replace("\x00", "")[:_LONGEST]
    known: dict[str, Sequence[str]] = {
        "sort": tuple(SORTS),
        "days": tuple(map(str, DAYS)),
        "reason": [*ReasonCode, *(f"{ONLY}{code}" for code in ReasonCode)],
    }
    if name in known:
        return value if value in known[name] else ""
    if name in ("gap", "round"):
        return value if value.isdecimal() and len(value) < 5 else ""
    return value


def _tallies_with(rows: QuerySet[Panel], wanted: QueueFilter) -> list[str]:
    tallies = rows.order_by().values_list("tally", flat=True).distinct()
    return [
        tally
        for tally in tallies
        if wanted.verdicts in ("", verdicts_of(tally)) and wanted.gap in ("", str(gap_of(tally)))
    ]


def _counted(rows: QuerySet[Panel], column: str) -> list[tuple[Any, int]]:
    found = rows.order_by().values_list(column).annotate(n=Count("pk")).order_by(column)
    return list(found)
