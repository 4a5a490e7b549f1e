"""The history of an item: what it tells, and to whom."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.checks.actions import check_revision, dismiss_finding
from annotation.enums import Origin
from annotation.items.actions import exclude_item
from annotation.items.keys import correct_key
from annotation.items.revisions import create_revision
from annotation.models import Finding, Item
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.items.history import item_history
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from review.workbench.actions.suggestions import keep_suggestion
from tests.factories import UserFactory, make_translated_item
from tests.review.conftest import OPTIONS
from tests.review.repairs.conftest import repaired, undone

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
NOW = timezone.now()


def told(user: User, kind: str) -> list[tuple[str, str, str]]:
    """(title, who, note) of the events of one kind, newest first."""
    item = Item.objects.select_related("project", "source", "working_translation").get()
    return [
        (event.title, event.who, event.note)
        for event in item_history(item, user)
        if event.kind == kind
    ]


@pytest.fixture
def manager(member: Member) -> User:
    return member(Role.MANAGER, name="Manager")


def test_history_tells_everything_newest_first(
    project: Project, opened: Open, manager: User
) -> None:
    opened(1)
    item = Item.objects.select_related("project").get()
    finding = Finding.objects.create(
        revision=item.working_translation.current_revision, code="empty_text", severity="error",
        field="question", created_at=NOW,
    )  # fmt: skip
    later = timezone.now
    dismiss_finding(finding=finding, reason="it is not", actor=manager, now=later())
    create_revision(
        base=item.working_translation.current_revision, question="གསར།", options=OPTIONS,
        origin=Origin.HUMAN, author=manager, now=later(),
    )  # fmt: skip
    correct_key(item=item, key="D", reason="law 7", actor=manager, now=later())
    exclude_item(item=item, reason="twice", actor=manager, now=later())
    item.refresh_from_db()

    events = item_history(item, UserFactory(is_superuser=True))

    assert [(event.kind, event.who, event.note) for event in events[:4]] == [
        ("excluded", "Manager", "twice"),
        ("key", "Manager", "law 7"),
        ("revision", "Manager", ""),
        ("dismissed", "Manager", "it is not"),
    ]
    (changed,) = events[2].fields
    assert changed.label == "Q"
    assert "".join(part.text for part in changed.segments or () if part.op != "del") == "གསར།"
    assert {event.kind for event in events[4:]} == {"imported", "revision"}


def test_nobody_reads_others_while_the_panel_is_being_judged(
    opened: Open, judge: Judge, pema: User, tashi: User, manager: User, senior: User
) -> None:
    judge(opened(1, panel_size=2), pema, comment="fine")
    assert told(pema, "judgement") == [("Judged in round 1: Approve", "you", "fine")]
    assert [told(user, "judgement") for user in (tashi, manager, senior)] == [[], [], []]
    assert told(manager, "outcome") == []


def test_settled_panel_is_told_with_names_to_those_who_lead(
    opened: Open, judge: Judge, pema: User, tashi: User, manager: User, senior: User
) -> None:
    round_ = opened(1, panel_size=2)
    judge(round_, pema, comment="fine")
    judge(round_, tashi, comment="good")
    named = [
        ("Judged in round 1: Approve", "Tashi", "good"),
        ("Judged in round 1: Approve", "Pema", "fine"),
    ]
    assert told(manager, "judgement") == told(senior, "judgement") == named
    assert told(pema, "judgement") == [
        ("Judged in round 1: Approve", "a reviewer", "good"),
        ("Judged in round 1: Approve", "you", "fine"),
    ]
    assert told(pema, "outcome") == [("Outcome of round 1: approved", "", "")]


def test_dispute_hides_names_from_seniors_until_it_is_settled(
    opened: Open, judge: Judge, pema: User, tashi: User, manager: User, senior: User
) -> None:
    round_ = opened(1, panel_size=2)
    judge(round_, pema)
    judge(round_, tashi, verdict="reject", comment="no")
    assert [told(user, "judgement") for user in (senior,)] == [[]]
    assert [who for _title, who, _note in told(manager, "judgement")] == ["Tashi", "Pema"]
    assert [who for _title, who, _note in told(pema, "judgement")] == ["you"]

    adjudicate_panel(
        panel=Panel.objects.select_related("round__project", "revision__translation").get(),
        senior=senior,
        content=DecisionContent(kind="approve", reason="it is right"),
        now=timezone.now(),
    )
    assert [who for _title, who, _note in told(senior, "judgement")] == ["Tashi", "Pema"]
    assert [who for _title, who, _note in told(pema, "judgement")] == ["a reviewer", "you"]
    decided = "Dispute settled: approve as it stands"
    assert told(pema, "decision") == [(decided, "", "it is right")]
    assert told(manager, "decision") == [(decided, "Sonam", "it is right")]


def test_reviewers_read_no_others_while_a_later_panel_is_being_judged(
    opened: Open, judge: Judge, pema: User, tashi: User, member: Member
) -> None:
    round_ = opened(1, panel_size=1)
    judge(round_, pema, comment="fine")
    assert [who for _title, who, _note in told(tashi, "judgement")] == ["a reviewer"]
    close_round(round_=round_, actor=None, now=timezone.now())
    opened(0, panel_size=1)
    assert told(tashi, "judgement") == []


def test_what_came_too_late_is_told_like_a_judgement_with_its_difference(
    opened: Open, judge: Judge, pema: User, tashi: User, manager: User, senior: User
) -> None:
    round_ = opened(1, panel_size=2)
    seat = judge(round_, pema).assignment
    text = seat.panel.revision
    keep_suggestion(
        assignment=seat,
        reviewer=pema,
        verdict="revise",
        correction=Correction(f" {text.question}གསར། ", tuple(text.options)),
        comment="the term is older",
        reason="seat_taken",
        idempotency_key="k",
        now=timezone.now(),
    )
    title = "Suggested in round 1, too late for a judgement"

    assert told(pema, "suggestion") == [(title, "you", "the term is older")]
    assert [told(user, "suggestion") for user in (tashi, manager, senior)] == [[], [], []]

    judge(round_, tashi)
    assert told(manager, "suggestion") == [(title, "Pema", "the term is older")]
    assert told(tashi, "suggestion") == [(title, "a reviewer", "the term is older")]
    item = Item.objects.select_related("project", "source", "working_translation").get()
    (event,) = [each for each in item_history(item, manager) if each.kind == "suggestion"]
    (changed,) = event.fields
    assert (changed.label, event.details) == ("Q", ["Revise"])
    added = [part.text for part in changed.segments or () if part.op == "ins"]
    assert "".join(added).strip("།") == "གསར"


@pytest.mark.parametrize("count", [1, 3])
def test_history_costs_the_same_for_any_number_of_judgements(
    opened: Open, judge: Judge, member: Member, manager: User, count: int,
    browser_of: Callable[[User], Client], django_assert_num_queries: Any,
) -> None:  # fmt: skip
    round_ = opened(1, panel_size=count)
    for number in range(count):
        judge(round_, member(Role.REVIEWER, name=f"R{number}"))
    browser = browser_of(manager)
    item = Item.objects.get()
    with django_assert_num_queries(13):
        page = browser.get(f"/projects/ti/items/{item.pk}/history/")
    part = browser.get(f"/projects/ti/items/{item.pk}/history/", headers={"HX-Request": "true"})
    assert page.content.decode().count("Judged in round 1") == count
    assert part.content.decode().lstrip().startswith("<ol")


def test_api_gives_the_history(
    opened: Open, judge: Judge, pema: User, api_of: Callable[[User], APIClient]
) -> None:
    judge(opened(1, panel_size=1), pema, comment="fine")
    found = api_of(pema).get(f"/api/v1/projects/ti/items/{Item.objects.get().pk}/history/").json()
    (said,) = [event for event in found["results"] if event["kind"] == "judgement"]
    assert said.pop("at")
    assert said == {
        "kind": "judgement",
        "title": "Judged in round 1: Approve",
        "who": "you",
        "note": "fine",
        "details": ["Domain 4", "Culture 4"],
        "fields": [],
    }


def test_history_tells_who_repaired_a_text_in_a_batch(
    project: Project, manager: User, pema: User
) -> None:
    make_translated_item(project=project, source__project=project, question='འདྲི་\\"བ།')
    revision = Item.objects.get().working_translation.current_revision  # type: ignore[union-attr]
    check_revision(revision=revision, now=NOW)  # type: ignore[arg-type]
    batch = repaired(project, manager)
    undone(batch)

    title = "Repaired in a batch: Escape sequence in the text"
    undone_title = "Repair undone: Escape sequence in the text"
    assert told(manager, "repair") == [(undone_title, "", ""), (title, "Manager", "")]
    assert told(pema, "repair") == [(undone_title, "", ""), (title, "", "")]
