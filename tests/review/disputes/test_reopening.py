"""A decision is taken back by who took it, until somebody has built on it; nothing is deleted."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.models import Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.reopening import reopen_dispute
from review.disputes.presenters import history
from review.disputes.queries import adjudications_like, panels_settled_by
from review.enums import PanelState
from review.models import Adjudication, Panel, Reopening, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from tests.factories import ReleaseFactory, make_release_item
from tests.review.conftest import OPTIONS
from tests.review.kinds import refusal

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Dispute = Callable[..., Panel]
Browser = Callable[[User], Client]
MERGED = Correction("འདྲི་བ་མཐའ་མ།", OPTIONS)
LATER = Correction("འདྲི་བ་ཡང་།", OPTIONS)


def settle(panel: Panel, senior: User, **said: Any) -> Adjudication:
    said = {"reason": "r", **said}
    return adjudicate_panel(
        panel=Panel.objects.get(pk=panel.pk),
        senior=senior,
        content=DecisionContent(**said),
        now=timezone.now(),
    )


def reopen(panel: Panel, senior: User, reason: str = "a slip") -> Reopening:
    return reopen_dispute(
        panel=Panel.objects.get(pk=panel.pk), senior=senior, reason=reason, now=timezone.now()
    )


@pytest.mark.parametrize(
    "said", [{"kind": "merge", "correction": MERGED}, {"kind": "approve"}, {"kind": "reject"}]
)
def test_reopened_dispute_is_as_before_and_the_decision_stays(
    disputed: Dispute, member: Member, said: dict[str, Any]
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    made = settle(panel, senior, **said)

    reopening = reopen(panel, senior)

    stored = Panel.objects.get()
    assert (stored.state, stored.adjudication, stored.settled_at) == (
        PanelState.DISPUTED, None, None,
    )  # fmt: skip
    assert (reopening.adjudication, reopening.reason) == (made, "a slip")
    translation = Translation.objects.get()
    assert (translation.current_revision, translation.state) == (panel.revision, "pending")
    assert Adjudication.objects.get() == made
    assert AuditEvent.objects.get(verb="panel.reopened").actor == senior
    assert AuditEvent.objects.filter(verb="revision.restored").count() == 1


@pytest.mark.parametrize("second", [MERGED, LATER])
def test_text_of_the_next_decision_comes_after_the_withdrawn_one(
    disputed: Dispute, member: Member, second: Correction
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    first = settle(panel, senior, kind="merge", correction=MERGED)
    reopen(panel, senior)

    again = settle(panel, senior, kind="merge", correction=second)

    newest = Revision.objects.get(number=3)
    assert (again.resulting_revision, newest.supersedes) == (newest, first.resulting_revision)
    assert Translation.objects.get().current_revision == newest
    assert Panel.objects.get().adjudication == again
    shown = history(Panel.objects.get())
    assert [adjudication.withdrawn for adjudication in shown[0].adjudications] == ["a slip", None]


def test_only_who_settled_it_may_and_only_once(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    assert refusal(lambda: reopen(panel, senior)).code == "dispute_not_settled"
    settle(panel, senior, kind="reject")
    assert refusal(lambda: reopen(panel, member(Role.SENIOR))).code == "decision_of_another"
    assert refusal(lambda: reopen(panel, senior, reason="")).code == "reason_missing"
    seen = Panel.objects.get()
    reopen(panel, senior)
    late = refusal(
        lambda: reopen_dispute(panel=seen, senior=senior, reason="r", now=timezone.now())
    ).code
    assert late == "dispute_not_settled"
    assert Reopening.objects.count() == 1


def test_text_that_a_later_round_has_stays(
    disputed: Dispute, member: Member, opened: Callable[..., Round]
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    settle(panel, senior, kind="merge", correction=MERGED)
    close_round(round_=panel.round, actor=None, now=timezone.now())
    opened(0)

    assert refusal(lambda: reopen(panel, senior)).code == "decision_in_use"
    assert Panel.objects.get(pk=panel.pk).state == PanelState.SETTLED


def test_text_that_a_release_has_stays(disputed: Dispute, member: Member, project: Project) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    settle(panel, senior, kind="approve")
    make_release_item(ReleaseFactory(project=project), panel.item)

    assert refusal(lambda: reopen(panel, senior)).code == "decision_in_use"


def test_senior_reopens_from_the_list_of_what_they_settled(
    disputed: Dispute, member: Member, browser_of: Browser, project: Project
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    settle(panel, senior, kind="reject", reason="no such plant")
    browser = browser_of(senior)

    listed = browser.get("/projects/ti/disputes/settled/").content.decode()
    assert "no such plant" in listed
    sent = browser.post(f"/projects/ti/disputes/{panel.pk}/reopen/", {"reason": "a slip"})
    assert sent["Location"] == f"/projects/ti/disputes/{panel.pk}/"
    assert "a slip" in browser.get(sent["Location"]).content.decode()
    assert not panels_settled_by(senior, project).exists()


def test_senior_reopens_through_the_api(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    made = settle(panel, senior, kind="reject")

    sent = browser_of(senior).post(
        f"/api/v1/disputes/{panel.pk}/reopening/",
        {"reason": "a slip"},
        content_type="application/json",
    )
    assert (sent.status_code, sent.json()) == (201, {"adjudication": made.pk})


def test_adjudications_on_the_same_reason_stand_beside_the_next(
    disputed: Dispute, member: Member
) -> None:
    senior = member(Role.SENIOR)
    panel = disputed(3)
    second, third = Panel.objects.exclude(pk=panel.pk).order_by("pk")
    made = settle(panel, senior, kind="reject")
    settle(second, senior, kind="reject")
    reopen(second, senior)

    assert adjudications_like(third) == [made]
    assert adjudications_like(panel) == []
    Panel.objects.filter(pk=third.pk).update(reason_codes="flagged")
    assert adjudications_like(Panel.objects.get(pk=third.pk)) == []


@pytest.mark.parametrize("count", [1, 3])
def test_list_of_settled_costs_the_same_for_one_and_three(
    disputed: Dispute,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: Callable[..., object],
    count: int,
) -> None:
    disputed(count)
    senior = member(Role.SENIOR)
    for panel in Panel.objects.all():
        settle(panel, senior, kind="reject")
    browser = browser_of(senior)
    browser.get("/projects/ti/disputes/settled/")

    with django_assert_num_queries(5):  # type: ignore[attr-defined]
        page = browser.get("/projects/ti/disputes/settled/")
    assert len(page.context["page"].rows) == count


def test_api_lists_what_one_has_settled_the_latest_first(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    first, senior = disputed(3), member(Role.SENIOR)
    last, other = Panel.objects.exclude(pk=first.pk).order_by("pk")
    adjudications = [settle(panel, senior, kind="reject", reason="r") for panel in (first, last)]
    settle(other, member(Role.SENIOR), kind="approve")

    listed = browser_of(senior).get("/api/v1/projects/ti/disputes/settled/").json()["results"]

    assert [(each["id"], each["adjudication"]) for each in listed] == [
        (last.pk, adjudications[1].pk),
        (first.pk, adjudications[0].pk),
    ]
    assert {"decision": "reject", "reason": "r", "round": 1}.items() <= listed[0].items()
