"""What managers decide of submissions and teams: nothing is undone or replaced that they have not read."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from common.reasons import ReasonChanged, ReasonMissing
from projects.enums import Role
from releases.models import Release
from submissions.actions.moderating import (
    NotShown,
    ResultMissing,
    hide_submission,
    show_submission,
    verify_submission,
    withdraw_submission,
)
from submissions.actions.teams import (
    AlreadyBanned,
    ban_team,
    lift_ban,
)
from submissions.models import Participant, Submission, SubmissionPolicy, Team
from tests.submissions.builders import NOW, OPEN_TO_ALL, answers, scored, send, take_submissions

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Member = Callable[..., User]
Browser = Callable[[User], Client]


@pytest.fixture
def sent(release: Release, sender: Participant) -> Submission:
    return scored(release, sender, 12)


def hide(submission: Submission, reason: str) -> None:
    hide_submission(submission=submission, reason=reason, actor=submission.sent_by, now=NOW)


def show(submission: Submission, seen_reason: str | None = None) -> None:
    told = {"actor": submission.sent_by, "now": NOW}
    show_submission(submission=submission, seen_reason=seen_reason, **told)


def state_of(submission: Submission) -> tuple[str, str]:
    submission.refresh_from_db()
    return submission.visibility, submission.reason


def verbs(*wanted: str) -> list[str]:
    names = [f"submissions.{name}" for name in wanted]
    rows = AuditEvent.objects.filter(verb__in=names).order_by("pk")
    return [verb.removeprefix("submissions.") for verb in rows.values_list("verb", flat=True)]


def test_a_submission_is_hidden_for_a_reason_and_shown_again(sent: Submission) -> None:
    with pytest.raises(ReasonMissing):
        hide(sent, " ")
    hide(sent, " Not a model. ")
    hide(sent, "Not a model.")
    assert state_of(sent) == ("hidden", "Not a model.")
    show(sent, "Not  a\r\nmodel.")
    show(sent)
    assert state_of(sent) == ("shown", "")
    assert verbs("hidden", "shown") == ["hidden", "shown"]


def test_another_reason_than_that_of_a_manager_who_was_faster_is_not_lost_unseen(
    sent: Submission,
) -> None:
    hide(sent, "Not a model.")
    with pytest.raises(NotShown):
        hide(sent, "Follows a copy.")
    assert state_of(sent) == ("hidden", "Not a model.")


def test_what_its_team_withdrew_is_not_hidden_and_stays_withdrawn(sent: Submission) -> None:
    withdraw_submission(submission=sent, actor=sent.sent_by, now=NOW)
    with pytest.raises(NotShown):
        hide(sent, "Not a model.")
    show(sent)
    assert state_of(sent) == ("withdrawn", "")


def test_what_was_hidden_anew_for_another_reason_is_not_shown_unseen(sent: Submission) -> None:
    hide(sent, "Late.")
    show(sent, "Late.")
    hide(sent, "100 % by a copy.")
    with pytest.raises(ReasonChanged, match="reason is now: 100 % by a copy"):
        show(sent, "Late.")
    assert state_of(sent) == ("hidden", "100 % by a copy.")
    show(sent)
    assert state_of(sent) == ("shown", "")


def test_a_result_is_verified_once_there_is_one(release: Release, sender: Participant) -> None:
    waiting = send(release, sender, answers(release, 11))
    told = {"actor": sender.user, "now": NOW}
    with pytest.raises(ResultMissing):
        verify_submission(submission=waiting, is_verified=True, **told)
    done = scored(release, sender, 12)
    for is_verified in (True, True, False, False):
        verify_submission(submission=done, is_verified=is_verified, **told)
        done.refresh_from_db()
        assert done.is_verified is is_verified
    verify_submission(submission=waiting, is_verified=False, **told)
    assert verbs("verified") == ["verified", "verified"]


def test_a_ban_keeps_the_reason_of_whoever_was_faster(sender: Participant) -> None:
    team, told = sender.team, {"actor": sender.user, "now": NOW}
    with pytest.raises(ReasonMissing):
        ban_team(team=team, reason=" ", **told)
    ban_team(team=team, reason="Late.", **told)
    ban_team(team=team, reason=" Late. ", **told)
    with pytest.raises(AlreadyBanned, match="than this: Late"):
        ban_team(team=team, reason="Follows a copy.", **told)
    assert Team.objects.get().ban_reason == "Late."
    assert verbs("team_banned") == ["team_banned"]


def test_a_ban_that_was_not_read_is_not_lifted(sender: Participant) -> None:
    team, told = sender.team, {"actor": sender.user, "now": NOW}
    ban_team(team=team, reason="Late.", **told)
    lift_ban(team=team, seen_reason="Late.", **told)
    lift_ban(team=team, seen_reason="Late.", **told)
    ban_team(team=team, reason="Follows a copy.", **told)
    with pytest.raises(ReasonChanged):
        lift_ban(team=team, seen_reason="Late.", **told)
    assert Team.objects.get().ban_reason == "Follows a copy."
    lift_ban(team=team, **told)
    assert Team.objects.get().banned_at is None
    assert verbs("ban_lifted") == ["ban_lifted", "ban_lifted"]


def test_the_page_sends_the_reasons_that_it_shows(
    sent: Submission, member: Member, browser_of: Browser
) -> None:
    page = browser_of(member(Role.MANAGER))
    hide(sent, "Not “a” model.")
    ban_team(team=sent.team, reason="Late.", actor=sent.sent_by, now=NOW)
    shown = page.get(reverse("submissions:manage", args=["ti"])).content.decode()
    for reason in ("Not “a” model.", "Late."):
        assert f'<input type="hidden" name="seen_reason" value="{reason}">' in shown
    assert "· Not “a” model." in shown

    row = reverse("submissions:moderate", args=["ti", sent.pk])
    team = reverse("submissions:team", args=["ti", sent.team.pk])
    assert page.post(row, {"do": "show", "seen_reason": "Another."}).status_code == 409
    assert page.post(team, {"do": "lift", "seen_reason": "Another."}).status_code == 409
    assert page.post(row, {"do": "show", "seen_reason": "Not “a” model."}).status_code == 302
    assert page.post(team, {"do": "lift", "seen_reason": "Late."}).status_code == 302
    assert (state_of(sent), Team.objects.get().banned_at) == (("shown", ""), None)


def test_the_api_takes_the_reasons_that_were_read(
    sent: Submission, member: Member, browser_of: Browser
) -> None:
    call = browser_of(member(Role.MANAGER))
    row = reverse("api:submission-moderation", args=[sent.pk])
    team = reverse("api:team", args=[sent.team.pk])
    hide(sent, "Not a model.")
    ban_team(team=sent.team, reason="Late.", actor=sent.sent_by, now=NOW)
    body = {"is_verified": True, "is_hidden": False, "seen_reason": "Another."}
    refused = call.post(row, body, content_type="application/json")
    assert (refused.status_code, refused.json()["current"]) == (409, {"reason": "Not a model."})
    body = {"is_trusted": True, "is_banned": False, "seen_reason": "Another."}
    refused = call.patch(team, body, content_type="application/json")
    assert (refused.status_code, refused.json()["current"]) == (409, {"reason": "Late."})
    sent.refresh_from_db()
    assert (sent.is_verified, Team.objects.get().trusted_at) == (False, None)
    body = {"is_hidden": False, "seen_reason": "Not a model."}
    assert call.post(row, body, content_type="application/json").status_code == 200
    lifted = call.patch(team, {"is_banned": False}, content_type="application/json")
    assert (lifted.status_code, lifted.json()["is_banned"]) == (200, False)


def test_rules_that_another_manager_changed_are_not_overwritten_unread(
    release: Release, member: Member, browser_of: Browser
) -> None:
    """As when submissions were closed in haste, and an older page opened them again."""
    page, address = browser_of(member(Role.MANAGER)), reverse("submissions:manage", args=["ti"])
    sent = {**OPEN_TO_ALL, "is_open": "on", "accepts_dictionaries": "on", "per_day": 5}
    del sent["is_board_public"]
    sent["seen"] = page.get(address).context["form"]["seen"].value()
    take_submissions(release.project, is_open=False)
    refused = page.post(address, sent)
    assert refused.status_code == 400
    assert "Another manager has changed the rules since you opened" in refused.content.decode()
    assert not SubmissionPolicy.objects.get().is_open
    sent["seen"] = page.get(address).context["form"]["seen"].value()
    assert page.post(address, sent).status_code == 302
    policy = SubmissionPolicy.objects.get()
    assert (policy.is_open, policy.per_day) == (True, 5)
