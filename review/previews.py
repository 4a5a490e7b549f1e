"""What would become of a round: who may judge how many of its items, and what stands in the way."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from django.db.models import Count, QuerySet

from annotation.models import KeyChange, Revision
from common.db import UtcDay
from projects.enums import JUDGES
from projects.models import Membership, Project
from projects.solving import reads_language
from review.audience import EVERYBODY, Audience
from review.controls import control_count
from review.enums import Outcome, RoundKind, Verdict
from review.item_choice import ChosenItem, latest_judged_round
from review.models import Adjudication, Judgement, Round
from review.rules import is_asked
from review.staffing import Forecast, ItemGroup, Judge, forecast

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

    @property
    def can_judge(self) -> bool:
        may_work = self.is_active and not self.is_paused
        return may_work and self.reads_language and self.is_asked


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

    @property
    def days(self) -> int | None:
        """How many days the busiest person works at least, at the pace of the last rounds."""
        return math.ceil(self.forecast.workload / self.pace) if self.pace else None


def preview_round(
    project: Project,
    items: Sequence[ChosenItem],
    *,
    panel_size: int,
    cap_per_person: int | None,
    is_same_panel_allowed: bool | None,
    audience: Audience = EVERYBODY,
    kind: RoundKind = RoundKind.REVIEW,
    control_percent: int = 0,
) -> RoundPreview:
    """Preview a round over `items`; its cost grows with them."""
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
        controls=control_count(project, {item.pk for item in items}, percent=control_percent),
    )
    return RoundPreview(found, people, recent_pace(project), kind)


def recent_pace(project: Project) -> float | None:
    """The median of judgements by one person on one day of the last rounds; None without any.

    Looks no further back than needed: a large round says enough.
    """
    rounds, judged = [], 0
    latest = Round.objects.filter(project=project, judged_count__gt=0).order_by("-number")
    for pk, count in latest.values_list("pk", "judged_count")[:PACE_ROUNDS]:
        if judged < PACE_JUDGEMENTS:
            rounds.append(pk)
        judged += count
    rows = (
        Judgement.objects.filter(panel__round__in=rounds)
        .annotate(day=UtcDay("submitted_at"))
        .values_list("reviewer", "day")
        .annotate(count=Count("pk"))
        .order_by()
    )
    counts = [count for _reviewer, _day, count in rows]
    return float(median(counts)) if counts else None


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
        )
        for row in rows
    ]


def judge_count(project: Project) -> int:
    """How many people may judge in the project now."""
    return sum(person.can_judge for person in judging_people(project))


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
    items: Iterable[ChosenItem],
    judges: Sequence[Judge],
    kind: RoundKind,
    *,
    is_same_panel_allowed: bool,
) -> Mapping[ItemGroup, int]:
    """Who is barred from how many items, by the same rules as `seat_search`."""
    people = {judge.person for judge in judges}
    by_item: Mapping[int, set[int]] = {}
    by_text: Mapping[int, set[int]] = {}
    if kind == RoundKind.COMPARISON:
        by_item = _wrote_any_text(project, people)
    elif kind == RoundKind.SOLVING and not is_same_panel_allowed:
        by_item = _saw_the_key(project, people)
    elif not is_same_panel_allowed:
        by_item = _judged_before(project, people)
        by_text = _wrote_with_others(project, people)
    nobody: frozenset[int] = frozenset()
    groups: Counter[ItemGroup] = Counter()
    for item in items:
        barred = by_item.get(item.pk, nobody) | by_text.get(item.revision, nobody)
        if item.author in people:
            barred = barred | {item.author}
        groups[ItemGroup(item.subject, frozenset(barred))] += 1
    return groups


def _judged_before(project: Project, people: Collection[int]) -> Mapping[int, set[int]]:
    """Who judged each item in the latest round, also who took it back."""
    before = latest_judged_round(project)
    rows = Judgement.all_rows.filter(
        panel__round=before, panel__is_control=False, reviewer__in=people
    )
    return _by_first(rows.values_list("panel__item", "reviewer"))


def _saw_the_key(project: Project, people: Collection[int]) -> Mapping[int, set[int]]:
    """Who judged each item at any time, decided on it or corrected its key."""
    judged = Judgement.all_rows.filter(panel__round__project=project, reviewer__in=people)
    decided = Adjudication.objects.filter(panel__round__project=project, senior__in=people)
    changed = KeyChange.objects.filter(item__project=project, author__in=people)
    return _by_first(
        [
            *judged.values_list("panel__item", "reviewer").distinct(),
            *decided.values_list("panel__item", "senior"),
            *changed.values_list("item", "author"),
        ]
    )


def _wrote_any_text(project: Project, people: Collection[int]) -> Mapping[int, set[int]]:
    """Who wrote a text of each item, of whatever system."""
    rows = Revision.objects.filter(translation__item__project=project, author__in=people)
    return _by_first(rows.values_list("translation__item", "author").distinct())


def _wrote_with_others(project: Project, people: Collection[int]) -> Mapping[int, set[int]]:
    """Who had a part in each text: as one of a panel that agreed on it, or as whom a senior adopted."""
    agreed = Judgement.objects.filter(
        panel__round__project=project,
        panel__outcome=Outcome.REVISED,
        verdict=Verdict.REVISE,
        reviewer__in=people,
    )
    adopted = Adjudication.objects.filter(
        panel__round__project=project,
        resulting_revision__isnull=False,
        adopted__reviewer__in=people,
    )
    return _by_first(
        [
            *agreed.values_list("revision__superseded_by", "reviewer"),
            *adopted.values_list("resulting_revision", "adopted__reviewer"),
        ]
    )


def _by_first(pairs: Iterable[tuple[int | None, int | None]]) -> Mapping[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for key, person in pairs:
        if key is not None and person is not None:
            found[key].add(person)
    return found
