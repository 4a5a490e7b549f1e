"""What invitations say of the work: set by page, API and command, read by who is invited."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone, translation
from rest_framework.test import APIClient

from accounts.mail import send_waiting_emails
from accounts.models import AuditEvent, Invitation, User
from accounts.offers import offer_lines
from projects.actions import add_member
from projects.actions.offers import OfferContent, OfferInvalid, change_offer, offer_of
from projects.enums import Role
from projects.models import Project

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
NOW = timezone.now()
PAGE = "/projects/ti/members/offer/"
SAID = {
    "about": "You read exam questions.\nYou correct them.", "language": "en", "items": 200,
    "minutes": 3, "pay": Decimal("20.50"), "currency": "EUR", "unit": "hour",
}  # fmt: skip


def offered(project: Project, **said: Any) -> None:
    change_offer(project=project, content=OfferContent(**{**SAID, **said}), actor=None, now=NOW)


def invited(project: Project, role: str = Role.REVIEWER, email: str = "new@example.org") -> str:
    added = add_member(
        project=project, email=email, name="", role=role, languages=[], subjects=[], actor=None,
        now=NOW,
    )  # fmt: skip
    assert added.issued
    return added.issued.secret


def lines(language: str = "en", **said: Any) -> dict[str, str]:
    with translation.override(language):
        return {line.label: line.text for line in offer_lines(said)}


def test_offer_says_only_what_is_known() -> None:
    assert lines() == {}
    assert lines(minutes=1) == {"How long": "1 minute each"}
    assert lines(items=1200) == {"How long": "about 1,200 items"}
    assert lines(pay="0.80", currency="CNY", unit="item") == {"Pay": "0.80 CNY per item"}
    assert lines(source_language="en", target_language="xx") == {
        "Languages": "from English into xx"
    }


def test_invited_reviewer_reads_it_on_the_page_and_in_the_e_mail(
    project: Project, client: Client
) -> None:
    offered(project)
    page = client.get(f"/accounts/invitations/{invited(project)}/").content.decode()
    send_waiting_emails()

    (message,) = mail.outbox
    html = str(message.alternatives[0][0])  # type: ignore[attr-defined]
    for text in (page, message.body, html):
        assert "You correct them." in text
        assert "about 200 items, 3 minutes each, some 10 hours in all" in text
        assert "20.50 EUR per hour" in text
    assert "You read exam questions.<br>You correct them." in page


def test_text_of_an_offer_is_no_markup(project: Project, client: Client) -> None:
    offered(project, about="<script>alert(1)</script>")
    page = client.get(f"/accounts/invitations/{invited(project)}/").content.decode()
    send_waiting_emails()
    assert "<script>alert" not in page
    assert "<script>alert" not in str(mail.outbox[0].alternatives[0][0])  # type: ignore[attr-defined]


def test_invitation_keeps_what_it_said_when_the_offer_changes(
    project: Project, client: Client
) -> None:
    offered(project)
    secret = invited(project)
    offered(project, pay=Decimal(5))
    assert "20.50 EUR" in client.get(f"/accounts/invitations/{secret}/").content.decode()


def test_viewer_reads_nothing_of_amounts_and_pay(project: Project) -> None:
    offered(project)
    invited(project, Role.VIEWER)
    assert set(Invitation.objects.get().offer) == {
        "about", "about_language", "source_language", "target_language",
    }  # fmt: skip


def test_e_mail_is_in_the_language_of_the_offer(project: Project) -> None:
    offered(project, language="zh-hans", about="请审校译文。")
    invited(project)
    send_waiting_emails()
    with translation.override("zh-hans"):
        greeting = translation.gettext("Open this address to choose your name and password:")
    assert greeting in mail.outbox[0].body
    assert "请审校译文。" in mail.outbox[0].body


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"items": 0}, "items"), ({"minutes": 601}, "minutes"), ({"pay": Decimal(-1)}, "pay"),
        ({"pay": Decimal(10**12)}, "pay"), ({"pay": Decimal("NaN")}, "pay"),
        ({"currency": "eur"}, "currency"), ({"currency": ""}, "currency"),
        ({"language": "xx"}, "language"), ({"unit": "day"}, "unit"), ({"about": "a\0"}, "about"),
        ({"about": "x" * 2001}, "about"),
    ],
)  # fmt: skip
def test_impossible_offer_is_refused_by_field(
    project: Project, said: dict[str, Any], field: str
) -> None:
    with pytest.raises(OfferInvalid) as refused:
        offered(project, **said)
    assert list(refused.value.fields) == [field]
    assert offer_of(project) == OfferContent()


def test_page_api_and_command_change_it_and_leave_a_trace(
    project: Project, member: Member, browser_of: Browser, api_of: Api
) -> None:
    manager = member(Role.MANAGER)
    typed = {**SAID, "pay": "20.50"}
    assert browser_of(manager).post(PAGE, typed).status_code == 302
    assert "20.50 EUR per hour" in browser_of(manager).get(PAGE).content.decode()
    assert browser_of(manager).post(PAGE, {**typed, "currency": "x"}).status_code == 400
    api = api_of(manager)
    changed = api.patch("/api/v1/projects/ti/work-offer/", {"minutes": 4}, format="json")
    assert (changed.status_code, changed.json()["minutes"], changed.json()["items"]) == (
        200,
        4,
        200,
    )
    wrong = api.patch("/api/v1/projects/ti/work-offer/", {"unit": "day"}, format="json")
    assert wrong.status_code == 400
    call_command("describe_work", "ti", "--items", "50", "--unit", "item", verbosity=0)
    assert offer_of(project) == OfferContent(**{**SAID, "minutes": 4, "items": 50, "unit": "item"})
    with pytest.raises(CommandError):
        call_command("describe_work", "ti", "--pay", "much", verbosity=0)
    assert AuditEvent.objects.filter(verb="offer.changed").count() == 3


def test_audit_event_of_work_without_pay_names_no_pay(project: Project) -> None:
    change_offer(
        project=project, content=OfferContent(about="Judge."), actor=None, now=timezone.now()
    )
    assert AuditEvent.objects.get(verb="offer.changed").data["pay"] is None
