"""The pages of outsiders and of managers."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from projects.enums import Role
from releases.models import Release
from submissions.checking import MOST_BYTES
from submissions.enums import Admission
from submissions.models import Participant, Submission, SubmissionPolicy, Team, Telling
from submissions.queries import scores_left
from tests.factories import UserFactory
from tests.submissions.builders import (
    OPEN_TO_ALL,
    answers,
    join,
    scored,
    send,
    take_submissions,
    texts_of,
)

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]


def csv_of(release: Release, right: int) -> SimpleUploadedFile:
    lines = "".join(f"{uid},{answer}\n" for uid, answer in answers(release, right))
    return SimpleUploadedFile("answers.csv", f"id,answer\n{lines}".encode())


def part_url(name: str = "part") -> str:
    return reverse(f"submissions:{name}", args=["ti", "1.0.0"])


def test_a_stranger_accepts_the_terms_and_sends_a_file(
    release: Release, browser_of: Browser
) -> None:
    page = browser_of(UserFactory())
    assert "Do not train on these items." in page.get(part_url()).content.decode()
    joined = page.post(
        part_url("join"),
        {"team": "Lhasa", "affiliation": "U", "terms_version": 1, "accepts": "on"},
    )
    assert joined.status_code == 302
    sent = page.post(part_url(), {"file": csv_of(release, 8), "model": "stand-in"})
    submission = Submission.objects.get()
    assert sent["Location"] == reverse("submissions:submission", args=[submission.pk])
    shown = page.get(sent["Location"]).content.decode()
    assert "at place 1 of the queue" in shown
    page.post(reverse("submissions:cancel", args=[submission.pk]))
    submission.refresh_from_db()
    assert submission.state == "cancelled"


def test_who_has_not_accepted_the_terms_is_sent_to_them(
    release: Release, browser_of: Browser
) -> None:
    take_submissions(release.project, accepts_endpoints=True)
    page = browser_of(UserFactory())
    for name in ("endpoint", "texts"):
        answer = page.get(part_url(name), follow=True)
        assert answer.redirect_chain == [(part_url(), 302)]
        assert "Do not train on these items." in answer.content.decode()
        assert "Accept the terms and name your team first." in answer.content.decode()


def test_a_file_sent_under_old_terms_or_too_early_is_refused_on_the_page(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    page = browser_of(sender.user)
    take_submissions(release.project, admission="admitted")
    Team.objects.update(admitted_at=None)
    early = page.post(part_url(), {"file": csv_of(release, 8), "model": "m"})
    assert (early.status_code, b"A manager must admit your team" in early.content) == (403, True)
    assert b"Left today" in early.content
    take_submissions(release.project, terms="New terms.")
    old = page.post(part_url(), {"file": csv_of(release, 8), "model": "m"}, follow=True)
    assert old.redirect_chain == [(part_url(), 302)]
    assert b"New terms." in old.content
    assert not Submission.objects.exists()


def test_terms_must_be_accepted(release: Release, browser_of: Browser) -> None:
    page = browser_of(UserFactory())
    refused = page.post(part_url("join"), {"team": "L", "affiliation": "U", "terms_version": 1})
    assert refused.status_code == 400
    assert not Team.objects.exists()


def test_a_wrong_file_is_refused_with_its_ids(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    page = browser_of(sender.user)
    file = SimpleUploadedFile("a.json", b'{"hidden-0": "A", "nobody": "B"}')
    refused = page.post(part_url(), {"file": file, "model": "m"})
    assert refused.status_code == 422
    assert "nobody" in refused.content.decode()


def test_a_team_withdraws_on_the_page(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    done, page = scored(release, sender, 8), browser_of(sender.user)
    address = reverse("submissions:submission", args=[done.pk])
    assert 'data-confirm="Withdraw this submission?' in page.get(address).content.decode()
    page.post(reverse("submissions:withdraw", args=[done.pk]))
    done.refresh_from_db()
    assert (done.visibility, done.is_listed) == ("withdrawn", False)
    shown = page.get(address).content.decode()
    assert "List it again" in shown
    assert "withdrawn by its team" in shown
    page.post(reverse("submissions:restore", args=[done.pk]))
    done.refresh_from_db()
    assert (done.visibility, done.is_listed) == ("shown", True)


def test_what_the_leaderboard_does_not_list_is_not_called_shown(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    """One that waits, one that was told nothing, and one that was cancelled."""
    page = browser_of(sender.user)
    scored(release, sender, 20)
    untold, waiting = scored(release, sender, 2), send(release, sender, answers(release, 12))
    for sent, words in ((untold, "not listed: no score"), (waiting, "not yet: it is not scored")):
        shown = page.get(reverse("submissions:submission", args=[sent.pk])).content.decode()
        assert words in shown
        assert "Withdraw from the leaderboard" not in shown
        assert page.post(reverse("submissions:withdraw", args=[sent.pk])).status_code == 409
        told = page.get(reverse("api:submission", args=[sent.pk])).json()
        assert told["is_listed"] is False


def test_a_team_reads_how_many_scores_are_left(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    page, left = browser_of(sender.user), scores_left(sender.team, release)
    assert f"About {left} more scores can be told" in page.get(part_url()).content.decode()
    done = scored(release, sender, 8)
    after = scores_left(sender.team, release)
    assert 0 < after < left
    assert f"About {after} more scores can be told" in page.get(part_url()).content.decode()
    Telling.objects.filter(submission=done, kind="answer").update(bits=62)
    assert "No more scores can be told" in page.get(part_url()).content.decode()


def test_a_file_of_answers_has_a_limit_of_its_own(
    release: Release, sender: Participant, browser_of: Browser
) -> None:
    page, data = browser_of(sender.user), json.dumps(dict(answers(release, 8))).encode()

    def sent(size: int) -> Any:
        file = SimpleUploadedFile("a.json", data + b" " * (size - len(data)))
        return page.post(part_url(), {"file": file, "model": "m"})

    assert sent(MOST_BYTES).status_code == 302
    refused = sent(MOST_BYTES + 1)
    assert (refused.status_code, "larger than 3 MB" in refused.content.decode()) == (400, True)
    refused = sent(MOST_BYTES + 200_000)
    assert (refused.status_code, "3 MB at most" in refused.content.decode()) == (413, True)


def test_a_manager_sets_the_rules(
    project, member: Callable[..., User], browser_of: Browser
) -> None:
    page = browser_of(member(Role.MANAGER))
    address = reverse("submissions:manage", args=["ti"])
    assert page.get(address).status_code == 200
    values = {**OPEN_TO_ALL, "is_open": "on", "accepts_dictionaries": "on", "per_day": 5}
    del values["is_board_public"]
    assert page.post(address, values).status_code == 302
    policy = SubmissionPolicy.objects.get()
    assert (policy.is_open, policy.per_day, policy.is_board_public) == (True, 5, False)
    assert page.post(address, {**values, "terms": ""}).status_code == 400


def test_a_manager_admits_bans_and_moderates(
    release: Release, member: Callable[..., User], browser_of: Browser
) -> None:
    sender = join(release.project)
    done = scored(release, sender, 8)
    page = browser_of(member(Role.MANAGER))
    team_url = reverse("submissions:team", args=["ti", sender.team.pk])
    row_url = reverse("submissions:moderate", args=["ti", done.pk])
    for address, values in (
        (row_url, {"do": "hide", "reason": "Not a model."}),
        (row_url, {"do": "flag", "reason": "Look."}),
        (row_url, {"do": "verify"}),
        (team_url, {"do": "ban", "reason": "Cheated."}),
    ):
        assert page.post(address, values).status_code == 302
    done.refresh_from_db()
    assert (done.visibility, texts_of(done), done.is_verified, done.team.ban_reason) == (
        "hidden", ["Look."], True, "Cheated.",
    )  # fmt: skip
    shown = page.get(reverse("submissions:manage", args=["ti"])).content.decode()
    assert "Cheated." in shown
    assert "What teams were told" in shown
    for address, values in ((row_url, {"do": "show"}), (team_url, {"do": "lift"})):
        assert page.post(address, values).status_code == 302
    done.refresh_from_db()
    assert (done.visibility, done.team.banned_at) == ("shown", None)
    assert page.post(row_url, {"do": "?"}).status_code == 400
    assert page.post(reverse("submissions:rescore", args=["ti", "1.0.0"])).status_code == 409


def test_a_team_is_admitted_only_where_that_is_needed(
    release: Release, sender: Participant, member: Callable[..., User], browser_of: Browser
) -> None:
    Team.objects.update(admitted_at=None)
    page = browser_of(member(Role.MANAGER))
    told = []
    for admission in Admission.values:
        take_submissions(release.project, admission=admission)
        shown = page.get(reverse("submissions:manage", args=["ti"])).content.decode()
        told.append(("not admitted" in shown, 'value="admit"' in shown))
    assert dict(zip(Admission.values, told, strict=True)) == {
        "everybody": (False, False),
        "admitted": (True, True),
    }


def test_a_list_that_does_not_go_on_has_no_foot(
    release: Release, sender: Participant, member: Callable[..., User], browser_of: Browser
) -> None:
    scored(release, sender, 8)
    page = browser_of(member(Role.MANAGER)).get(reverse("submissions:manage", args=["ti"]))
    assert 'class="pagination"' not in page.content.decode()


def test_a_stranger_finds_the_way_from_the_leaderboard_to_an_account_and_back(
    release: Release,
) -> None:
    take_submissions(release.project, is_board_public=True)
    page, asking = Client(), f'href="{part_url("ask-account")}"'
    board = page.get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert f'href="{part_url()}"' in board
    for name in ("part", "endpoint", "texts"):
        refused = page.get(part_url(name), follow=True).content.decode()
        assert asking in refused
        assert "You need an invitation" not in refused
    account = page.get(part_url("ask-account")).content.decode()
    assert f'href="{reverse("accounts:sign-in")}?next={quote(part_url(), safe="")}"' in account


@pytest.mark.parametrize("after", ["", "/projects/ti/", "//[", "/submit/", "/submissions/1/"])
def test_nobody_else_is_sent_to_ask_for_an_account(release: Release, after: str) -> None:
    page = Client().get(reverse("accounts:sign-in"), {"next": after}).content.decode()
    assert "You need an invitation" in page
    assert "Ask for an account" not in page


def test_closed_submissions_have_no_pages(release: Release, browser_of: Browser) -> None:
    take_submissions(release.project, is_open=False)
    assert browser_of(UserFactory()).get(part_url()).status_code == 404
    assert Client().get(part_url("ask-account")).status_code == 404
    take_submissions(release.project, is_open=False, is_board_public=True)
    board = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert part_url() not in board
