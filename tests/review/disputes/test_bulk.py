"""Settling many disputes of one filter: the same action for each, and a count of what was left out."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.models import Finding, Translation
from common.errors import DomainError
from projects.enums import Role
from projects.models import Project
from review.disputes.actions import bulk
from review.disputes.actions.bulk import BulkResult, approve_disputes
from review.disputes.queue import QueueFilter
from review.models import Adjudication, Judgement, Panel, Round
from tests.markup import squeezed

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
GAPS = QueueFilter(verdicts="AA", reason="only-score_gap", gap="2")
QUERY = "verdicts=AA&reason=only-score_gap&gap=2"


@pytest.fixture
def gaps(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> list[Panel]:
    """Four disputes with a gap of 2 between two approvals, and a fifth whose verdicts differ."""
    round_ = opened(5)
    first, second = reviewers(2)
    for _number in range(4):
        judge(round_, first, domain=5)
        judge(round_, second, domain=3)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    return list(Panel.objects.order_by("pk"))


def approve(project: Project, senior: User, **more: Any) -> BulkResult:
    now = timezone.now()
    given = {"wanted": GAPS, "reason": "both approve", "before": now, **more}
    return approve_disputes(project=project, senior=senior, now=now, **given)


def test_all_of_the_filter_are_approved_and_no_other(
    gaps: list[Panel], project: Project, member: Member
) -> None:
    senior = member(Role.SENIOR)

    assert approve(project, senior) == BulkResult(settled=4, skipped={}, left=0)

    made = Adjudication.objects.order_by("panel")
    assert [(a.panel, a.decision, a.reason, a.senior) for a in made] == [
        (panel, "approve", "both approve", senior) for panel in gaps[:4]
    ]
    assert Translation.objects.filter(state="approved").count() == 4
    assert approve(project, senior) == BulkResult(settled=0, skipped={}, left=0)


def test_what_may_not_be_settled_is_left_out_and_counted(
    gaps: list[Panel], project: Project, member: Member
) -> None:
    senior = member(Role.SENIOR)
    Finding.objects.create(
        revision=gaps[0].revision, code="equal_options", severity="error", field="item",
        created_at=timezone.now(),
    )  # fmt: skip
    Translation.objects.filter(item=gaps[1].item).update(current_revision=gaps[2].revision)
    gaps[2].revision.author = senior
    gaps[2].revision.save()

    done = approve(project, senior)

    assert done == BulkResult(settled=1, skipped={"errors_open": 1, "revision_stale": 1}, left=2)


def test_what_came_up_after_the_preview_is_left_alone(
    gaps: list[Panel], project: Project, member: Member
) -> None:
    before = timezone.now() - timedelta(hours=1)
    Panel.objects.filter(pk=gaps[0].pk).update(decided_at=before)

    assert approve(project, member(Role.SENIOR), before=before).settled == 1


def test_dispute_that_is_left_out_stays_open_on_page_and_api(
    gaps: list[Panel], project: Project, member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.SENIOR))
    address = f"/projects/ti/disputes/bulk/?{QUERY}"
    project.items.update(question="哪一个？")

    preview = browser.get(address)
    browser.post(
        address,
        {
            "reason": "both approve",
            "before": preview.context["before"],
            "without": [gaps[0].pk, gaps[2].pk],
        },
    )

    assert preview.content.decode().count("哪一个？") == 4
    assert _open(gaps) == [gaps[0].pk, gaps[2].pk]
    said = {"reason": "both approve", "before": preview.context["before"], "without": [gaps[2].pk]}
    api = f"/api/v1{address}"
    assert browser.post(api, said, content_type="application/json").json()["settled"] == 1
    assert _open(gaps) == [gaps[2].pk]


def test_dispute_that_nobody_was_shown_is_not_settled_in_place_of_one_left_out(
    gaps: list[Panel],
    project: Project,
    member: Member,
    browser_of: Browser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    browser = browser_of(member(Role.SENIOR))
    address = f"/projects/ti/disputes/bulk/?{QUERY}"
    before = browser.get(address).context["before"]
    shown = [panel.pk for panel, _reasons in browser.get(address).context["rows"]]

    browser.post(address, {"reason": "fine", "before": before, "without": [shown[0]]})

    assert set(_open(gaps)) == {panel.pk for panel in gaps[:4]} - {shown[1]}


def _open(panels: list[Panel]) -> list[int]:
    rows = Panel.objects.filter(pk__in=[panel.pk for panel in panels[:4]], state="disputed")
    return list(rows.order_by("pk").values_list("pk", flat=True))


def test_batches_are_bounded_and_go_on(
    gaps: list[Panel], project: Project, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 3)
    senior = member(Role.SENIOR)

    assert approve(project, senior) == BulkResult(settled=3, skipped={}, left=1)
    assert approve(project, senior) == BulkResult(settled=1, skipped={}, left=0)


def test_texts_with_errors_do_not_stand_in_the_way_of_others(
    gaps: list[Panel],
    project: Project,
    member: Member,
    browser_of: Browser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    for panel in gaps[:2]:
        Finding.objects.create(
            revision=panel.revision, code="equal_options", severity="error", field="item",
            created_at=timezone.now(),
        )  # fmt: skip
    senior = member(Role.SENIOR)

    page = browser_of(senior).get(f"/projects/ti/disputes/bulk/?{QUERY}")
    preview = browser_of(senior).get(f"/api/v1/projects/ti/disputes/bulk/?{QUERY}").json()
    done = approve(project, senior)

    assert [panel for panel, _reasons in page.context["rows"]] == gaps[2:4]
    assert "Left out, open errors in the text: 2." in page.content.decode()
    assert (preview["count"], preview["left_out"]) == (2, {"errors_open": 2})
    assert done == BulkResult(settled=2, skipped={"errors_open": 2}, left=2)


def test_disputes_about_keys_are_left_out_and_counted(
    gaps: list[Panel], project: Project, member: Member
) -> None:
    Round.objects.update(kind="solving", judged_count=0)

    done = approve(project, member(Role.SENIOR))

    assert done == BulkResult(settled=0, skipped={"key_in_dispute": 4}, left=4)


def test_filter_of_disputes_about_keys_offers_no_settling_and_says_why(
    gaps: list[Panel], member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(Role.SENIOR))
    offer = "Settle all that match"
    assert offer in browser.get(f"/projects/ti/disputes/?{QUERY}").content.decode()
    Round.objects.update(kind="solving", judged_count=0)

    queue = browser.get(f"/projects/ti/disputes/?{QUERY}").content.decode()
    preview = browser.get(f"/projects/ti/disputes/bulk/?{QUERY}").content.decode()

    assert gaps[0].item.uid in queue
    assert offer not in queue
    assert "Settle each on its own page." in preview
    assert "the dispute is about the key: 4." in preview


@pytest.mark.parametrize(
    ("given", "code"),
    [({"reason": " "}, "reason_missing"), ({"wanted": QueueFilter(sort="uid")}, "filter_missing")],
)
def test_each_refusal(
    gaps: list[Panel], project: Project, member: Member, given: dict[str, Any], code: str
) -> None:
    with pytest.raises(DomainError) as refused:
        approve(project, member(Role.SENIOR), **given)
    assert refused.value.code == code
    assert not Adjudication.objects.exists()


def test_page_previews_then_settles(gaps: list[Panel], member: Member, browser_of: Browser) -> None:
    browser, address = browser_of(member(Role.SENIOR)), f"/projects/ti/disputes/bulk/?{QUERY}"

    page = browser.get(address)
    assert (page.context["count"], len(page.context["rows"])) == (4, 4)
    assert browser.post(address, {"before": "odd", "reason": ""}).status_code == 400
    assert not Adjudication.objects.exists()
    sent = browser.post(address, {"before": page.context["before"], "reason": "both approve"})
    assert sent.status_code == 302
    shown = browser.get(sent["Location"]).content.decode()
    assert "Settled: 4." in shown
    assert browser.get("/projects/ti/disputes/bulk/")["Location"] == "/projects/ti/disputes/"
    assert browser.post("/projects/ti/disputes/bulk/", {"reason": "all"}).status_code == 400


def test_api_previews_then_settles(gaps: list[Panel], member: Member, browser_of: Browser) -> None:
    browser, address = (
        browser_of(member(Role.SENIOR)),
        f"/api/v1/projects/ti/disputes/bulk/?{QUERY}",
    )

    preview = browser.get(address).json()
    assert preview["count"] == 4
    body = {"reason": "both approve", "before": preview["before"]}
    sent = browser.post(address, body, content_type="application/json")
    assert sent.json() == {"settled": 4, "skipped": {}, "left": 0}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ("reason=only-score_gab", "reason"),
        ("raeson=only-score_gap", "raeson"),
        ("gap=two", "gap"),
        ("round=first", "round"),
        ("days=2", "days"),
        ("waiting=1", "waiting"),
        ("sort=best", "sort"),
    ],
)
def test_api_refuses_a_filter_that_it_does_not_know_instead_of_settling_more(
    gaps: list[Panel], member: Member, browser_of: Browser, wrong: str, field: str
) -> None:
    browser = browser_of(member(Role.SENIOR))
    address = f"/api/v1/projects/ti/disputes/bulk/?verdicts=AA&{wrong}"
    body = {"reason": "both approve", "before": timezone.now().isoformat()}

    sent = browser.post(address, body, content_type="application/json")
    listed = browser.get(f"/api/v1/projects/ti/disputes/?{wrong}")

    for answer in (sent, browser.get(address), listed):
        assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not Adjudication.objects.exists()


def test_page_lists_and_names_what_the_button_settles(
    gaps: list[Panel], member: Member, browser_of: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 3)

    shown = browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/bulk/?{QUERY}")
    page = squeezed(shown.content.decode())

    assert "<b>4 disputes</b>can be approved now" in page
    assert "The first 3 are settled at once" in page
    assert f'href="/projects/ti/disputes/?{GAPS.query}"' in page.replace("&amp;", "&")
    assert [panel.item.uid in page for panel in gaps] == [True, True, True, False, False]
