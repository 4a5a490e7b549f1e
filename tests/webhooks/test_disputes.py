"""Disputes that judgements open and end are told, once, and without who said what."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.actions import record_event
from accounts.models import AuditEvent, User
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.inquiries import ask_further_judgement
from review.disputes.actions.reopening import reopen_dispute
from review.enums import PanelState, RoundKind, VerdictRule
from review.models import Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from review.seats.actions.seats import claim_seat
from review.workbench.actions.judgements import submit_judgement
from tests.review.conftest import OPTIONS, content, disputed, items, judge, opened, reviewers
from tests.review.kinds import solve
from tests.webhooks.conftest import NOW, Worker
from tests.webhooks.receiver import Receiver
from webhooks.actions.managing import NewSecret
from webhooks.actions.queueing import replay

__all__ = ["disputed", "items", "judge", "opened", "reviewers"]
pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
OPENED, AGREED = "panel.disputed", "panel.agreed"


def events(*verbs: str) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(verb__in=verbs).order_by("pk"))


def test_dispute_is_sent_when_the_panel_is_complete_and_names_nobody(
    receiver: Receiver, issued: NewSecret, worker: Worker, opened: Open, reviewers: People,
    judge: Callable[..., Any],
) -> None:  # fmt: skip
    round_ = opened(1)
    first, second = reviewers(2)
    judge(round_, first, correction=Correction("ཁས་ལེན།", OPTIONS), comment="geheim")
    assert events(OPENED) == []
    judge(round_, second, verdict="reject", comment="geheim")
    worker.work()
    panel = Panel.objects.get()
    [event] = events(OPENED)
    assert (event.actor, event.actor_name, event.target) == (None, "-", f"panel:{panel.pk}")
    assert event.data == {"round": 1}
    [body] = [each for each in receiver.bodies if each["type"] == "dispute.opened"]
    assert body["data"] == {"id": panel.pk, "round": 1, "state": "disputed"}
    said = json.dumps(receiver.bodies, ensure_ascii=False)
    kept = [panel.item.uid, panel.item.question, "ཁས་ལེན།", "geheim", "reject", first.email]
    assert [each for each in [*kept, second.email] if each in said] == []


def test_agreement_opens_no_dispute(opened: Open, reviewers: People, judge: Any) -> None:
    round_ = opened(1)
    for person in reviewers(2):
        judge(round_, person)
    assert events(OPENED, AGREED) == []


def test_same_judgement_again_opens_no_second_dispute(
    opened: Open, reviewers: People, judge: Any
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    judge(round_, first)
    seat = claim_seat(round_=round_, reviewer=second, now=timezone.now())
    assert seat is not None
    for _time in range(2):
        submit_judgement(
            assignment=seat,
            reviewer=second,
            revision_id=seat.panel.revision_id,
            content=content(verdict="reject"),
            idempotency_key="once",
            now=timezone.now(),
        )
    assert len(events(OPENED)) == 1


def test_judgements_write_one_event_for_a_dispute_and_none_for_anything_else(
    opened: Open, reviewers: People, judge: Any
) -> None:
    round_ = opened(2)
    first, second = reviewers(2)
    before = AuditEvent.objects.count()
    for _number in range(2):
        judge(round_, first)
    judge(round_, second)
    assert AuditEvent.objects.count() == before
    judge(round_, second, verdict="reject")
    assert AuditEvent.objects.count() == before + 1


def test_further_judgements_that_end_a_dispute_settle_it_and_open_no_other(
    receiver: Receiver, issued: NewSecret, worker: Worker, opened: Open, reviewers: People,
    member: Callable[..., User], judge: Any,
) -> None:  # fmt: skip
    round_ = opened(1, verdict_rule=VerdictRule.MAJORITY)
    first, second, third, fourth, fifth = reviewers(5)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    senior = member(Role.SENIOR)
    states = []
    said = ((third, "reject"), (fourth, "approve"), (fifth, "approve"))
    for person, verdict in said:
        panel = Panel.objects.select_related("round__project", "item").get()
        ask_further_judgement(panel=panel, actor=senior, now=timezone.now())
        judge(round_, person, verdict=verdict)
        states.append(Panel.objects.get().state)
    assert states == [PanelState.DISPUTED, PanelState.DISPUTED, PanelState.SETTLED]
    assert [each.verb for each in events(OPENED, AGREED)] == [OPENED, AGREED]
    worker.work()
    types = [each["type"] for each in receiver.bodies if each["type"].startswith("dispute")]
    assert sorted(types) == ["dispute.opened", "dispute.settled"]


def test_dispute_that_is_settled_and_reopened_is_sent_as_such_and_not_as_opened_again(
    receiver: Receiver, issued: NewSecret, worker: Worker, disputed: Callable[..., Panel],
    member: Callable[..., User],
) -> None:  # fmt: skip
    panel, senior = disputed(), member(Role.SENIOR)
    decision = DecisionContent(kind="approve", reason="It stands.")
    adjudicate_panel(panel=panel, senior=senior, content=decision, now=timezone.now())
    settled = Panel.objects.select_related("adjudication", "round__project").get()
    reopen_dispute(panel=settled, senior=senior, reason="No.", now=timezone.now())
    worker.work()
    types = [each["type"] for each in receiver.bodies if each["type"].startswith("dispute")]
    assert sorted(types) == ["dispute.opened", "dispute.reopened", "dispute.settled"]


def test_close_of_a_solving_round_opens_each_dispute_about_a_key_once(
    receiver: Receiver, issued: NewSecret, worker: Worker, opened: Open, reviewers: People
) -> None:
    round_ = opened(3, kind=RoundKind.SOLVING, panel_size=2)
    for person in reviewers(2):
        for choice in ("B", "A", "C"):
            solve(round_, person, choice)
    close_round(round_=round_, actor=None, now=timezone.now())
    disputes = Panel.objects.filter(state=PanelState.DISPUTED).order_by("pk")
    assert [each.target for each in events(OPENED)] == [f"panel:{each.pk}" for each in disputes]
    assert len(disputes) == 2
    worker.work()
    told = [each["data"]["id"] for each in receiver.bodies if each["type"] == "dispute.opened"]
    assert sorted(told) == [each.pk for each in disputes]


def test_replay_sends_a_dispute_that_was_opened_before_the_webhook_was_there(
    receiver: Receiver, disputed: Callable[..., Panel], request: Any, worker: Worker
) -> None:
    panel = disputed()
    webhook = request.getfixturevalue("issued").webhook
    assert worker.work() == 0
    since = panel.decided_at
    assert since is not None
    assert replay(webhook=webhook, since=since, actor=None, now=NOW) == 1
    worker.work()
    assert [each["type"] for each in receiver.bodies] == ["dispute.opened"]
    assert replay(webhook=webhook, since=since, actor=None, now=NOW) == 1
    worker.work()
    assert len(set(receiver.ids)) == 1 and len(receiver.ids) == 2


def test_dispute_of_another_project_or_of_a_panel_that_is_gone_is_not_sent(
    receiver: Receiver, issued: NewSecret, worker: Worker, project: Project
) -> None:
    for scope, target in (("other", "panel:1"), (project.slug, "panel:99999")):
        record_event(actor=None, verb=OPENED, target=target, scope=scope, data={}, now=NOW)
    worker.work()
    assert receiver.bodies == []
