"""Large submissions are checked one after the other; reviewers and light requests pass them by."""

import json
import runpy
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from projects.models import Project
from releases.enums import HiddenPart
from releases.models import Release
from scripts.run import WEB_SERVER, commands
from submissions import turns
from submissions.actions.teams import ban_team
from submissions.checking import MOST_BYTES
from submissions.models import Participant, Submission
from submissions.turns import LARGE_BYTES, LARGE_PART, RETRY_SECONDS, TURNS, TooManyAtOnce
from tests.config.containers import ROOT, SERVICES
from tests.factories import UserFactory
from tests.submissions.builders import NOW, answers, join, make_part, take_submissions

pytestmark = pytest.mark.both_databases

SENDING = "/api/v1/releases/ti/1.0.0/submissions/"
PATIENCE = 60


def sends(stranger: APIClient, release: Release, right: int, *, blanks: int = 0) -> HttpResponse:
    body = json.dumps({"model": "stand-in", "answers": dict(answers(release, right))})
    return stranger.post(SENDING, body + " " * blanks, content_type="application/json")


def sends_much(stranger: APIClient, release: Release, right: int) -> HttpResponse:
    return sends(stranger, release, right, blanks=LARGE_BYTES)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    """As many submissions are being checked and wait as may; closing it ends them."""
    monkeypatch.setattr(TURNS, "room", 1)
    with ExitStack() as held:
        held.enter_context(TURNS.taken())
        yield held


@pytest.mark.django_db(transaction=True)
def test_while_one_is_checked_the_next_waits_and_reviewers_do_not(
    project: Project,
    api_of: Callable[[User], APIClient],
    browser_of: Callable[[User], Client],
    member: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "LONGEST_WAIT_SECONDS", PATIENCE)
    take_submissions(project)
    release = make_part(project)
    small, second, third = (api_of(join(project, team=name).user) for name in "ABC")
    page = browser_of(member())
    answered: list[int] = []

    def send_second() -> None:
        try:
            answered.append(sends_much(second, release, 5).status_code)
        finally:
            connections.close_all()

    thread = Thread(target=send_second)
    with TURNS.taken():
        thread.start()
        until(lambda: TURNS.inside == 2)
        assert page.get(reverse("overview", args=["ti"])).status_code == 200
        assert small.get(SENDING).status_code == 200
        assert sends(small, release, 3).status_code == 202
        assert sends_much(third, release, 7).status_code == 503
        assert answered == []
    thread.join()
    assert answered == [202]
    assert sends_much(third, release, 7).status_code == 202
    assert (Submission.objects.count(), TURNS.inside) == (3, 0)


@pytest.mark.django_db
def test_who_is_sent_away_hears_when_to_come_again_and_nothing_counts(
    release: Release,
    sender: Participant,
    api_of: Callable[[User], APIClient],
    full: ExitStack,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stranger = api_of(sender.user)
    refused = sends_much(stranger, release, 5)
    seconds = int(refused["Retry-After"])
    assert (refused.status_code, refused.json()) == (503, {
        "code": "too_many_at_once",
        "detail": "Many answers are being checked just now, so yours were not read and nothing was "
        f"counted. Send them again in {seconds} seconds.",
    })  # fmt: skip
    assert seconds in RETRY_SECONDS
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert not Submission.objects.exists()
    full.close()
    assert sends_much(stranger, release, 5).status_code == 202


@pytest.mark.django_db
def test_a_file_on_the_page_has_its_turn_too(
    release: Release,
    sender: Participant,
    browser_of: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = browser_of(sender.user)
    lines = "".join(f"{uid},{answer}\n" for uid, answer in answers(release, 8))

    def send(blanks: int) -> HttpResponse:
        file = SimpleUploadedFile("a.csv", (lines + "\n" * blanks).encode())
        return page.post(
            reverse("submissions:part", args=["ti", "1.0.0"]), {"file": file, "model": "stand-in"}
        )

    monkeypatch.setattr(turns, "LONGEST_WAIT_SECONDS", 0.01)
    with TURNS.taken():
        refused = send(LARGE_BYTES)
        shown = refused.content.decode()
        assert refused.status_code == 503
        assert f"Send them again in {refused['Retry-After']} seconds." in shown
        assert "To send it again, reload this page." in shown
        assert not Submission.objects.exists()
    assert send(LARGE_BYTES).status_code == 302
    assert TURNS.inside == 0


@pytest.mark.django_db
def test_a_part_with_many_items_is_large_whatever_is_sent(
    release: Release, sender: Participant, api_of: Callable[[User], APIClient], full: ExitStack
) -> None:
    Release.objects.update(counts={**release.counts, "black_box": LARGE_PART + 1})
    assert sends(api_of(sender.user), release, 5).status_code == 503


@pytest.mark.django_db
def test_who_may_not_send_waits_for_no_turn(
    release: Release, sender: Participant, api_of: Callable[[User], APIClient], full: ExitStack
) -> None:
    stranger, team = api_of(sender.user), sender.team
    answered = {"nobody": sends_much(api_of(UserFactory()), release, 5)}
    answered["too large"] = sends(stranger, release, 5, blanks=MOST_BYTES)
    ban_team(team=team, reason="Cheated.", actor=sender.user, now=NOW)
    answered["banned"] = sends_much(stranger, release, 5)
    Release.objects.update(hidden_part=HiddenPart.CLOSED)
    answered["closed"] = sends_much(stranger, release, 5)
    assert {name: (each.status_code, each.json()["code"]) for name, each in answered.items()} == {
        "nobody": (403, "terms_not_accepted"),
        "too large": (413, "too_large"),
        "banned": (403, "team_banned"),
        "closed": (404, "not_found"),
    }


@pytest.mark.django_db
def test_a_turn_ends_with_what_is_refused_in_it(
    release: Release, sender: Participant, api_of: Callable[[User], APIClient]
) -> None:
    stranger = api_of(sender.user)
    wrong = stranger.post(SENDING, "{" + " " * LARGE_BYTES, content_type="application/json")
    unknown = stranger.post(
        SENDING, {"model": "m", "answers": {"x" * LARGE_BYTES: "A"}}, format="json"
    )
    assert (wrong.status_code, unknown.status_code, TURNS.inside) == (400, 422, 0)


def test_who_waited_in_vain_leaves_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_WAIT_SECONDS", 0.01)
    ours = turns.Turns()
    with ours.taken():
        for _try in range(3):
            with pytest.raises(TooManyAtOnce), ours.taken():
                pass
        assert ours.inside == 1
    with ours.taken():
        assert ours.inside == 1


@pytest.mark.parametrize("server", ["make run", "web", "public-web"])
def test_half_of_the_threads_of_a_web_server_are_left_to_others(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = dict(commands(port=1, stand_in_port=1))[WEB_SERVER]
    words = own if server == "make run" else SERVICES[server]["command"]
    threads = int(" ".join(words).replace("=", " ").partition("--threads ")[2].split()[0])
    monkeypatch.setattr(TURNS, "room", 0)
    settings = runpy.run_path(str(ROOT / "gunicorn.conf.py"))
    settings["post_worker_init"](SimpleNamespace(cfg=SimpleNamespace(threads=threads)))
    assert threads >= 4
    assert threads / 2 == TURNS.room
