"""What waits for a person: seats that they may take, disputes that they may settle."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.enums import ItemState
from projects.enums import JUDGES, Role
from projects.models import Membership, Project
from projects.rules import may_see_keys, role_in
from projects.solving import reads_language
from review.audience import Audience
from review.eligibility import (
    NOT_KEPT_FOR_EXPERTS,
    Bar,
    bars_of,
    excludes_earlier_judges,
    expertise_of,
    has_run_out,
    is_barred,
    is_free,
    is_judged_by_an_expert,
    is_offered,
    judged_in,
)
from review.enums import (
    PanelState,
    RoundState,
    SeatState,
)
from review.models import (
    Assignment,
    Panel,
    Round,
    Substitute,
)
from review.rules import is_asked, is_substitute_for, own_panels
from review.seats.inquiries import waits

LEFT_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class RoundForPerson:
    """An open round as one person meets it.

    `can_take` says that an item is there for them now, or that they hold one. The other flags say
    why not.
    """

    round: Round
    is_paused: bool
    is_asked: bool
    reads_language: bool
    has_reached_cap: bool
    holds_seat: bool
    is_seat_left: bool

    @property
    def can_take(self) -> bool:
        is_barred = self.is_paused or self.is_round_paused or self.has_reached_cap
        is_offered = self.is_seat_left and not is_barred
        return self.reads_language and self.is_asked and (self.holds_seat or is_offered)

    @property
    def is_round_paused(self) -> bool:
        return self.round.paused_at is not None


@dataclass(frozen=True, slots=True)
class WaitingDisputes:
    """Disputes that one person may settle, and since when the oldest waits."""

    count: int
    since: datetime | None


def rounds_for(
    user: User, projects: Collection[Project], *, now: datetime
) -> dict[int, RoundForPerson]:
    """The open round of each project in which `user` judges, by the project's id.

    Three queries whatever the number of projects. Whether a seat is left is asked as a claim asks
    it, and the search ends at the first one.
    """
    rounds = list(Round.objects.filter(project__in=projects, state=RoundState.OPEN).order_by("pk"))
    if not rounds:
        return {}
    for round_ in rounds:
        round_.project = next(each for each in projects if each.pk == round_.project_id)
    rows = _members(user, rounds, now)
    return {
        round_.project_id: _for_person(round_, rows[round_.project_id])
        for round_ in rounds
        if round_.project_id in rows
    }


def round_as_met_by(user: User, round_: Round, *, now: datetime) -> RoundForPerson | None:
    """An open round as `user` meets it; None if they do not judge in its project."""
    if role_in(user, round_.project) not in JUDGES:
        return None
    member = _members(user, [round_], now).get(round_.project_id)
    return _for_person(round_, member) if member else None


def can_take_item(user: User, round_: Round, *, now: datetime) -> bool:
    """Whether an item of an open round is there for `user` now."""
    found = round_as_met_by(user, round_, now=now)
    return found is not None and found.can_take


def people_for_what_is_left(round_: Round, *, now: datetime) -> list[User]:
    """Who may take one of the seats that are left in a round, by name.

    Looks at the first LEFT_LOOKED_AT seats that are left, whatever the size of the round.
    """
    items = Assignment.objects.filter(round=round_, panel__is_control=False)
    seats = items.filter(is_free(now)).order_by("position", "seat")
    panels = set(seats.values_list("panel", flat=True)[:LEFT_LOOKED_AT])
    return _people_for(round_, panels, now) if panels else []


def people_with_work_left(round_: Round, *, now: datetime) -> list[User]:
    """Who may take any seat that is left in a round, by name.

    Looks as far as it must for each person, so it is for a worker and not for a page.
    """
    return _people_for(round_, Panel.objects.filter(round=round_).values("pk"), now)


def _people_for(
    round_: Round, panels: Collection[int] | QuerySet[Any], now: datetime
) -> list[User]:
    """Who may take a seat of one of these panels, by name."""
    members = _with_seat_left(
        round_.project.memberships.in_role(*JUDGES).working(), [round_], now, among=panels
    )
    target = round_.project.target_language
    return [
        member.user
        for member in members.select_related("user").order_by("user__name", "pk")
        if member.is_seat_left
        and _is_asked(round_, member)
        and not _has_reached_cap(round_, member.seats)
        and (not member.languages or reads_language(member.languages, target))
    ]


def is_stuck(round_: Round, *, now: datetime) -> bool:
    """Whether seats of a round are free and nobody may take one.

    False as well where more seats are free than are looked at: somebody may take a later one.
    """
    if not round_.gives_seats:
        return False
    items = Assignment.objects.filter(round=round_, panel__is_control=False)
    free = len(items.filter(is_free(now)).values_list("pk")[: LEFT_LOOKED_AT + 1])
    return 0 < free <= LEFT_LOOKED_AT and not people_for_what_is_left(round_, now=now)


def disputes_waiting(user: User, projects: Collection[Project]) -> dict[int, WaitingDisputes]:
    """The open disputes that `user` may settle now, by the project's id; two queries.

    Seniors settle any but their own, and those who were named in a senior's place settle these.
    None are theirs in a project where an open solving round hides the keys from them.
    """
    open_to_them = [project for project in projects if may_see_keys(user, project)]
    places = Membership.objects.filter(user=user, project__in=open_to_them)
    seniors, others = places.in_role(Role.SENIOR), places.in_role(Role.MANAGER, Role.REVIEWER)
    as_senior = _waiting_by_project(user, Q(round__project__in=seniors.values("project")))
    substituted = Q(pk__in=Substitute.objects.filter(user=user).values("panel"))
    standing = Round.objects.filter(substitute=user, project__in=others.values("project"))
    for project in Project.objects.filter(pk__in=standing.values("project")):
        substituted |= Q(round__project=project) & is_substitute_for(user, project)
    as_substitute = _waiting_by_project(
        user, substituted & Q(round__project__in=others.values("project"))
    )
    return {**as_senior, **as_substitute}


def _waiting_by_project(user: User, condition: Q) -> dict[int, WaitingDisputes]:
    rows = (
        Panel.objects.filter(condition, state=PanelState.DISPUTED, item__state=ItemState.ACTIVE)
        .exclude(own_panels(user))
        .exclude(waits())
        .values("round__project")
        .annotate(n=Count("pk"), since=Min("decided_at"))
        .order_by()
    )
    return {row["round__project"]: WaitingDisputes(row["n"], row["since"]) for row in rows}


def _members(user: User, rounds: Sequence[Round], now: datetime) -> Mapping[int, Any]:
    projects = [round_.project_id for round_ in rounds]
    own = Membership.objects.filter(user=user, project__in=projects).in_role(*JUDGES)
    return {row.project_id: row for row in _with_seat_left(own, rounds, now)}


def _for_person(round_: Round, member: Any) -> RoundForPerson:
    """`member` is a row of `_with_seat_left`."""
    languages = member.languages
    return RoundForPerson(
        round=round_,
        is_paused=member.is_paused,
        is_asked=_is_asked(round_, member),
        reads_language=not languages or reads_language(languages, round_.project.target_language),
        has_reached_cap=_has_reached_cap(round_, member.seats),
        holds_seat=member.holds_seat,
        is_seat_left=member.is_seat_left,
    )


def _is_asked(round_: Round, member: Any) -> bool:
    audience = Audience.from_json(round_.audience)
    return is_asked(audience, user=member.user_id, role=member.role, languages=member.languages)


def _has_reached_cap(round_: Round, seats: int) -> bool:
    return round_.cap_per_person is not None and seats >= round_.cap_per_person


def _with_seat_left(
    members: QuerySet[Membership],
    rounds: Sequence[Round],
    now: datetime,
    *,
    among: Collection[int] | QuerySet[Any] | None = None,
) -> QuerySet[Any]:
    """Members with `is_seat_left`, `holds_seat` and `seats` (taken so far) in their project's round."""
    ids = [round_.pk for round_ in rounds]
    mine = Assignment.objects.filter(
        round__in=ids, round__project=OuterRef("project"), reviewer=OuterRef("user")
    )
    seats = _seats_left(rounds)
    if among is not None:
        seats = seats.filter(panel__in=among)
    counts = mine.order_by().values("reviewer").annotate(n=Count("pk")).values("n")
    return members.annotate(
        # Two searches, for each kind of free seat has an index of its own.
        is_seat_left=Exists(seats.filter(state=SeatState.OPEN))
        | Exists(seats.filter(has_run_out(now))),
        holds_seat=Exists(mine.filter(state=SeatState.CLAIMED)),
        seats=Coalesce(Subquery(counts), Value(0), output_field=IntegerField()),
    )


def _seats_left(rounds: Sequence[Round]) -> QuerySet[Assignment]:
    """Return the seats of `rounds` that a claim would offer to the outer membership."""
    person, membership = OuterRef(OuterRef("user")), OuterRef(OuterRef("pk"))
    keeping = [each.pk for each in rounds if Audience.from_json(each.audience).needs_expert]
    is_expert = Exists(expertise_of(OuterRef(OuterRef("pk"))))
    not_kept = NOT_KEPT_FOR_EXPERTS | Q(is_judged_by_an_expert()) | Q(is_expert)
    seats = Assignment.objects.filter(
        is_offered(person, membership), round__project=OuterRef("project")
    )
    if keeping:
        seats = seats.filter(~Q(round__in=keeping) | not_kept)
    return seats.filter(_allowed_by(rounds, person))


def _allowed_by(rounds: Sequence[Round], person: Any) -> Q:
    """Return the condition that a seat is of one of `rounds`, and that its round lets `person` in."""
    judged_before = judged_in(_rounds_before(rounds))
    rounds_by_bars: dict[tuple[Bar, ...], list[int]] = defaultdict(list)
    for each in rounds:
        bars = bars_of(
            each.kind,
            is_same_panel_allowed=each.is_same_panel_allowed,
            judged_before=judged_before if excludes_earlier_judges(each) else None,
        )
        rounds_by_bars[bars].append(each.pk)
    allowed = Q()
    for bars, ids in rounds_by_bars.items():
        allowed |= Q(round__in=ids) & ~is_barred(bars, person)
    return allowed


def _rounds_before(rounds: Sequence[Round]) -> list[int]:
    """Return the latest judged round before each of `rounds` that excludes its judges."""
    strict = [each for each in rounds if excludes_earlier_judges(each)]
    if not strict:
        return []
    projects = [each.project_id for each in strict]
    judged = Round.objects.filter(project__in=projects, judged_count__gt=0).order_by("number")
    earlier = list(judged.values_list("project_id", "number", "pk"))
    before = [
        [pk for project, n, pk in earlier if project == each.project_id and n < each.number][-1:]
        for each in strict
    ]
    return [pk for found in before for pk in found]
