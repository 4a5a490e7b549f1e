"""Dismissing findings and reopening them, on pages and through the API."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.checks.actions import FindingNotDismissed, dismiss_finding, reopen_finding
from annotation.models import Finding, Item, Revision, Translation
from projects.enums import Role
from projects.models import Project
from tests.factories import SourceFactory, make_translated_item

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
Member = Callable[..., User]


@pytest.fixture
def item(project: Project) -> Item:
    return make_translated_item(project=project, source__project=project, subject__project=project)


@pytest.fixture
def finding(item: Item) -> Finding:
    assert item.working_translation
    return make_finding(item.working_translation.current_revision)


def make_finding(revision: Revision | None, **fields: Any) -> Finding:
    return Finding.objects.create(
        **{
            "revision": revision,
            "code": "numbers_differ",
            "severity": "warning",
            "field": "question",
            "data": {"missing": "7", "added": ""},
            "created_at": NOW,
        }
        | fields
    )


def second_system(item: Item) -> Finding:
    """A finding on the text of another system."""
    source = SourceFactory(project=item.project, name="other.jsonl", system="other")
    translation = Translation.objects.create(
        item=item, system="other", source=source, created_at=NOW
    )
    revision = Revision.objects.create(
        translation=translation, number=1, question="ཀ", options=["ཁ", "ག"], origin="imported",
        content_hash="x", created_at=NOW,
    )  # fmt: skip
    translation.current_revision = revision
    translation.save()
    return make_finding(revision, data={"missing": "42", "added": ""})


@pytest.fixture
def senior(member: Member) -> User:
    return member(Role.SENIOR, name="Pema")


def test_reopened_finding_is_open_and_the_audit_log_keeps_both(
    finding: Finding, senior: User
) -> None:
    dismiss_finding(finding=finding, reason="in words", actor=senior, now=NOW)
    finding.refresh_from_db()

    reopen_finding(finding=finding, actor=senior, now=NOW + timedelta(hours=1))

    finding.refresh_from_db()
    item = finding.revision.translation.item
    assert (item.has_open_findings, item.has_open_warnings) == (True, True)
    assert (finding.dismissed_at, finding.dismissed_by, finding.dismissal_reason) == (
        None,
        None,
        "",
    )
    events = AuditEvent.objects.filter(target=f"finding:{finding.pk}").order_by("pk")
    assert [(event.verb, event.data) for event in events] == [
        ("finding.dismissed", {"code": "numbers_differ", "reason": "in words"}),
        ("finding.reopened", {"code": "numbers_differ", "reason": "in words"}),
    ]


def test_open_finding_cannot_be_reopened(finding: Finding, senior: User) -> None:
    with pytest.raises(FindingNotDismissed):
        reopen_finding(finding=finding, actor=senior, now=NOW)
    assert not AuditEvent.objects.exists()


def test_dismissed_findings_are_listed_with_name_and_reason_and_can_be_reopened(
    finding: Finding, senior: User, browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(senior)
    dismiss_finding(finding=finding, reason="it is there in words", actor=senior, now=NOW)

    page = browser.get("/projects/ti/findings/dismissed/").content.decode()
    answer = browser.post(
        f"/projects/ti/findings/{finding.pk}/reopen/",
        {"next": "/projects/ti/findings/dismissed/"},
        follow=True,
    )

    assert "Pema" in page
    assert "it is there in words" in page
    assert "Missing numbers: 7." in page
    assert "The finding is open again." in answer.content.decode()
    finding.refresh_from_db()
    assert finding.dismissed_at is None


@pytest.mark.parametrize("count", [1, 3])
def test_dismissed_findings_cost_the_same_for_any_number_of_rows(
    item: Item,
    senior: User,
    browser_of: Callable[[User], Client],
    count: int,
    django_assert_num_queries: Any,
) -> None:
    assert item.working_translation
    for place in range(count):
        found = make_finding(item.working_translation.current_revision, start=place, end=place)
        dismiss_finding(finding=found, reason="r", actor=senior, now=NOW)
    browser = browser_of(senior)
    with django_assert_num_queries(7):
        page = browser.get("/projects/ti/findings/dismissed/")
    assert len(page.context["rows"]) == count


def test_api_dismisses_lists_and_reopens(
    finding: Finding, senior: User, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(senior)
    api.post(f"/api/v1/findings/{finding.pk}/dismiss/", {"reason": "no"}, format="json")
    (dismissed,) = api.get("/api/v1/projects/ti/findings/?state=dismissed").json()["results"]
    reopened = api.post(f"/api/v1/findings/{finding.pk}/reopen/")
    again = api.post(f"/api/v1/findings/{finding.pk}/reopen/")

    assert (dismissed["dismissed_by"], dismissed["dismissal_reason"]) == ("Pema", "no")
    assert (reopened.status_code, reopened.json()["dismissed_at"]) == (200, None)
    assert (again.status_code, again.json()["code"]) == (409, "finding_not_dismissed")


def test_findings_of_another_system_can_be_filtered_and_opened(
    item: Item,
    finding: Finding,
    senior: User,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    second_system(item)
    browser = browser_of(senior)

    own = browser.get("/projects/ti/findings/numbers_differ/").content.decode()
    other = browser.get("/projects/ti/findings/numbers_differ/?system=other").content.decode()
    page = browser.get(f"/projects/ti/items/{item.pk}/").content.decode()
    (row,) = api_of(senior).get("/api/v1/projects/ti/findings/?system=other").json()["results"]

    assert ("Missing numbers: 7." in own, "Missing numbers: 42." in own) == (True, False)
    assert ("Missing numbers: 7." in other, "Missing numbers: 42." in other) == (False, True)
    assert "Missing numbers: 42." in page
    assert (row["system"], row["message"]) == ("other", "Missing numbers: 42.")


def test_check_with_errors_and_warnings_is_counted_once(
    item: Item, senior: User, browser_of: Callable[[User], Client]
) -> None:
    assert item.working_translation
    revision = item.working_translation.current_revision
    make_finding(revision, code="label_in_text", severity="error", data={"label": "A."})
    make_finding(revision, code="label_in_text", severity="warning", start=1, data={"label": "B."})

    page = browser_of(senior).get("/projects/ti/findings/")

    assert (page.context["check_count"], len(page.context["counts"])) == (1, 2)


def test_family_and_severity_are_said_in_the_language_of_the_reader(
    finding: Finding, senior: User, browser_of: Callable[[User], Client]
) -> None:
    browser, headers = browser_of(senior), {"Accept-Language": "zh-CN"}
    page = browser.get("/projects/ti/findings/", headers=headers)
    [row] = page.context["counts"]
    assert (row.family, row.severity_word) == ("与原文的一致性", "警告")
    assert ">警告</span>" in page.content.decode()
    page = browser.get(f"/projects/ti/findings/{finding.code}/", headers=headers)
    assert page.context["family"] == "与原文的一致性"
