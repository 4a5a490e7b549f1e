"""The overview of a project: where its items are, and what waits for whom."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import ItemState, TextSide
from annotation.items.actions import exclude_item
from annotation.models import Finding, Item
from config.overview.presenters import funnel_steps
from config.overview.queries import Funnel, funnel, overview
from projects.enums import Role
from projects.models import Project
from releases.enums import ReleaseState
from review.disputes.actions.inquiries import ask_further_judgement
from review.enums import Selection
from review.models import Panel, Round
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from tests.factories import (
    ItemFactory,
    ProjectFactory,
    ReleaseFactory,
    SourceFactory,
    SubjectFactory,
    UserFactory,
    make_duplicate_pair,
    make_translated_item,
)

pytestmark = pytest.mark.django_db
OVERVIEW_QUERIES = 22
EMPTY = Funnel(
    items=0,
    excluded=0,
    translated=0,
    with_errors=0,
    judged=0,
    approved=0,
    rejected=0,
    release=None,
    in_release=0,
)


def make_items(project: Project, count: int) -> list[Item]:
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)
    return [
        make_translated_item(project=project, source=source, subject=subject) for _ in range(count)
    ]


def add_error(item: Item, **fields: Any) -> None:
    translation = item.working_translation
    assert translation and translation.current_revision
    Finding.objects.create(
        revision=translation.current_revision,
        created_at=timezone.now(),
        **{"code": "empty_text", "severity": "error", "field": "question", **fields},
    )


def open_to_one(project: Project) -> Round:
    settings = RoundSettings(selection=Selection.ALL, panel_size=1)
    return open_round(project=project, settings=settings, actor=None, now=timezone.now())


def judge_next(round_: Round, reviewer: User) -> None:
    seat = claim_seat(round_=round_, reviewer=reviewer, now=timezone.now())
    assert seat is not None
    submit_judgement(
        assignment=seat,
        reviewer=reviewer,
        revision_id=seat.panel.revision_id,
        content=JudgementContent(verdict="approve", ratings={"domain": 5, "cultural": 5}),
        idempotency_key=uuid.uuid4().hex,
        now=timezone.now(),
    )


def test_funnel_of_an_empty_project_is_all_zeros(project: Project) -> None:
    assert funnel(project) == EMPTY


def test_funnel_counts_each_active_item_once_at_every_step(
    project: Project, member: Callable[..., User]
) -> None:
    items = make_items(project, 4)
    ItemFactory(project=project, source=items[0].source, subject=items[0].subject)
    ItemFactory(
        project=project, source=items[0].source, subject=items[0].subject, state=ItemState.EXCLUDED
    )
    add_error(items[3])
    add_error(items[3], code="options_unreadable", field="options")
    add_error(items[2], code="numbers_differ", severity="warning")
    make_items(ProjectFactory(), 2)
    round_ = open_to_one(project)
    reviewer = member(Role.REVIEWER)
    for _ in range(3):
        judge_next(round_, reviewer)
    before_the_last = funnel(project)
    judge_next(round_, reviewer)

    counted = funnel(project)

    assert (counted.items, counted.excluded, counted.translated) == (6, 1, 4)
    assert (counted.with_errors, counted.clean) == (1, 3)
    assert (before_the_last.judged, counted.judged) == (3, 4)
    # The fourth was approved with an open error: that makes a dispute.
    assert (counted.approved, counted.rejected) == (3, 0)


def test_funnel_does_not_shrink_when_a_judged_item_is_excluded(
    project: Project, member: Callable[..., User]
) -> None:
    make_items(project, 2)
    round_, reviewer = open_to_one(project), member(Role.REVIEWER)
    for _ in range(2):
        judge_next(round_, reviewer)
    first = Item.objects.filter(project=project).order_by("pk")[0]
    exclude_item(item=first, reason="bad", actor=None, now=timezone.now())

    counted = funnel(project)

    assert (counted.items, counted.excluded, counted.judged) == (2, 1, 2)
    assert (counted.translated, counted.approved) == (1, 1)
    first_step = funnel_steps(project, counted, member(Role.MANAGER))[0]
    assert (first_step.value, first_step.note) == (2, "1 excluded since")


def test_overview_counts_the_open_pairs_of_active_items_once_for_two_sides(
    project: Project,
) -> None:
    items = make_items(project, 3)
    for a, b in ((0, 1), (1, 2)):
        for side in TextSide:
            make_duplicate_pair(items[a], items[b], side=side)
    Item.objects.filter(pk=items[2].pk).update(state=ItemState.EXCLUDED)

    found = overview(project, UserFactory(), now=timezone.now())
    assert found.open_duplicates == 1


def test_funnel_ends_with_the_latest_published_release(
    project: Project, member: Callable[..., User]
) -> None:
    for version, state in (
        ("1.0.0", ReleaseState.PUBLISHED),
        ("1.1.0", ReleaseState.PUBLISHED),
        ("2.0.0", ReleaseState.BUILT),
    ):
        ReleaseFactory(project=project, version=version, state=state, published_at=timezone.now())

    steps = funnel_steps(project, funnel(project), member(Role.MANAGER))

    assert [step.label for step in steps] == [
        "imported",
        "without errors",
        "judged",
        "approved",
        "in release 1.1.0",
    ]
    assert steps[3].url == "/projects/ti/items/?state=approved"


@pytest.mark.parametrize("count", [1, 3])
def test_overview_costs_the_same_for_any_number_of_items(
    count: int,
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    django_assert_num_queries: Any,
) -> None:
    make_items(project, count)
    judge_next(open_to_one(project), member(Role.REVIEWER))
    manager = browser_of(member(Role.MANAGER))

    with django_assert_num_queries(OVERVIEW_QUERIES):
        response = manager.get("/projects/ti/")

    assert response.status_code == 200
    assert [step.value for step in response.context["steps"]][:3] == [count, count, 1]


def page_of(browser: Client) -> str:
    return " ".join(browser.get("/projects/ti/").content.decode().split())


def test_reviewer_is_offered_items_only_while_some_are_left_for_them(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    make_items(project, 2)
    settings = RoundSettings(selection=Selection.ALL, panel_size=2)
    round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
    first, second, senior = (member(role) for role in (Role.REVIEWER, Role.REVIEWER, Role.SENIOR))
    before = page_of(browser_of(first))
    for _ in range(2):
        judge_next(round_, first)

    mine, theirs = page_of(browser_of(first)), page_of(browser_of(senior))

    assert "You have judged 0 items in round 1. More items wait for you." in before
    assert "Judge items" in before
    assert "Nothing is left for you in this round." in mine
    assert "2 other people may take what is left" in mine
    assert second.name not in mine
    assert "Judge items" not in mine
    assert "Judge items" in theirs
    for path in ("rounds/", "rounds/1/"):
        assert b"Judge items" not in browser_of(first).get(f"/projects/ti/{path}").content
        assert b"Judge items" in browser_of(senior).get(f"/projects/ti/{path}").content

    for _ in range(2):
        judge_next(round_, second)
    assert "Every item of the round is judged." in page_of(browser_of(first))


def test_empty_project_offers_the_import_once(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(member(Role.MANAGER))
    assert page_of(browser).count("Import items") == 1
    make_items(project, 1)
    assert page_of(browser).count("Import items") == 1


def test_senior_is_told_by_name_who_may_take_what_is_left(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    make_items(project, 1)
    settings = RoundSettings(selection=Selection.ALL, panel_size=2)
    round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
    senior, _other = member(Role.SENIOR), member(Role.REVIEWER, name="Dolma")
    judge_next(round_, senior)

    assert "What is left can be taken by: Dolma" in page_of(browser_of(senior))


def test_disputes_are_counted_for_who_can_settle_them(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    items = make_items(project, 3)
    for item in items:
        add_error(item)
    round_, senior = open_to_one(project), member(Role.SENIOR)
    judge_next(round_, senior)
    for _ in range(2):
        judge_next(round_, member(Role.REVIEWER))

    texts = {role: page_of(browser_of(member(role))) for role in Role}

    own = page_of(browser_of(senior))
    assert "<b>2 disputes</b> wait for you" in own
    assert "1 more is for other seniors." in own
    assert "<b>3 disputes</b> wait for you" in texts[Role.SENIOR]
    assert "<b>3 disputes</b> wait for a senior" in texts[Role.MANAGER]
    assert "dispute</b>" not in texts[Role.REVIEWER] + texts[Role.VIEWER]
    assert "disputes</b>" not in texts[Role.REVIEWER] + texts[Role.VIEWER]


def test_dispute_that_waits_for_a_reviewer_is_not_said_to_wait_for_a_senior(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    add_error(make_items(project, 1)[0])
    round_, senior = open_to_one(project), member(Role.SENIOR)
    judge_next(round_, member(Role.REVIEWER))
    panel = Panel.objects.get()

    ask_further_judgement(panel=panel, actor=senior, now=timezone.now())

    assert "for a senior" not in page_of(browser_of(senior))
    assert "for a senior" not in page_of(browser_of(member(Role.MANAGER)))


def told_to(api: APIClient) -> Any:
    return api.get("/api/v1/projects/ti/overview/").json()


def test_overview_by_api_tells_the_funnel_and_ones_own_part(
    project: Project, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    add_error(make_items(project, 2)[0])
    settings = RoundSettings(selection=Selection.ALL, panel_size=2)
    round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
    first, senior = member(Role.REVIEWER), member(Role.SENIOR)
    before = told_to(api_of(first))
    for _ in range(2):
        judge_next(round_, first)

    mine, theirs = told_to(api_of(first)), told_to(api_of(senior))

    assert (before["items"], before["funnel"]["with_errors"]) == (2, 1)
    assert (before["mine"]["round"], before["mine"]["can_take"]) == (round_.pk, True)
    assert before["disputes"] is before["open_duplicates"] is None
    parts = [(told["mine"]["can_take"], told["mine"]["left_for"]) for told in (mine, theirs)]
    assert parts == [(False, 1), (True, 0)]
    assert (mine["mine"]["judged_by_you"], theirs["mine"]["judged_by_you"]) == (2, 0)
    assert theirs["open_duplicates"] == 0
    assert told_to(api_of(member(Role.VIEWER)))["mine"] is None


def test_overview_by_api_keeps_back_what_would_tell_controls(
    project: Project, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    make_items(project, 2)
    open_to_one(project)
    Project.objects.update(is_browsing_closed=True)

    told = {role: told_to(api_of(member(role))) for role in (Role.MANAGER, Role.REVIEWER)}

    assert told[Role.REVIEWER]["funnel"] is None
    assert told[Role.MANAGER]["funnel"]["items"] == told[Role.REVIEWER]["items"] == 2
