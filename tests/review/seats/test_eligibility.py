"""One table of who may take which seat: a preview, a claim and the pages give the same answer."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, KeyChange, Revision
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import DecisionKind, RoundKind, Selection
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from review.rounds.previews import preview_round
from review.seats.actions.seats import claim_seat
from review.seats.waiting import can_take_item
from review.selection.item_choice import ItemChoice, chosen_items
from tests.factories import SubjectFactory
from tests.review.conftest import OPTIONS
from tests.review.kinds import add_system

pytestmark = pytest.mark.django_db
Opened = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)


class Before:
    """What happened to the only item of a project before the round in question."""

    def __init__(self, opened: Opened, judge: Judge, person: User, others: list[User]) -> None:
        self.opened, self.judge, self.person, self.others = opened, judge, person, others

    def nothing(self) -> None:
        pass

    def wrote_the_text(self) -> None:
        Revision.objects.update(author=self.person)

    def wrote_another_text(self) -> None:
        Revision.objects.filter(translation__system="other").update(author=self.person)

    def judged(self, **said: Any) -> None:
        round_ = self.opened(0, selection=Selection.ALL)
        self.judge(round_, self.person, **said)
        self.judge(round_, self.others[0], **said)
        close_round(round_=round_, actor=None, now=timezone.now())

    def wrote_with_others(self) -> None:
        self.judged(correction=NEW)
        Revision.objects.update(author=None)

    def was_adopted(self) -> None:
        round_ = self.opened(0, selection=Selection.ALL)
        adopted = self.judge(round_, self.person, correction=NEW)
        self.judge(round_, self.others[0], verdict="reject")
        senior = self.others[-1]
        senior.memberships.update(role=Role.SENIOR)
        content = DecisionContent(kind=DecisionKind.ADOPT, judgement=adopted, reason="better")
        adjudicate_panel(
            panel=Panel.objects.get(), senior=senior, content=content, now=timezone.now()
        )
        close_round(round_=round_, actor=None, now=timezone.now())
        Revision.objects.update(author=None)

    def corrected_the_key(self) -> None:
        item = Item.objects.get()
        KeyChange.objects.create(
            item=item,
            number=1,
            old_key=item.key,
            new_key="D" if item.key != "D" else "A",
            reason="wrong",
            author=self.person,
            created_at=timezone.now(),
        )

    def knows_the_subject(self) -> None:
        self.person.memberships.get().subjects.add(Item.objects.get().subject)

    def knows_another_subject(self) -> None:
        project = self.person.memberships.get().project
        self.person.memberships.get().subjects.add(SubjectFactory(project=project))


REVIEW, SOLVING, COMPARISON = RoundKind.REVIEW, RoundKind.SOLVING, RoundKind.COMPARISON


@pytest.mark.parametrize(
    ("situation", "kind", "is_again_allowed", "expected"),
    [
        (Before.nothing, REVIEW, False, True),
        (Before.wrote_the_text, REVIEW, True, False),
        (Before.wrote_another_text, REVIEW, False, True),
        (Before.judged, REVIEW, False, False),
        (Before.judged, REVIEW, True, True),
        (Before.wrote_with_others, REVIEW, False, False),
        (Before.was_adopted, REVIEW, False, False),
        (Before.was_adopted, REVIEW, True, True),
        (Before.corrected_the_key, REVIEW, False, True),
        (Before.knows_the_subject, REVIEW, False, True),
        (Before.knows_another_subject, REVIEW, False, False),
        (Before.nothing, SOLVING, False, True),
        (Before.judged, SOLVING, False, False),
        (Before.judged, SOLVING, True, True),
        (Before.corrected_the_key, SOLVING, False, False),
        (Before.corrected_the_key, SOLVING, True, True),
        (Before.nothing, COMPARISON, False, True),
        (Before.judged, COMPARISON, False, True),
        (Before.wrote_the_text, COMPARISON, True, False),
        (Before.wrote_another_text, COMPARISON, True, False),
    ],
)
def test_preview_page_and_claim_agree_on_who_may_take_an_item(
    opened: Opened,
    items: Callable[[int], None],
    project: Project,
    reviewers: People,
    judge: Judge,
    situation: Callable[[Before], None],
    kind: RoundKind,
    is_again_allowed: bool,
    expected: bool,
) -> None:
    person, *others = reviewers(4)
    items(1)
    add_system(project)
    situation(Before(opened, judge, person, others))
    preview = preview_round(
        project,
        chosen_items(project, ItemChoice(selection=Selection.ALL, kind=kind)),
        panel_size=1,
        cap_per_person=None,
        is_same_panel_allowed=is_again_allowed,
        kind=kind,
    )
    round_ = opened(0, kind=kind, panel_size=1, is_same_panel_allowed=is_again_allowed)

    now = timezone.now()
    found = (
        preview.forecast.items_for[person.pk] == 1,
        can_take_item(person, round_, now=now),
        claim_seat(round_=round_, reviewer=person, now=now, kind=kind) is not None,
    )
    assert found == (expected, expected, expected)
