"""What waits for a person: seats that they may take, disputes that they may settle."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
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
from annotation.models import KeyChange, Revision
from projects.enums import JUDGES, Role
from projects.models import Membership, Project
from projects.rules import may_see_keys, role_in
from projects.solving import reads_language
from review.audience import Audience
from review.enums import (
    InquiryKind,
    InquiryState,
    Outcome,
    PanelState,
    RoundKind,
    RoundState,
    SeatState,
    Verdict,
)
from review.inquiries import waits
from review.models import (
    Adjudication,
    Assignment,
    Inquiry,
    Judgement,
    Panel,
    Round,
    Skip,
    Substitute,
)
from review.rules import is_asked, own_panels

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
    seats = _open_seats(items, now).order_by("position", "seat")
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
    free = len(_open_seats(items, now).values_list("pk")[: LEFT_LOOKED_AT + 1])
    return 0 < free <= LEFT_LOOKED_AT and not people_for_what_is_left(round_, now=now)


def disputes_waiting(user: User, projects: Collection[Project]) -> dict[int, WaitingDisputes]:
    """The open disputes that `user` may settle now, by the project's id; two queries.

    Seniors settle any but their own, and those who were named in a senior's place settle these.
    None are theirs in a project where an open solving round hides the keys from them.
    """
    open_to_them = [project for project in projects if may_see_keys(user, project)]
    places = Membership.objects.filter(user=user, project__in=open_to_them)
    named = Substitute.objects.filter(user=user).values("panel")
    seniors, others = places.in_role(Role.SENIOR), places.in_role(Role.MANAGER, Role.REVIEWER)
    as_senior = _waiting_by_project(user, Q(round__project__in=seniors.values("project")))
    as_substitute = _waiting_by_project(
        user, Q(pk__in=named, round__project__in=others.values("project"))
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
    panels = _panels_left(ids, _strict(rounds), now)
    if keeping := [pk for pk, round_ in zip(ids, rounds, strict=True) if _keeps_seats(round_)]:
        panels = panels.filter(~Q(round__in=keeping) | _not_kept(now))
    if any(round_.kind == RoundKind.SOLVING for round_ in rounds):
        panels = panels.filter(_never_saw_the_key())
    if any(round_.kind == RoundKind.COMPARISON for round_ in rounds):
        panels = panels.filter(_wrote_none())
    if among is not None:
        panels = panels.filter(pk__in=among)
    # Seniors get no control items.
    senior = Membership.objects.filter(pk=OuterRef(OuterRef("pk")), role=Role.SENIOR)
    panels = panels.filter(Q(is_control=False) | ~Exists(senior))
    counts = mine.order_by().values("reviewer").annotate(n=Count("pk")).values("n")
    further = Inquiry.objects.filter(kind=InquiryKind.FURTHER_SEAT, state=InquiryState.OPEN)
    asked = panels.filter(state=PanelState.DISPUTED, pk__in=further.values("panel"))
    return members.annotate(
        is_seat_left=Exists(panels.filter(state=PanelState.JUDGING)) | Exists(asked),
        holds_seat=Exists(mine.filter(state=SeatState.CLAIMED)),
        seats=Coalesce(Subquery(counts), Value(0), output_field=IntegerField()),
    )


def _never_saw_the_key() -> Q:
    """Panels whose round is not about solving, lets everybody in, or whose item is new to the member."""
    item, user = OuterRef("item"), OuterRef(OuterRef("user"))
    judged = Judgement.all_rows.filter(panel__item=item, reviewer=user)
    decided = Adjudication.objects.filter(panel__item=item, senior=user)
    changed = KeyChange.objects.filter(item=item, author=user)
    is_new = Q(~Exists(judged), ~Exists(decided), ~Exists(changed))
    is_open = ~Q(round__kind=RoundKind.SOLVING) | Q(round__is_same_panel_allowed=True)
    return is_open | is_new


def _wrote_none() -> Q:
    """Panels whose round is not a comparison, or whose item has no text that the member wrote."""
    user = OuterRef(OuterRef("user"))
    wrote = Revision.objects.filter(translation__item=OuterRef("item"), author=user)
    return ~Q(round__kind=RoundKind.COMPARISON) | Q(~Exists(wrote))


def _keeps_seats(round_: Round) -> bool:
    """Whether the round keeps the first seat of each panel for experts."""
    return Audience.from_json(round_.audience).needs_expert


def _not_kept(now: datetime) -> Q:
    """Panels with a seat that is not kept for experts any more, or all where the member is one."""
    expertise = Membership.subjects.through.objects.filter(membership=OuterRef(OuterRef("pk")))
    others = Assignment.objects.filter(panel=OuterRef("pk"), seat__gt=1)
    by_expert = Assignment.objects.filter(
        panel=OuterRef("pk"),
        state=SeatState.JUDGED,
        reviewer__memberships__project=F("round__project"),
        reviewer__memberships__subjects=F("panel__item__subject"),
    )
    return Q(Exists(_open_seats(others, now))) | Q(Exists(by_expert)) | Q(Exists(expertise))


def _strict(rounds: Sequence[Round]) -> dict[int, int | None]:
    """Rounds that give nobody an item twice, with the ids of the judged rounds before them."""
    strict = [
        each
        for each in rounds
        if each.number > 1 and not each.is_same_panel_allowed and each.kind == RoundKind.REVIEW
    ]
    if not strict:
        return {}
    before: dict[int, int | None] = {}
    projects = [each.project_id for each in strict]
    judged = Round.objects.filter(project__in=projects, judged_count__gt=0).order_by("number")
    earlier = list(judged.values_list("project_id", "number", "pk"))
    for each in strict:
        found = [pk for place, n, pk in earlier if place == each.project_id and n < each.number]
        before[each.pk] = found[-1] if found else None
    return before


def _panels_left(
    rounds: Collection[int], strict: Mapping[int, int | None], now: datetime
) -> QuerySet[Panel]:
    """Panels with a seat for the outer membership, by the same rules as a claim."""
    user = OuterRef(OuterRef("user"))
    of_panel = {"panel": OuterRef("pk")}
    expertise = Membership.subjects.through.objects.filter(membership=OuterRef(OuterRef("pk")))
    asked_for = Inquiry.objects.filter(**of_panel, state=InquiryState.OPEN, asked_by=user)
    panels = Panel.with_controls.filter(
        Exists(_open_seats(Assignment.objects.filter(**of_panel), now)),
        ~Exists(asked_for),
        ~Exists(Assignment.objects.filter(**of_panel, reviewer=user)),
        ~Exists(Skip.objects.filter(**of_panel, reviewer=user)),
        Q(revision__author__isnull=True) | ~Q(revision__author=OuterRef("user")),
        Exists(expertise.filter(subject=OuterRef("item__subject"))) | ~Exists(expertise),
        round__in=rounds,
        round__project=OuterRef("project"),
        item__state=ItemState.ACTIVE,
    )
    if not strict:
        return panels
    had_before = Judgement.all_rows.filter(
        panel__item=OuterRef("item"),
        panel__is_control=False,
        panel__round__in=[pk for pk in strict.values() if pk],
        reviewer=user,
    )
    wrote_with_others = Judgement.objects.filter(
        revision=OuterRef("revision__supersedes"),
        panel__outcome=Outcome.REVISED,
        verdict=Verdict.REVISE,
        reviewer=user,
    )
    was_adopted = Adjudication.objects.filter(
        resulting_revision=OuterRef("revision"), adopted__reviewer=user
    )
    is_new = ~Exists(had_before) & ~Exists(wrote_with_others) & ~Exists(was_adopted)
    return panels.filter(~Q(round__in=list(strict)) | Q(is_new))


def _open_seats(seats: QuerySet[Assignment], now: datetime) -> QuerySet[Assignment]:
    """Seats that a claim could take: open, or held by somebody whose time is over."""
    ran_out = Q(state=SeatState.CLAIMED, expires_at__lte=now)
    return seats.filter(Q(state=SeatState.OPEN) | ran_out)
