"""The way of people who send: from the e-mail to the part, and back to what they sent, whatever was closed."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.mail import send_waiting_emails
from accounts.models import User
from projects.enums import Role
from releases.enums import ReleaseState
from releases.models import Release
from submissions.actions.teams import ban_team, request_account
from submissions.models import Participant, SubmissionResponse, Team
from submissions.presenters import result_words
from submissions.queries import standing_of, team_accounts
from tests.factories import MembershipFactory, ProjectFactory, UserFactory
from tests.submissions.builders import (
    NOW,
    TERMS,
    answers,
    join,
    make_part,
    scored,
    send,
    take_submissions,
)
from tests.submissions.test_endpoints import send_one

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
PART = "/submit/ti/1.0.0/"
LIST = "/api/v1/releases/ti/1.0.0/submissions/"
PLACE = "/api/v1/releases/ti/1.0.0/participation/"


def close(release: Release) -> None:
    take_submissions(release.project, is_open=False)


def yank(release: Release) -> None:
    Release.objects.filter(pk=release.pk).update(
        state=ReleaseState.YANKED, yanked_at=NOW, yank_reason="Wrong."
    )


def pass_by(release: Release) -> None:
    make_part(release.project, 24, version="1.1.0")


def text_of(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def test_the_e_mail_for_an_account_leads_to_the_part(release: Release) -> None:
    request_account(
        release=release, email="a@b.example", name="Visit evil.example", now=timezone.now()
    )
    send_waiting_emails()
    (message,) = mail.outbox
    assert message.subject == "Your account for Ti 1.0.0"
    texts = [str(message.body), str(message.alternatives[0][0])]
    for text in texts:
        assert PART in text
        assert "work on" not in text
        assert "evil.example" not in text
    link = re.search(r"https?://[^/]+(/accounts/invitations/\S+)", texts[0])
    assert link
    values = {"name": "Dolma", "password": "eight winds, one lamp"}
    answer = Client().post(link.group(1), {**values, "again": values["password"]})
    assert (answer.status_code, answer["Location"]) == (302, PART)


def test_an_invitation_leads_to_no_other_site(release: Release) -> None:
    request_account(release=release, email="a@b.example", name="", now=timezone.now())
    send_waiting_emails()
    link = re.search(r"https?://[^/]+(/accounts/invitations/[^?\s]+)", str(mail.outbox[0].body))
    assert link
    address = f"{link.group(1)}?next=https://evil.example/"
    values = {"name": "Dolma", "password": "eight winds, one lamp"}
    answer = Client().post(address, {**values, "again": values["password"]})
    assert answer["Location"] == "/"


def test_home_leads_to_what_somebody_sends_to(
    release: Release, browser_of: Browser, api_of: Api
) -> None:
    sender = join(release.project)
    page = text_of(browser_of(sender.user), "/")
    assert "Benchmarks you send to" in page
    assert f'href="{PART}"' in page
    assert "You are not in a project yet" not in page
    scored(release, sender, 8)
    pass_by(release)
    page = text_of(browser_of(sender.user), "/")
    assert 'href="/submit/ti/1.1.0/"' in page
    assert "your submissions to 1.0.0" in page
    home = api_of(sender.user).get("/api/v1/me/home/").json()
    assert home["benchmarks"] == [
        {
            "project": "ti",
            "team": "Lhasa",
            "is_waiting": False,
            "latest": "1.1.0",
            "earlier": ["1.0.0"],
        }
    ]


@pytest.mark.parametrize("count", [1, 3])
def test_home_costs_the_same_for_one_benchmark_and_three(
    browser_of: Browser, django_assert_num_queries: Any, count: int
) -> None:
    user = UserFactory()
    for number in range(count):
        project = ProjectFactory(slug=f"p{number}")
        take_submissions(project)
        scored(make_part(project), join(project, user), 8)
    browser = browser_of(user)
    browser.get("/")
    with django_assert_num_queries(13):
        browser.get("/")


@pytest.mark.parametrize(
    ("change", "latest"),
    [(close, ""), (yank, ""), (pass_by, "1.1.0")],
    ids=["closed", "yanked", "newer"],
)
def test_what_a_team_sent_stays_readable(
    release: Release, sender: Participant, browser_of: Browser, api_of: Api,
    change: Callable[[Release], None], latest: str,
) -> None:  # fmt: skip
    done = scored(release, sender, 8)
    change(release)
    browser, api = browser_of(sender.user), api_of(sender.user)
    page = text_of(browser, PART)
    assert "This version takes no submissions any more." in page
    assert f'href="/submissions/{done.pk}/"' in page
    assert ("Send new ones to version 1.1.0" in page) == bool(latest)
    assert 'type="file"' not in page
    assert f'href="{PART}"' in text_of(browser, f"/submissions/{done.pk}/")
    assert [row["submission"] for row in api.get(LIST).json()["results"]] == [done.pk]
    place = api.get(PLACE).json()
    assert (place["is_taking"], place["latest"]) == (False, latest)
    assert browser.post(PART, {"model": "m"}).status_code == 403
    assert browser_of(UserFactory()).get(PART).status_code == 404
    assert api_of(UserFactory()).get(LIST).status_code == 404


def test_a_banned_team_still_reads_what_it_sent_and_the_reason(
    release: Release, sender: Participant, browser_of: Browser, api_of: Api
) -> None:
    waiting = send(release, sender, answers(release, 8))
    ban_team(team=sender.team, reason="Sent keys.", actor=UserFactory(), now=NOW)
    waiting.refresh_from_db()
    assert result_words(waiting, standing_of(waiting)) == (
        "It was cancelled because your team may not send submissions any more. It does not count "
        "against your quota. Sent keys."
    )
    page = text_of(browser_of(sender.user), PART)
    assert "Your team may not send submissions: Sent keys." in " ".join(page.split())
    assert 'type="file"' not in page
    assert len(api_of(sender.user).get(LIST).json()["results"]) == 1


def test_the_api_tells_a_participant_their_place(release: Release, api_of: Api) -> None:
    assert api_of(UserFactory()).get(PLACE).json()["participation"] is None
    sender = join(release.project)
    send(release, sender, answers(release, 8), now=timezone.now())
    assert api_of(sender.user).get(PLACE).json()["participation"] == {
        "team": "Lhasa",
        "code": sender.team.code,
        "affiliation": "University",
        "is_admitted": True,
        "is_banned": False,
        "ban_reason": "",
        "terms_version": 1,
        "may_send": True,
        "left_today": 2,
        "left_this_month": 19,
        "scores_left": 16,
    }


def test_new_terms_ask_for_no_team_and_keep_the_affiliation(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    take_submissions(release.project, terms=f"{TERMS} Nor publish them.")
    browser = browser_of(sender.user)
    page = text_of(browser, PART)
    assert 'value="University"' in page
    assert "You stay in the team Lhasa." in page
    assert 'name="team"' not in page
    values = {"affiliation": "University", "terms_version": 2, "accepts": "on"}
    assert browser.post(f"{PART}join/", values).status_code == 302
    assert Participant.objects.get().terms_version == 2
    assert Team.objects.count() == 1


def test_the_page_tells_the_whole_quota(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    send(release, sender, answers(release, 8), now=timezone.now())
    page = " ".join(re.sub(r"<[^>]+>", " ", text_of(browser_of(sender.user), PART)).split())
    assert "Left today 2 of 3" in page
    assert "Left this month 19 of 20" in page


def test_a_team_that_waits_sees_no_form(release: Release, browser_of: Browser) -> None:
    sender = join(release.project)
    take_submissions(release.project, admission="admitted", accepts_endpoints=True)
    Team.objects.update(admitted_at=None)
    page = text_of(browser_of(sender.user), PART)
    assert "A manager must admit your team" in page
    for hidden in ('type="file"', "Send an endpoint", "Download the questions"):
        assert hidden not in page


def test_submissions_are_moderated_in_their_own_project_alone(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    done, manager, other = scored(release, sender, 8), UserFactory(), ProjectFactory(slug="other")
    for project in (release.project, other):
        MembershipFactory(project=project, user=manager, role=Role.MANAGER)
    for path, values in (
        (f"/projects/other/submissions/{done.pk}/", {"do": "flag", "reason": "Look."}),
        (f"/projects/other/submissions/teams/{sender.team.pk}/", {"do": "ban", "reason": "No."}),
    ):
        assert browser_of(manager).post(path, values).status_code == 404
    assert not done.flags.exists()


def test_a_manager_finds_number_declaration_and_the_other_submission_of_a_flag(
    release: Release, sender: Participant, browser_of: Browser, api_of: Api
) -> None:
    first = scored(release, sender, 8, size="7B", cutoff="2026-06", prompt="Answer so: X")
    other = scored(release, join(release.project, team="Shigatse"), 8)
    manager = UserFactory()
    MembershipFactory(project=release.project, user=manager, role=Role.MANAGER)
    address = reverse("submissions:manage", args=["ti"])
    page = text_of(browser_of(manager), address)
    link = f"?submission={first.pk}#submission-{first.pk}"
    assert page.count(f'href="{link}"') == 2
    for told in (
        f'id="submission-{first.pk}"',
        "size 7B",
        "until 2026-06",
        "Answer so: X",
        "20 Nov 2026",
    ):
        assert told in page, told
    alone = text_of(browser_of(manager), f"{address}{link}")
    assert f'id="submission-{other.pk}"' not in alone
    assert "Show all submissions" in alone
    rows = api_of(manager).get("/api/v1/projects/ti/submissions/").json()["results"]
    assert (rows[1]["size"], rows[1]["cutoff"], rows[1]["prompt"]) == (
        "7B",
        "2026-06",
        "Answer so: X",
    )


def test_questions_that_never_left_are_not_counted_as_shown(
    release: Release, sender: Participant
) -> None:
    take_submissions(release.project, accepts_endpoints=True)
    sent = send_one(release, sender)
    errors = [
        "endpoint-unreachable: ConnectError",
        "endpoint-inside",
        "endpoint-unreachable: ReadError",
    ]
    for placed, error in zip(release.items.order_by("position"), errors, strict=False):
        SubmissionResponse.objects.create(
            submission=sent, release_item=placed, state="failed", error=error, request_hash="x",
            created_at=NOW + timedelta(seconds=1),
        )  # fmt: skip
    assert [row.shown for row in team_accounts(release.project)] == [1]
