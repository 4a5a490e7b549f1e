"""The queue of open disputes: what it is filtered and sorted by, counts, and what comes next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Case, Count, QuerySet, When

from accounts.models import User
from common.pagination import beyond
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
_COUNTED = (
    "item__subject__slug",
    "round__number",
    "revision__translation__system",
    "tally",
    "reason_codes",
)


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
            **{each.name: _clean(each.name, values.get(each.name, "")) for each in fields(cls)}
        )

    @property
    def order(self) -> Sequence[str]:
        return SORTS[self.sort or "worst"]

    @property
    def query(self) -> str:
        """The query string that leads back here, empty where nothing is asked for."""
        values = [(each.name, getattr(self, each.name)) for each in fields(self)]
        return urlencode([(name, value) for name, value in values if value])

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out."""
        return any(getattr(self, each.name) for each in fields(self) if each.name != "sort")


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many open disputes there are by each value of a filter."""

    subjects: Counter[str] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    systems: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    gaps: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    only_reasons: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return self.rounds.total()


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
    """Counts of all that the user may settle, from one grouped query."""
    rows = disputes_for(project, user).order_by().values_list(*_COUNTED)
    found = QueueCounts()
    for subject, number, system, tally, text, count in rows.annotate(n=Count("pk")):
        codes = text.split()
        found.subjects[subject] += count
        found.rounds[number] += count
        found.systems[system] += count
        if tally:  # a dispute about a key has no verdicts
            found.verdicts[verdicts_of(tally)] += count
        found.gaps[gap_of(tally)] += count
        found.reasons.update(dict.fromkeys(codes, count))
        found.only_reasons.update(dict.fromkeys(codes, count) if len(codes) == 1 else {})
    return found


def next_after(rows: QuerySet[Panel], panel: Panel, wanted: QueueFilter) -> Panel | None:
    """The dispute that follows `panel` in the queue `rows`, from its end back to its beginning."""
    is_before = Case(When(beyond(panel, wanted.order), then=0), default=1)
    others = rows.exclude(pk=panel.pk)
    return others.annotate(is_before=is_before).order_by("is_before", *wanted.order).first()


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
