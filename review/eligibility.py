"""Who may take which seat: every condition stands here once.

A claim, the pages that say whether work is left, the preview of a round and the right to adjudicate
are built from these conditions. A new one is added here, and all of them follow.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.enums import ItemState
from annotation.models import KeyChange, Revision
from projects.enums import TEXT_ROLES, Role
from projects.models import Membership, Project
from projects.solving import reads_language
from review.enums import InquiryState, Outcome, RoundKind, SeatState, Verdict
from review.models import Adjudication, Assignment, Inquiry, Judgement, Round, Skip


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that a person did which keeps them from a panel.

    `rows` returns what people did. `person` is the path from such a row to the person, `about` the
    path to what it concerns, and `of_panel` the field of the panel that holds the same thing.
    """

    rows: Callable[[], QuerySet[Any]]
    person: str
    about: str
    of_panel: str

    def stops(self, person: Any, *, panel: str = "panel__") -> Exists:
        """Return whether the bar keeps `person` from the panel that the outer query reaches by `panel`."""
        here = OuterRef(f"{panel}{self.of_panel}")
        return Exists(self.rows().filter(**{self.about: here, self.person: person}))

    def pairs(self, people: Collection[int], chosen: QuerySet[Any]) -> QuerySet[Any]:
        """Return (what it concerns, person) for `people` and what `chosen` holds."""
        found = self.rows().filter(**{f"{self.person}__in": people, f"{self.about}__in": chosen})
        return found.values_list(self.about, self.person).distinct()


WROTE_THE_TEXT = Bar(Revision.objects.all, "author", "pk", "revision")
SITS_ON_THE_PANEL = Bar(Assignment.objects.all, "reviewer", "panel", "pk")
SKIPPED = Bar(Skip.objects.all, "reviewer", "panel", "pk")
ASKED_FOR_THE_SEAT = Bar(
    lambda: Inquiry.objects.filter(state=InquiryState.OPEN), "asked_by", "panel", "pk"
)
WROTE_WITH_OTHERS = Bar(
    lambda: Judgement.objects.filter(verdict=Verdict.REVISE, panel__outcome=Outcome.REVISED),
    "reviewer",
    "revision__superseded_by",
    "revision",
)
WAS_ADOPTED = Bar(
    lambda: Adjudication.objects.filter(resulting_revision__isnull=False),
    "adopted__reviewer",
    "resulting_revision",
    "revision",
)
WROTE_ANY_TEXT = Bar(Revision.objects.all, "author", "translation__item", "item")
# Whoever judged the item, decided on it or corrected its key has seen the key.
SAW_THE_KEY = (
    Bar(Judgement.all_rows.all, "reviewer", "panel__item", "item"),
    Bar(Adjudication.objects.all, "senior", "panel__item", "item"),
    Bar(KeyChange.objects.all, "author", "item", "item"),
)
ALWAYS = (WROTE_THE_TEXT, SITS_ON_THE_PANEL, SKIPPED, ASKED_FOR_THE_SEAT)


def judged_in(rounds: Iterable[int]) -> Bar:
    """Return the bar for whoever judged the item in one of `rounds`, also if they took it back."""
    ids = tuple(rounds)
    return Bar(
        lambda: Judgement.all_rows.filter(panel__round__in=ids, panel__is_control=False),
        "reviewer",
        "panel__item",
        "item",
    )


def bars_of(
    kind: str, *, is_same_panel_allowed: bool, judged_before: Bar | None = None
) -> tuple[Bar, ...]:
    """Return what a round of this kind adds to `ALWAYS`.

    `judged_before` is `judged_in` of the round before, or None for a first round.
    """
    if kind == RoundKind.COMPARISON:
        return (WROTE_ANY_TEXT,)
    if is_same_panel_allowed:
        return ()
    if kind == RoundKind.SOLVING:
        return SAW_THE_KEY
    return (judged_before, WROTE_WITH_OTHERS, WAS_ADOPTED) if judged_before else ()


def excludes_earlier_judges(round_: Round) -> bool:
    """Return whether the round gives nobody an item that they judged in the round before."""
    is_later = round_.kind == RoundKind.REVIEW and round_.number > 1
    return is_later and not round_.is_same_panel_allowed


def is_barred(bars: Iterable[Bar], person: Any, *, panel: str = "panel__") -> Q:
    """Return the condition that at least one of `bars` keeps `person` from the panel."""
    found = Q()
    for bar in bars:
        found |= Q(bar.stops(person, panel=panel))
    return found


def is_offered(person: Any, membership: Any) -> Q:
    """Return the condition on seats that holds in every round.

    The item is active, `person` is not barred, the item's subject is among those of `membership`
    where it has any, and a senior gets no control item: seniors can read its true text.
    """
    expertise = expertise_of(membership)
    subject = Exists(expertise.filter(subject=OuterRef("panel__subject"))) | ~Exists(expertise)
    is_senior = Exists(Membership.objects.filter(pk=membership, role=Role.SENIOR))
    is_readable = Q(panel__is_control=False) | ~Q(is_senior)
    is_active = Q(panel__item__state=ItemState.ACTIVE)
    return is_active & ~is_barred(ALWAYS, person) & Q(subject) & is_readable


def expertise_of(membership: Any) -> QuerySet[Any]:
    """Return the subjects that a member is an expert in; none means all."""
    return Membership.subjects.through.objects.filter(membership=membership)


def is_free(now: datetime) -> Q:
    """Return the condition on seats that a claim could take: open, or held for too long."""
    return Q(state=SeatState.OPEN) | has_run_out(now)


def has_run_out(now: datetime) -> Q:
    """Return the condition that the time of whoever holds the seat is over."""
    return Q(state=SeatState.CLAIMED, expires_at__lte=now)


# Where a round keeps one seat of each panel for an expert, it is the first one.
NOT_KEPT_FOR_EXPERTS = Q(seat__gt=1)


def is_judged_by_an_expert() -> Exists:
    """Return whether an expert judged the panel from another seat, so that the kept one is anybody's.

    A seat that an expert merely holds can still run out.
    """
    return Exists(
        Assignment.objects.filter(
            panel=OuterRef("panel"),
            state=SeatState.JUDGED,
            reviewer__memberships__project=F("round__project"),
            reviewer__memberships__subjects=F("panel__subject"),
        )
    )


def members_at_work(project: Project) -> QuerySet[Membership]:
    """Members with an active account who are not paused, by name."""
    rows = Membership.objects.filter(project=project, is_paused=False, user__is_active=True)
    return rows.select_related("user").order_by("user__name", "pk")


def working_seniors(project: Project) -> list[User]:
    """Seniors with an active account who are not paused, by name."""
    rows = members_at_work(project).filter(role=Role.SENIOR)
    return [member.user for member in rows]


def possible_substitutes(project: Project) -> list[User]:
    """Return the members who work on texts and read the target language, by name."""
    return [
        member.user
        for member in members_at_work(project).filter(role__in=TEXT_ROLES)
        if not member.languages or reads_language(member.languages, project.target_language)
    ]
