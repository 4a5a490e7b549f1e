"""First contact: a stranger's endpoint sees few closed questions before it has answered them well."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from endpoints.providers.base import ChatRequest
from endpoints.providers.recorded import NullProvider
from projects.enums import Role
from projects.models import Project
from releases.models import Release
from submissions.actions import asking
from submissions.actions.sending import LeakSpent
from submissions.actions.teams import PolicyInvalid, trust_team
from submissions.contact import drawn, fewest_right
from submissions.models import Participant, Submission, SubmissionResponse
from submissions.presenters import result_words
from submissions.queries import team_accounts
from tests.submissions.builders import NOW, join, make_part, take_submissions
from tests.submissions.test_endpoints import ask, ask_some, number_of, right, send_one

pytestmark = pytest.mark.django_db

FIRST = 10


@pytest.fixture
def release(project: Project) -> Release:
    """A closed part of 24 items, of which 10 come first."""
    take_submissions(project, accepts_endpoints=True, first_contact=FIRST)
    release = make_part(project)
    Release.objects.filter(pk=release.pk).update(hidden_part="closed")
    release.refresh_from_db()
    return release


def collecting(seen: list[int], answer: Callable[[ChatRequest], str]) -> NullProvider:
    """Keeps each question, and answers it in some way."""

    def note(request: ChatRequest) -> str:
        seen.append(number_of(request))
        return answer(request)

    return NullProvider(note)


def wrong(request: ChatRequest) -> str:
    """The letter of an option that is not the correct one."""
    return "ABCD"["ABCD".index(right(request)) - 1]


@pytest.mark.both_databases
def test_a_server_that_only_collects_sees_the_same_few_questions_each_time(
    release: Release, sender: Participant
) -> None:
    tries = []
    for seed in range(3):
        seen: list[int] = []
        found = ask(send_one(release, sender, seed=seed), collecting(seen, lambda _each: "ཨ་ཨ།"))
        assert (found.state, found.endpoint.fault) == ("faulty", "contact-failed")
        assert (found.endpoint.first_contact, found.endpoint.sealed_key) == (FIRST, "")
        tries.append(seen)
    assert [len(set(seen)) for seen in tries] == [FIRST] * 3
    assert set(tries[0]) == set(tries[1]) == set(tries[2])
    assert tries[0] != tries[1]
    assert "no better than guessing" in result_words(found)
    (account,) = team_accounts(release.project)
    assert (account.shown, account.items, account.bits) == (FIRST, 24, 3.0)
    assert (account.requests, account.scores) == (0, 0)


def test_teams_see_different_questions_first(release: Release, sender: Participant) -> None:
    seen: dict[str, list[int]] = {"Lhasa": [], "Shigatse": []}
    for name, questions in seen.items():
        team = sender if name == "Lhasa" else join(release.project, team=name)
        ask(send_one(release, team), collecting(questions, wrong))
    assert set(seen["Lhasa"]) != set(seen["Shigatse"])
    shown = {each.team.name: each.shown for each in team_accounts(release.project)}
    assert shown == {"Lhasa": FIRST, "Shigatse": FIRST}


@pytest.mark.both_databases
def test_who_answers_well_is_asked_the_rest(release: Release, sender: Participant) -> None:
    seen: list[int] = []
    found = ask(send_one(release, sender), collecting(seen, right))
    assert (found.state, found.is_told, len(seen)) == ("scored", True, 24)
    assert found.answers == ["ABCD"[number % 4] for number in range(24)]
    (account,) = team_accounts(release.project)
    assert (account.shown, account.items, account.scores) == (24, 24, 1)


def test_a_killed_worker_s_successor_judges_the_stored_answers(
    release: Release, sender: Participant
) -> None:
    sent = send_one(release, sender)
    contact = asking.contact_of(sent, FIRST)
    for pk in contact:
        SubmissionResponse.objects.create(
            submission=sent, release_item_id=pk, state="answered", text="no answer",
            request_hash="0" * 64, created_at=NOW,
        )  # fmt: skip
    seen: list[int] = []
    assert ask(sent, collecting(seen, right)).state == "faulty"
    assert seen == []


def test_an_endpoint_without_an_answer_to_the_first_questions_fails(
    release: Release, sender: Participant
) -> None:
    sent = send_one(release, sender)
    ask_some(sent, 0)
    assert ask(sent, NullProvider(lambda _each: "")).endpoint.fault == "contact-failed"


@pytest.mark.both_databases
def test_a_manager_may_let_a_team_s_endpoints_be_asked_everything(
    release: Release, sender: Participant, member: Callable[..., User]
) -> None:
    manager = member(Role.MANAGER)
    for _time in range(2):
        trust_team(team=sender.team, is_trusted=True, actor=manager, now=NOW)
    found = ask(send_one(release, sender), NullProvider(wrong))
    assert (found.state, found.endpoint.first_contact) == ("scored", 0)
    trust_team(team=sender.team, is_trusted=False, actor=manager, now=NOW)
    assert ask(send_one(release, sender), NullProvider(wrong)).state == "faulty"
    events = AuditEvent.objects.filter(verb="submissions.team_trusted").order_by("pk")
    assert [row.data["is_trusted"] for row in events] == [True, False]


def test_withheld_questions_have_no_first_contact(release: Release, sender: Participant) -> None:
    Release.objects.filter(pk=release.pk).update(hidden_part="withheld")
    release.refresh_from_db()
    assert ask(send_one(release, sender), NullProvider(wrong)).state == "scored"


def test_a_part_of_fewer_items_has_no_first_contact(release: Release, sender: Participant) -> None:
    take_submissions(release.project, accepts_endpoints=True, first_contact=24)
    assert ask(send_one(release, sender), NullProvider(wrong)).state == "scored"


def test_first_contacts_use_up_what_a_team_may_be_told(
    release: Release, sender: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.ladder.ALWAYS_TOLD_BITS", 6.0)
    monkeypatch.setattr("submissions.ladder.MOST_SHARE_TOLD", 0.0)
    for _time in range(2):
        ask(send_one(release, sender), NullProvider(wrong))
    with pytest.raises(LeakSpent):
        send_one(release, sender)


@pytest.mark.parametrize("count", [-1, 1, 9, 1001])
def test_a_contact_of_too_few_or_too_many_questions_is_refused(
    release: Release, count: int
) -> None:
    with pytest.raises(PolicyInvalid):
        take_submissions(release.project, accepts_endpoints=True, first_contact=count)


def test_a_larger_contact_has_the_items_of_a_smaller_one_in_every_release() -> None:
    items = [(100 + item, item) for item in range(50)]
    later = [(900 + item, item) for item in range(50)]
    few, more = drawn(items, 10, team=3), drawn(items, 20, team=3)
    assert few < more
    assert {pk - 100 for pk in few} == {pk - 900 for pk in drawn(later, 10, team=3)}
    assert drawn(items, 10, team=4) != few


@pytest.mark.parametrize(
    ("counts", "fewest"),
    [([4] * 100, 33), ([4] * 10, 5), ([2] * 10, 8), ([0] * 10, 3), ([2], 1), ([], 0)],
)
def test_more_must_be_right_than_guessing_gets(counts: list[int], fewest: int) -> None:
    assert fewest_right(counts) == fewest


def test_page_and_api_of_managers_trust_a_team(
    release: Release,
    sender: Participant,
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
) -> None:
    ask(send_one(release, sender), NullProvider(wrong))
    manager = member(Role.MANAGER)
    page, manage = browser_of(manager), reverse("submissions:manage", args=["ti"])
    assert "10 of 24" in page.get(manage).content.decode()
    page.post(reverse("submissions:team", args=["ti", sender.team_id]), {"do": "trust"})
    assert "endpoints are asked everything" in page.get(manage).content.decode()
    api, url = api_of(manager), f"/api/v1/submission-teams/{sender.team_id}/"
    told: dict[str, Any] = api.patch(url, {"is_trusted": False}, format="json").json()
    assert told["is_trusted"] is False
    assert told["told"][0]["shown"] == FIRST
    part = browser_of(sender.user).get(reverse("submissions:endpoint", args=["ti", "1.0.0"]))
    assert "is asked 10 questions first" in part.content.decode()
    assert Submission.objects.get().endpoint.first_contact == FIRST
