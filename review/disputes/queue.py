"""The queue of open disputes: what it is filtered and sorted by, counts, and what comes next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Q, QuerySet

from accounts.models import User
from common.filters import known_value
from common.pagination import Total, beyond, bounded_total
from projects.models import Project
from review.disputes.queries import disputes_for
from review.enums import Outcome
from review.models import Panel
from review.outcomes import ReasonCode, tokens_of
from review.seats.inquiries import waiting_panels, waits

SORTS: Mapping[str, Sequence[str]] = {
    "worst": ("-severity", "pk"),
    "oldest": ("decided_at", "pk"),
    "uid": ("uid_key", "pk"),
}
WHOLE: Mapping[str, Q] = {
    "-severity": Q(severity__lte=32_767),
    "decided_at": Q(decided_at__gte=datetime.min.replace(year=1900, tzinfo=UTC)),
    "uid_key": Q(uid_key__gte=""),
}
DAYS = (1, 7, 30)
ONLY = "only-"
COUNTED = 1000
LEFT = 100
_LONGEST = 200
_KNOWN: Mapping[str, Sequence[str]] = {
    "sort": tuple(SORTS),
    "days": tuple(map(str, DAYS)),
    "waiting": ("yes",),
    "reason": [*ReasonCode, *(f"{ONLY}{code}" for code in ReasonCode)],
}
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
    two ratings of one criterion; `days` is the least time of waiting. With `waiting` it is the
    disputes that wait for a second look or one more judgement, else those that do not.
    """

    subject: str = ""
    reason: str = ""
    verdicts: str = ""
    gap: str = ""
    round: str = ""
    system: str = ""
    days: str = ""
    waiting: str = ""
    sort: str = ""

    @classmethod
    def refusing(cls, values: Mapping[str, str]) -> "QueueFilter":
        """Read a query string that a person may have written. Raises FilterUnknown."""
        found = cls.of(values)
        for name, known in _KNOWN.items():
            known_value(name, values.get(name, ""), known)
        return found

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
    """How many open disputes there are by each value of a filter.

    With `is_more` these are the COUNTED worst of more.
    """

    subjects: Counter[str] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    systems: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    gaps: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    only_reasons: Counter[str] = field(default_factory=Counter)
    is_more: bool = False

    @property
    def total(self) -> int:
        return self.rounds.total()


def queue_of(
    project: Project, user: User, wanted: QueueFilter, *, now: datetime
) -> QuerySet[Panel]:
    """The disputes that `user` may settle and asked for, in the order they asked for."""
    rows = disputes_for(project, user)
    rows = rows.filter(pk__in=waiting_panels(project)) if wanted.waiting else rows.exclude(waits())
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
        rows = rows.filter(tally__in=_tallies_with(project, wanted))
    return rows.order_by(*wanted.order)


def queue_counts(project: Project, user: User) -> QueueCounts:
    """Counts of what the user may settle now, but of no more than COUNTED disputes."""
    waiting = disputes_for(project, user).exclude(waits())
    rows = list(waiting.order_by(*SORTS["worst"]).values_list(*_COUNTED)[: COUNTED + 1])
    found = QueueCounts(is_more=len(rows) > COUNTED)
    grouped = Counter(rows[:COUNTED])
    for (subject, number, system, tally, text), count in grouped.items():
        codes = text.split()
        found.subjects[subject] += count
        found.rounds[number] += count
        found.systems[system] += count
        if tally:  # a dispute about a key has no verdicts
            found.verdicts[verdicts_of(tally)] += count
        found.gaps[gap_of(tally)] += count
        found.reasons.update(dict.fromkeys(codes, count))
        found.only_reasons.update(dict.fromkeys(codes, count) if len(codes) == 1 else {})
    return _with_all_values(project, found) if found.is_more else found


def _with_all_values(project: Project, found: QueueCounts) -> QueueCounts:
    """The same counts with the values that only disputes beyond the counted ones may have, as 0."""
    tallies = _tallies(project)
    found.subjects.update(dict.fromkeys(project.subjects.values_list("slug", flat=True), 0))
    found.rounds.update(dict.fromkeys(project.rounds.values_list("number", flat=True), 0))
    found.verdicts.update(dict.fromkeys(map(verdicts_of, tallies), 0))
    found.gaps.update(dict.fromkeys(map(gap_of, tallies), 0))
    for counter in (found.reasons, found.only_reasons):
        counter.update(dict.fromkeys(map(str, ReasonCode), 0))
    return found


def waiting_count(project: Project, user: User) -> Total:
    """How many disputes that `user` may settle wait for a reviewer, up to a bound."""
    rows = disputes_for(project, user).filter(pk__in=waiting_panels(project))
    return bounded_total(rows.select_related(None), order=["pk"])


def left_in(rows: QuerySet[Panel], wanted: QueueFilter) -> Total:
    """How many disputes a filter has, up to LEFT."""
    return bounded_total(rows.select_related(None), order=wanted.order, most=LEFT)


def next_after(rows: QuerySet[Panel], panel: Panel, wanted: QueueFilter) -> Panel | None:
    """The dispute that follows `panel` in the queue `rows`, from its end back to its beginning."""
    others = rows.exclude(pk=panel.pk).order_by(*wanted.order)
    later = others.filter(beyond(panel, wanted.order), _from_here(panel, wanted.order[0]))
    # With a bound that every dispute keeps, SQLite walks the index instead of sorting them all.
    first = others.filter(WHOLE[wanted.order[0]]).first()
    return later.first() or first


def _from_here(panel: Panel, first: str) -> Q:
    """What `beyond` says already of the first column of an order, so that its index is sought."""
    name = first.removeprefix("-")
    return Q(**{f"{name}__{'gte' if name == first else 'lte'}": getattr(panel, name)})


def verdicts_of(tally: str) -> str:
    """A letter for each judgement of a tally: approvals, then edits, then rejections."""
    return "".join(sorted(token[0] for token in tokens_of(tally)))


def gap_of(tally: str) -> int:
    """The largest difference between two ratings of one criterion."""
    columns = zip(*(token[1:] for token in tokens_of(tally)), strict=True)
    return max((int(max(column)) - int(min(column)) for column in columns), default=0)


def _clean(name: str, value: str) -> str:
    value = value.replace("\x00", "")[:_LONGEST]
    if name in _KNOWN:
        return value if value in _KNOWN[name] else ""
    if name in ("gap", "round"):
        return value if value.isdecimal() and len(value) < 5 else ""
    return value


def _tallies_with(project: Project, wanted: QueueFilter) -> list[str]:
    return [
        tally
        for tally in _tallies(project)
        if wanted.verdicts in ("", verdicts_of(tally)) and wanted.gap in ("", str(gap_of(tally)))
    ]


def _tallies(project: Project) -> list[str]:
    """The tallies of all disputes that there ever were; read from an index alone."""
    panels = Panel.objects.filter(round__in=project.rounds.all(), outcome=Outcome.DISPUTED)
    return list(panels.order_by().values_list("tally", flat=True).distinct())
