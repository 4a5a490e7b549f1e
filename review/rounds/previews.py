"""What would become of a round: who may judge how many of its items, and what stands in the way."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.querysets import ItemQuerySet
from common.db import UtcDay
from projects.enums import JUDGES, Role
from projects.models import Membership, Project
from projects.solving import reads_language
from review.audience import EVERYBODY, Audience
from review.eligibility import Bar, bars_of, judged_in
from review.enums import RoundKind
from review.models import Judgement, Round
from review.report.kept import kept
from review.rounds.staffing import Forecast, ItemGroup, Judge, forecast
from review.rules import is_asked
from review.selection.controls import control_count
from review.selection.item_choice import latest_judged_round

CURRENT = "working_translation__current_revision"
PACE_ROUNDS = 3
PACE_JUDGEMENTS = 2_000


@dataclass(frozen=True, slots=True)
class Person:
    """A reviewer or senior of a project; the flags say why they may not judge now."""

    user: int
    name: str
    role: str
    subjects: tuple[int, ...]
    languages: tuple[str, ...]
    is_paused: bool
    is_active: bool
    reads_language: bool
    is_asked: bool = True
    is_senior: bool = False

    @property
    def may_work(self) -> bool:
        return self.is_active and not self.is_paused

    @property
    def can_judge(self) -> bool:
        return self.may_work and self.reads_language and self.is_asked


@dataclass(frozen=True, slots=True)
class RoundPreview:
    """`people` are all who have the role to judge, also those who may not judge now.

    `pace` is the median of what one person judged on one day of the last rounds, if it is known.
    `left_out` items were chosen too, but a round of this kind cannot ask about them.
    """

    forecast: Forecast
    people: Sequence[Person]
    pace: float | None
    kind: RoundKind = RoundKind.REVIEW
    left_out: int = 0
    has_substitute: bool = False

    @property
    def days(self) -> int | None:
        """How many days the busiest person works at least, at the pace of the last rounds."""
        return math.ceil(self.forecast.workload / self.pace) if self.pace else None

    @property
    def seniors(self) -> list[Person]:
        """Who can settle disputes now."""
        return [person for person in self.people if person.is_senior and person.may_work]

    @property
    def may_leave_no_senior(self) -> bool:
        """Whether all seniors may sit on one panel, and then nobody may settle its dispute."""
        judges = [person for person in self.seniors if person.can_judge]
        is_all = len(judges) == len(self.seniors) <= self.forecast.panel_size
        return is_all and not self.has_substitute and self.kind != RoundKind.COMPARISON


def preview_round(
    project: Project,
    items: ItemQuerySet,
    *,
    panel_size: int,
    cap_per_person: int | None,
    is_same_panel_allowed: bool | None,
    audience: Audience = EVERYBODY,
    kind: RoundKind = RoundKind.REVIEW,
    control_percent: int = 0,
) -> RoundPreview:
    """Preview a round over `items`.

    The database counts them; those are read that somebody judged before and may not judge again.
    """
    people = judging_people(project, audience)
    judges = [Judge(p.user, frozenset(p.subjects)) for p in people if p.can_judge]
    is_same_allowed = may_judge_again(
        people, panel_size=panel_size, is_allowed=is_same_panel_allowed, kind=kind
    )
    groups = _groups(project, items, judges, kind, is_same_panel_allowed=is_same_allowed)
    found = forecast(
        groups,
        judges,
        panel_size=panel_size,
        cap_per_person=cap_per_person,
        needs_expert=audience.needs_expert,
        controls=control_count(project, items, percent=control_percent),
    )
    return RoundPreview(found, people, recent_pace(project), kind)


def recent_pace(project: Project) -> float | None:
    """The median of judgements by one person on one day of the last rounds; None without any.

    Looks no further back than needed: a large round says enough, and is not counted each time.
    """
    counts: Counter[tuple[int, str]] = Counter()
    judged = 0
    latest = Round.objects.filter(project=project, judged_count__gt=0).order_by("-number")
    for round_ in latest[:PACE_ROUNDS]:
        if judged < PACE_JUDGEMENTS:
            counts.update(kept(round_, "pace", partial(_counts_by_day, round_)))
        judged += round_.judged_count
    return float(median(counts.values())) if counts else None


def _counts_by_day(round_: Round) -> dict[tuple[int, str], int]:
    """How much each person judged on each day."""
    rows = Judgement.objects.filter(panel__round=round_).annotate(day=UtcDay("submitted_at"))
    counts = rows.values_list("reviewer", "day").annotate(count=Count("pk")).order_by()
    return {(reviewer, str(day)): count for reviewer, day, count in counts}


def judging_people(project: Project, audience: Audience = EVERYBODY) -> list[Person]:
    """Everyone with a role that judges, by name; one query and one for their subjects."""
    rows: QuerySet[Membership] = (
        project.memberships.in_role(*JUDGES)
        .select_related("user")
        .prefetch_related("subjects")
        .order_by("user__name", "pk")
    )
    return [
        Person(
            user=row.user_id,
            name=row.user.name or row.user.email,
            role=row.get_role_display(),
            subjects=tuple(subject.pk for subject in row.subjects.all()),
            languages=tuple(row.languages),
            is_paused=row.is_paused,
            is_active=row.user.is_active,
            reads_language=not row.languages
            or reads_language(row.languages, project.target_language),
            is_asked=is_asked(audience, user=row.user_id, role=row.role, languages=row.languages),
            is_senior=row.role == Role.SENIOR,
        )
        for row in rows
    ]


def may_judge_again(
    people: Sequence[Person], *, panel_size: int, is_allowed: bool | None, kind: RoundKind
) -> bool:
    """Whether last round's judges may judge an item again: if so told, or if there are no others.

    In a solving round, whether those who saw a key may answer: only if so told.
    """
    if is_allowed is not None or kind == RoundKind.SOLVING:
        return bool(is_allowed)
    return sum(person.can_judge for person in people) < 2 * panel_size


def _groups(
    project: Project,
    items: ItemQuerySet,
    judges: Sequence[Judge],
    kind: RoundKind,
    *,
    is_same_panel_allowed: bool,
) -> Mapping[ItemGroup, int]:
    """Who is barred from how many items, by the same conditions as a claim."""
    people = frozenset(judge.person for judge in judges)
    nobody: frozenset[int] = frozenset()
    is_strict = kind == RoundKind.REVIEW and not is_same_panel_allowed
    before = latest_judged_round(project) if is_strict else None
    bars = bars_of(
        kind,
        is_same_panel_allowed=is_same_panel_allowed,
        judged_before=judged_in([before.pk]) if before else None,
    )
    by_item = _barred(items.values("pk"), people, [bar for bar in bars if bar.of_panel == "item"])
    texts = items.values(CURRENT)
    by_text = _barred(texts, people, [bar for bar in bars if bar.of_panel == "revision"])
    groups: Counter[ItemGroup] = Counter()
    for subject, author, count in _counted(items):
        groups[ItemGroup(subject, people & {author})] += count
    for pk, revision, subject, author in _concerned(items, by_item, by_text):
        barred = by_item.get(pk, nobody) | by_text.get(revision, nobody)
        wrote = people & {author}
        groups[ItemGroup(subject, wrote)] -= 1
        groups[ItemGroup(subject, wrote | barred)] += 1
    return +groups


def _counted(items: ItemQuerySet) -> QuerySet[Any]:
    """(subject, author of the text, how many items)."""
    rows = items.order_by().values_list("subject_id", f"{CURRENT}__author_id")
    counted: QuerySet[Any] = rows.annotate(count=Count("pk"))
    return counted


def _concerned(
    items: ItemQuerySet, by_item: Collection[int], by_text: Collection[int]
) -> QuerySet[Any]:
    """(id, text, subject, author) of the items that a bar is about."""
    if not by_item and not by_text:
        return items.none()
    about = Q(pk__among=list(by_item)) | Q(**{f"{CURRENT}__pk__among": list(by_text)})
    rows = items.order_by().filter(about)
    return rows.values_list("pk", f"{CURRENT}_id", "subject_id", f"{CURRENT}__author_id")


def _barred(
    chosen: QuerySet[Any], people: Collection[int], bars: Iterable[Bar]
) -> Mapping[int, set[int]]:
    """Return who is barred from each of the `chosen` items, or from each of the texts."""
    found: dict[int, set[int]] = defaultdict(set)
    for bar in bars:
        for key, person in bar.pairs(people, chosen):
            found[key].add(person)
    return found
