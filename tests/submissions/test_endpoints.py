"""Endpoints of teams: asked, scored like a dictionary, and their keys gone in every ending."""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from endpoints.actions import EndpointInvalid
from endpoints.engine import Limits
from endpoints.providers.base import (
    ChatProvider,
    ChatReply,
    ChatRequest,
    EndpointBusy,
    EndpointLocked,
)
from endpoints.providers.recorded import NullProvider
from jobs import progress
from jobs.models import Job
from jobs.worker import run_now
from leaderboards.queries import board_of
from projects.models import Project
from releases.models import Release
from scoring.scorers import AskedItem, Extraction
from submissions.actions import asking
from submissions.actions.asking import order_of, perform_endpoint_submission
from submissions.actions.endpoints import (
    AddressNotPublic,
    EndpointUnderway,
    TeamEndpoint,
    send_endpoint,
)
from submissions.actions.moderating import withdraw_submission
from submissions.actions.sending import (
    Declared,
    DictionariesNotTaken,
    QuotaUsed,
    cancel_submission,
)
from submissions.actions.teams import PolicyInvalid, ban_team
from submissions.enums import SubmissionState
from submissions.models import Participant, Submission, SubmissionResponse, SubmittedEndpoint, Team
from submissions.presenters import result_words
from submissions.queries import slots_taken, standing_of
from submissions.sealing import SealBroken, seal, unseal
from submissions.selectors import EndpointsNotTaken
from tests.evaluation.builders import QUICK, serving
from tests.factories import UserFactory
from tests.releases.markers import found_in
from tests.submissions.builders import NOW, answers, join, make_part, send, take_submissions
from tests.submissions.test_attacks import QUESTION, SECRETS, plant

pytestmark = pytest.mark.django_db

KEY = "sk-team-0123456789-very-secret"
NUMBER = re.compile(r"འདྲི་བ་ (\d+)")
QUICK_BUT_PATIENT = replace(QUICK, longest_wait=3600)
SENDING = "/api/v1/releases/ti/1.0.0/endpoint-submissions/"


@pytest.fixture
def release(release: Release) -> Release:
    take_submissions(release.project, accepts_endpoints=True)
    return release


def send_one(
    release: Release, sender: Participant, address: str = "http://127.0.0.1:9/v1", **more: Any
) -> Submission:
    fields: dict[str, Any] = {"base_url": address, "key": KEY, "seed": 7} | more
    return send_endpoint(
        release=release,
        sender=sender,
        declared=Declared(model="stand-in-strong"),
        endpoint=TeamEndpoint(**fields),
        now=NOW,
    )


def ask(
    submission: Submission, provider: ChatProvider | None = None, limits: Limits = QUICK
) -> Submission:
    """Do the job here, over HTTP unless there is a provider; the row as it ended."""
    assert submission.job is not None
    connect = None if provider is None else lambda _endpoint: provider
    work = partial(perform_endpoint_submission, connect=connect, limits=limits)
    run_now(submission.job, work)
    rows = Submission.objects.select_related("release__project", "team", "endpoint", "job")
    return rows.get(pk=submission.pk)


def number_of(request: ChatRequest) -> int:
    """The number of the question; the one with planted texts has none and is the fourth."""
    found = NUMBER.search(request.messages[-1].content)
    return int(found[1]) if found else 3


def right(request: ChatRequest) -> str:
    """The letter that the correct option has in the prompt, whatever the order is."""
    option = "ཀཁགང"[number_of(request) % 4]
    (letter,) = re.findall(rf"^([A-D])\. {option}$", request.messages[-1].content, re.MULTILINE)
    return str(letter)


class Refusing:
    """Does not accept the key, after `good` answers."""

    endpoint = "refusing"

    def __init__(self, good: int = 0) -> None:
        self.good = good

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.good -= 1
        if self.good < 0:
            raise EndpointLocked("401", body="དཔེ་སྟོན་ from another host")
        return ChatReply("A", "stop", request.model)

    async def aclose(self) -> None:
        """Nothing is open."""


def breaking(_request: ChatRequest) -> str:
    raise RuntimeError("a fault of ours")


@pytest.mark.both_databases
def test_right_answers_are_scored_as_those_of_a_dictionary(
    release: Release, sender: Participant
) -> None:
    found = ask(send_one(release, sender), NullProvider(right))
    standing = standing_of(found)
    assert (found.state, found.day_slot, found.is_told) == ("scored", 1, True)
    assert found.answers == ["ABCD"[number % 4] for number in range(24)]
    assert standing.score is not None
    assert standing.score.share == 1.0
    assert found.endpoint.unanswered == 0
    assert [(row.model, row.kind) for row in board_of(release, "withheld").rows] == [
        ("stand-in-strong", "submission")
    ]


def test_stand_in_is_asked_over_http_with_the_key_of_the_team(
    release: Release, sender: Participant
) -> None:
    with serving() as server:
        found = ask(send_one(release, sender, server.base_url))
        assert server.authorizations == {f"Bearer {KEY}"}
    assert found.state == SubmissionState.SCORED
    assert SubmissionResponse.objects.filter(submission=found).count() == 24
    assert found.endpoint.sealed_key == ""


def test_closed_part_is_scored_by_endpoints_alone_and_listed(
    release: Release, sender: Participant
) -> None:
    Release.objects.filter(pk=release.pk).update(hidden_part="closed")
    release.refresh_from_db()
    with pytest.raises(DictionariesNotTaken):
        send(release, sender, answers(release, 8))
    assert ask(send_one(release, sender), NullProvider(right)).state == SubmissionState.SCORED
    assert len(board_of(release, "closed").rows) == 1


def test_managers_choose_what_is_taken(release: Release, sender: Participant) -> None:
    take_submissions(release.project, accepts_endpoints=False)
    with pytest.raises(EndpointsNotTaken):
        send_one(release, sender)
    take_submissions(release.project, accepts_endpoints=True, accepts_dictionaries=False)
    with pytest.raises(DictionariesNotTaken):
        send(release, sender, answers(release, 8))
    with pytest.raises(PolicyInvalid):
        take_submissions(release.project, accepts_endpoints=False, accepts_dictionaries=False)


@pytest.mark.both_databases
def test_wrong_key_ends_it_by_their_fault_in_words(release: Release, sender: Participant) -> None:
    found = ask(send_one(release, sender), Refusing())
    words = result_words(found)
    assert (found.state, found.endpoint.fault) == ("faulty", "endpoint-locked: 401")
    assert "it does not accept the key (HTTP 401)" in words
    assert "another host" not in words
    assert found.job is not None
    assert found.job.state == "done"


@pytest.mark.parametrize(("model", "fault"), [("no-such-model", "endpoint-knows-nothing: 404")])
def test_unknown_model_ends_it_by_their_fault(
    release: Release, sender: Participant, model: str, fault: str
) -> None:
    with serving() as server:
        sent = send_one(release, sender, server.base_url)
        Submission.objects.filter(pk=sent.pk).update(model=model)
        found = ask(sent)
    assert (found.state, found.endpoint.fault) == ("faulty", fault)


def test_broken_endpoint_trips_the_breaker(release: Release, sender: Participant) -> None:
    with serving(faults={"broken": 1.0}) as server:
        found = ask(send_one(release, sender, server.base_url))
    assert (found.state, found.endpoint.fault) == ("faulty", "endpoint-broken: 500")


def nested(levels: int) -> list[Any]:
    return [nested(levels - 1)] if levels else []


def test_slow_endpoint_is_given_up(release: Release, sender: Participant) -> None:
    sent = send_one(release, sender)
    began = NOW - asking.LONGEST_WORK - timedelta(days=1)
    SubmittedEndpoint.objects.filter(submission=sent).update(started_at=began)
    found = ask(sent, NullProvider(right))
    assert (found.state, found.endpoint.fault) == ("faulty", "too-slow")


def withdraw(release: Release, sender: Participant, what: str) -> None:
    """Do what a manager does, as rows alone: a job that runs hears of it by them."""
    if what == "endpoints":
        take_submissions(release.project, accepts_endpoints=False)
    elif what == "submissions":
        take_submissions(release.project, accepts_endpoints=True, is_open=False)
    elif what == "release":
        Release.objects.filter(pk=release.pk).update(state="yanked", yank_reason="x")
    elif what == "admission":
        take_submissions(release.project, accepts_endpoints=True, admission="admitted")
        Team.objects.filter(pk=sender.team_id).update(admitted_at=None)
    else:
        Team.objects.filter(pk=sender.team_id).update(banned_at=NOW, ban_reason="x")


WITHDRAWALS = ["endpoints", "submissions", "release", "admission", "team"]


@pytest.mark.parametrize("what", WITHDRAWALS)
@pytest.mark.both_databases
def test_withdrawn_permission_stops_what_waits_and_what_is_sent(
    release: Release, sender: Participant, what: str
) -> None:
    sent = send_one(release, sender)
    withdraw(release, sender, what)
    found = ask(sent, NullProvider(right))
    assert (found.state, found.day_slot) == ("cancelled", None)
    assert (found.endpoint.is_part_counted, found.endpoint.sealed_key) == (False, "")
    assert not SubmissionResponse.objects.exists()
    assert AuditEvent.objects.filter(verb="submissions.endpoint_stopped").count() == 1
    with pytest.raises(asking.WITHDRAWN):
        send_one(release, sender)
    assert Submission.objects.count() == 1


@pytest.mark.parametrize("what", WITHDRAWALS)
def test_withdrawn_permission_stops_what_is_asked(
    release: Release, sender: Participant, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "CHUNK", 10)
    store = asking.Questions.store

    def store_and_withdraw(self: asking.Questions, results: list[Any]) -> None:
        store(self, results)
        withdraw(release, sender, what)

    monkeypatch.setattr(asking.Questions, "store", store_and_withdraw)
    found = ask(send_one(release, sender), NullProvider(right))
    assert (found.state, found.day_slot) == ("cancelled", None)
    assert (found.endpoint.is_part_counted, found.endpoint.sealed_key) == (False, "")
    assert SubmissionResponse.objects.count() == 10


class Waiting:
    """Asks for a pause instead of answering; `first` is called with the first question."""

    endpoint = "waiting"

    def __init__(self, seconds: float, first: Callable[[], None] = lambda: None) -> None:
        self.seconds, self.first = seconds, first

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.first()
        raise EndpointBusy("429", retry_after=self.seconds)

    async def aclose(self) -> None:
        """Nothing is open."""


def test_time_is_up_also_within_a_pause(
    release: Release, sender: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = partial(monkeypatch.setattr, asking, "LONGEST_WORK", timedelta(0))
    found = ask(send_one(release, sender), Waiting(3600, first=over), QUICK_BUT_PATIENT)
    assert (found.state, found.endpoint.fault) == ("faulty", "too-slow")


def test_endpoint_that_asks_for_long_pauses_is_given_up(
    release: Release, sender: Participant
) -> None:
    found = ask(send_one(release, sender), Waiting(300), asking.LIMITS)
    assert (found.state, found.endpoint.fault) == ("faulty", "endpoint-busy: 429")


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", "http://[::1]/v1", "http://10.0.0.1"])
def test_address_inside_is_refused_as_production_does(
    release: Release, sender: Participant, settings: Any, address: str
) -> None:
    settings.SUBMISSION_NETWORKS = []  # what endpoints of projects may reach does not count
    with pytest.raises(AddressNotPublic):
        send_one(release, sender, address)
    assert not Submission.objects.exists()


def test_address_that_settings_allow_to_projects_is_refused(
    release: Release, sender: Participant, settings: Any
) -> None:
    settings.SUBMISSION_NETWORKS, settings.ENDPOINT_NETWORKS = [], ["10.0.0.0/8"]
    with pytest.raises(AddressNotPublic):
        send_one(release, sender, "http://10.1.2.3:6379/v1")


@pytest.mark.parametrize("name", ["a..com", "a" * 64 + ".com", "xn--"])
def test_name_that_no_network_has_is_a_fault_of_the_team(
    release: Release, sender: Participant, name: str
) -> None:
    found = ask(send_one(release, sender, f"http://{name}/v1"))
    assert (found.state, found.endpoint.fault) == ("faulty", "endpoint-unreachable")


def test_name_that_leads_inside_is_not_called(
    release: Release, sender: Participant, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SUBMISSION_NETWORKS = []  # what endpoints of projects may reach does not count
    inside = [(None, None, None, "", ("127.0.0.1", 0))]
    with serving() as server:
        monkeypatch.setattr("common.outgoing.socket.getaddrinfo", lambda *_, **__: inside)
        address = server.base_url.replace("127.0.0.1", "inside.example.org")
        found = ask(send_one(release, sender, address))
        assert server.authorizations == set()
    assert (found.state, found.endpoint.fault) == ("faulty", "endpoint-unreachable")
    assert "public address" in result_words(found)


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "two words"},
        {"key": "short"},
        {"key": "k\r\nHost: other"},
        {"parameters": {"temperature": 9}},
        {"parameters": {"api_key": "x"}},
        {"parameters": {"temperature": 10**400}},
        {"parameters": {"deep": nested(600)}},
        {"seed": -1},
        {"base_url": "ftp://example.org"},
        {"base_url": "https://user:pass@example.org"},
    ],
)
def test_wrong_values_are_refused_and_use_no_quota(
    release: Release, sender: Participant, wrong: dict[str, Any]
) -> None:
    with pytest.raises(EndpointInvalid):
        send_one(release, sender, **wrong)
    assert slots_taken(sender.team, day="2026-11-20") == []


def ended(release: Release, sender: Participant, ending: str) -> Submission:
    sent = send_one(release, sender)
    if ending == "cancelled":
        cancel_submission(submission=sent, actor=sender.user, now=NOW)
    elif ending == "banned":
        ban_team(team=sender.team, reason="x", actor=sender.user, now=NOW)
    elif ending == "failed":
        with pytest.raises(RuntimeError):
            ask(sent, NullProvider(breaking))
    else:
        ask(sent, Refusing() if ending == "faulty" else NullProvider(right))
    if ending == "withdrawn":
        sent.refresh_from_db()
        withdraw_submission(submission=sent, actor=sender.user, now=NOW)
    return Submission.objects.select_related("endpoint").get(pk=sent.pk)


@pytest.mark.parametrize(
    ("ending", "state", "slot"),
    [
        ("scored", "scored", 1),
        ("withdrawn", "scored", 1),
        ("faulty", "faulty", None),
        ("failed", "failed", None),
        ("cancelled", "cancelled", None),
        ("banned", "cancelled", None),
    ],
)
@pytest.mark.both_databases
def test_the_key_is_wiped_in_every_ending(
    release: Release, sender: Participant, ending: str, state: str, slot: int | None
) -> None:
    found = ended(release, sender, ending)
    assert (found.state, found.day_slot, found.month_slot) == (state, slot, slot)
    assert found.endpoint.sealed_key == ""
    assert found.endpoint.ended_at is not None


@pytest.mark.both_databases
def test_the_database_holds_no_key_of_an_ended_submission(
    release: Release, sender: Participant
) -> None:
    sent = send_one(release, sender)
    rows = SubmittedEndpoint.objects.filter(submission=sent)
    assert KEY not in rows.get().sealed_key
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(ended_at=NOW)


def test_a_sealed_key_opens_for_its_address_alone(settings: Any) -> None:
    sealed = seal(KEY, address="https://a.org")
    assert unseal(sealed, address="https://a.org") == KEY
    assert seal(KEY, address="https://a.org") != sealed
    assert (seal("", address="x"), unseal("", address="x")) == ("", "")
    with pytest.raises(SealBroken):
        unseal(sealed, address="https://b.org")
    with pytest.raises(SealBroken):
        unseal("A" + sealed[1:] if sealed[0] != "A" else "B" + sealed[1:], address="https://a.org")
    settings.SECRET_KEY = "another"
    with pytest.raises(SealBroken):
        unseal(sealed, address="https://a.org")


@pytest.mark.both_databases
def test_every_fourth_failure_by_their_fault_takes_one_of_the_quota(
    release: Release, sender: Participant
) -> None:
    slots = [ask(send_one(release, sender), Refusing()).day_slot for _try in range(8)]
    assert slots == [None, None, None, 1, None, None, None, 2]
    ask(send_one(release, sender), NullProvider(right))
    with pytest.raises(QuotaUsed):
        send_one(release, sender)


def test_cancelling_after_questions_counts_as_a_part(release: Release, sender: Participant) -> None:
    sent = send_one(release, sender)
    SubmittedEndpoint.objects.filter(submission=sent).update(started_at=NOW)
    cancel_submission(submission=sent, actor=sender.user, now=NOW)
    endpoint = SubmittedEndpoint.objects.get(submission=sent)
    assert (endpoint.is_part_counted, endpoint.sealed_key) == (True, "")


def test_what_a_ban_cancels_does_not_count(release: Release, sender: Participant) -> None:
    sent = send_one(release, sender)
    SubmittedEndpoint.objects.filter(submission=sent).update(started_at=NOW)
    ban_team(team=sender.team, reason="x", actor=sender.user, now=NOW)
    found = ask(sent, NullProvider(right))
    assert (found.state, found.endpoint.is_part_counted) == ("cancelled", False)


def ask_some(submission: Submission, good: int) -> None:
    """Store the answers to the first questions, as a worker does that is killed then."""
    for pk in order_of(submission, 7)[:good]:
        SubmissionResponse.objects.create(
            submission=submission, release_item_id=pk, state="answered", text="A",
            request_hash="0" * 64, created_at=NOW,
        )  # fmt: skip


@pytest.mark.both_databases
def test_stored_answers_are_not_asked_again(release: Release, sender: Participant) -> None:
    sent, asked = send_one(release, sender), list[int]()
    ask_some(sent, 10)

    def note(request: ChatRequest) -> str:
        asked.append(number_of(request))
        return right(request)

    found = ask(sent, NullProvider(note))
    assert (found.state, len(asked), len(set(asked))) == ("scored", 14, 14)


@pytest.mark.both_databases
@pytest.mark.parametrize("form", ["{talk}\nAnswer: {letter}", "Answer: {letter}\n{talk}"])
def test_an_answer_is_read_at_both_ends_of_a_long_reply(
    release: Release, sender: Participant, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(asking, "CHUNK", 10)
    read: list[str] = []
    extract = asking.extract

    def note(method: str, text: str, asked: AskedItem) -> Extraction:
        read.append(text)
        return extract(method, text, asked)

    monkeypatch.setattr(asking, "extract", note)
    talk = "དེས་ན་བསམས། So we think. " * 3_000
    provider = NullProvider(lambda each: form.format(talk=talk, letter=right(each)))
    found = ask(send_one(release, sender), provider)
    assert found.answers == ["ABCD"[number % 4] for number in range(24)]
    assert {len(text) for text in read} == {2 * asking.HALF + len(asking.GAP)}
    assert asking.LONGEST_READ - 1 <= len(read[0]) <= asking.LONGEST_READ


@pytest.mark.parametrize("length", [asking.LONGEST_READ, asking.LONGEST_READ + 1])
def test_only_the_middle_of_a_longer_reply_is_left_out(
    release: Release, sender: Participant, length: int
) -> None:
    middle = "\nAnswer: A\n".center(length, "།")
    found = ask(send_one(release, sender), NullProvider(lambda _each: middle))
    if length <= asking.LONGEST_READ:
        assert "" not in found.answers
    else:
        assert set(found.answers) == {""}


def test_scoring_of_replies_can_be_cancelled(
    release: Release, sender: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, extract = send_one(release, sender), asking.extract

    def cancel(method: str, text: str, asked: AskedItem) -> Extraction:
        Job.objects.filter(pk=sent.job_id).update(cancel_requested_at=NOW)
        return extract(method, text, asked)

    monkeypatch.setattr(asking, "extract", cancel)
    monkeypatch.setattr(progress, "WRITE_SECONDS", 0)
    found = ask(sent, NullProvider(right))
    assert (found.state, found.endpoint.sealed_key) == ("cancelled", "")


def test_the_order_is_drawn_by_team_and_seed(release: Release, sender: Participant) -> None:
    sent = send_one(release, sender)
    first, again, other = (order_of(sent, seed) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert sorted(first) == sorted(other) == sorted(release.items.values_list("pk", flat=True))
    places = dict(release.items.values_list("pk", "position"))
    assert [places[pk] for pk in first] != list(range(24))


def test_questions_without_an_answer_count_as_wrong(release: Release, sender: Participant) -> None:
    found = ask(
        send_one(release, sender),
        NullProvider(lambda request: right(request) if number_of(request) < 12 else "ཨ་ཨ།"),
    )
    assert found.answers[12:] == [""] * 12
    assert found.state == SubmissionState.SCORED


@pytest.mark.both_databases
def test_a_second_endpoint_of_the_team_waits_for_the_first(
    release: Release, sender: Participant
) -> None:
    first = send_one(release, sender)
    with pytest.raises(EndpointUnderway):
        send_one(release, sender)
    with pytest.raises(IntegrityError), transaction.atomic():
        twin = send(release, sender, answers(release, 3))
        SubmittedEndpoint.objects.create(
            submission=twin, team=sender.team, base_url="https://a.org", seed=1,
            prompt_template=SubmittedEndpoint.objects.get(submission=first).prompt_template,
        )  # fmt: skip
    assert Submission.objects.count() == 1
    send_one(release, join(release.project, team="Shigatse"))


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_of_many_endpoints_at_once_one_gets_through(project: Project) -> None:
    take_submissions(project, accepts_endpoints=True)
    release, sender = make_part(project), join(project)
    outcomes: list[str] = []

    def act() -> None:
        try:
            send_one(release, sender)
            outcomes.append("sent")
        except EndpointUnderway:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [Thread(target=act) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused"] * 5 + ["sent"]
    assert Submission.objects.count() == 1


class Talkative:
    """Says more than the columns of an answer hold."""

    endpoint = "talkative"

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(right(request), "x" * 100, "x" * 300, body="{}")

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.mark.both_databases
def test_long_answers_are_cut_and_have_no_body(release: Release, sender: Participant) -> None:
    found = ask(send_one(release, sender), Talkative())
    row = SubmissionResponse.objects.filter(submission=found).first()
    assert row is not None
    assert (found.state, row.body, len(row.endpoint_model)) == ("scored", "", 200)


class Elsewhere(BaseHTTPRequestHandler):
    """Sends every question on to another address."""

    def do_POST(self) -> None:
        self.send_response(307)
        self.send_header("Location", self.server.target)  # type: ignore[attr-defined]
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep quiet."""


def test_redirects_are_not_followed(release: Release, sender: Participant) -> None:
    with serving() as inside, HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        server.target = f"{inside.base_url}/chat/completions"  # type: ignore[attr-defined]
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        found = ask(send_one(release, sender, f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()
        assert inside.authorizations == set()
    assert found.state == SubmissionState.FAULTY
    assert found.endpoint.fault == "endpoint-refused: 307"


def test_a_stranger_never_reads_the_key_or_a_hidden_text(
    release: Release,
    sender: Participant,
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
    deliver: Callable[[], list[Any]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    plant(release)
    stranger, page = api_of(sender.user), browser_of(sender.user)
    body = {"model": "stand-in-strong", "base_url": "http://127.0.0.1:9/v1", "key": KEY}
    seen = [stranger.post(SENDING, {**body, "parameters": {"top_p": 7}}, format="json").content]
    for provider in (
        Refusing(good=4),
        NullProvider(lambda request: f"{KEY} {request.messages[-1].content}"),
        NullProvider(right),
    ):
        sent = stranger.post(SENDING, body, format="json")
        assert sent.status_code == 202, sent.content
        pk = sent.json()["submission"]
        addresses = (f"/api/v1/submissions/{pk}/", "/api/v1/releases/ti/1.0.0/submissions/")
        seen += [sent.content, *(stranger.get(each).content for each in addresses)]
        ask(Submission.objects.get(pk=pk), provider)
        seen += [stranger.get(each).content for each in addresses]
        seen.append(page.get(reverse("submissions:submission", args=[pk])).content)
    for name in ("part", "endpoint"):
        seen.append(page.get(reverse(f"submissions:{name}", args=["ti", "1.0.0"])).content)
    seen += [str(mail.message()).encode() + mail.body.encode() for mail in deliver()]
    seen += [repr(row).encode() for row in AuditEvent.objects.values_list("target", "data")]
    seen += [
        repr(row).encode() for row in Job.objects.values_list("params", "result", "error_data")
    ]
    everything = b"\n".join([*seen, caplog.text.encode()])
    assert KEY.encode() not in everything
    assert found_in(everything, SECRETS | {QUESTION, "འདྲི་བ་"}) == set()
    assert b"another host" not in everything
    assert b"stand-in-strong" in everything


def test_page_sends_an_endpoint_and_never_shows_its_key_again(
    release: Release, sender: Participant, browser_of: Callable[[User], Client]
) -> None:
    page, url = browser_of(sender.user), reverse("submissions:endpoint", args=["ti", "1.0.0"])
    sent = {"model": "m", "base_url": "nonsense", "key": KEY, "parameters": "", "seed": ""}
    refused = page.post(url, sent)
    assert refused.status_code == 400
    assert KEY not in refused.content.decode()
    answer = page.post(url, {**sent, "base_url": "https://example.org/v1"})
    found = Submission.objects.get()
    assert (answer.status_code, found.endpoint.base_url) == (302, "https://example.org/v1")
    assert "https://example.org" not in page.get(answer["Location"]).content.decode()


def test_terms_warn_that_the_server_sees_the_questions(
    release: Release, browser_of: Callable[[User], Client]
) -> None:
    part = browser_of(UserFactory()).get(reverse("submissions:part", args=["ti", "1.0.0"]))
    assert "your server sees the questions" in part.content.decode()


def test_dictionary_form_is_not_shown_where_only_endpoints_are_taken(
    project: Project, browser_of: Callable[[User], Client]
) -> None:
    take_submissions(project, accepts_endpoints=True)
    release = make_part(project, n=8)
    Release.objects.filter(pk=release.pk).update(hidden_part="closed")
    user = join(project).user
    part = browser_of(user).get(reverse("submissions:part", args=["ti", "1.0.0"]))
    assert part.status_code == 200
    assert 'type="file"' not in part.content.decode()
    texts = browser_of(user).get(reverse("submissions:texts", args=["ti", "1.0.0"]))
    assert texts.status_code == 404
