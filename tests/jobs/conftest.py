"""A kind of job for tests, the messages that go out, and processes that are dead."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from jobs import kinds, stopping
from jobs.enums import JobState
from jobs.kinds import JobKind
from jobs.models import Job
from tests.factories import JobFactory

Declare = Callable[..., JobKind]


class Refused(DomainError):
    code = "refused_here"
    detail = _("The file of %(name)s can't be read.")


TESTING = JobKind(
    name="testing",
    title="Testing",
    work="tests.jobs.works.do_nothing",
    find_scope=lambda _user, _slug: None,
    view_permission="projects.view_project",
    manage_permission="projects.view_project",
)


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Declare:
    """Declare the kind "testing" for one test, with what differs from the least."""

    def make(**fields: Any) -> JobKind:
        kind = replace(TESTING, **fields)
        monkeypatch.setitem(kinds._kinds, kind.name, kind)
        return kind

    return make


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[tuple[int, str]]:
    """Number of the job and queue of each message that went out to Redis."""
    settings.REDIS_URL = "redis://127.0.0.1:1"
    messages: list[tuple[int, str]] = []

    def send_task(_name: str, args: list[int], queue: str, **_options: Any) -> None:
        messages.append((args[0], queue))

    monkeypatch.setattr(current_app, "send_task", send_task)
    return messages


@pytest.fixture
def dead_worker() -> str:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{socket.gethostname()}/{process.pid}"


@pytest.fixture
def stopping_worker() -> Iterator[None]:
    """Whoever asks this process to stop in a test has it take jobs again afterwards."""
    yield
    stopping.clear_stop()


def running(**fields: Any) -> Job:
    """A job that this very process works on, unless `fields` say otherwise."""
    name = f"{socket.gethostname()}/{os.getpid()}"
    given = {"state": JobState.RUNNING, "worker": name, "heartbeat_at": timezone.now()}
    return JobFactory(**(given | fields))


def state_of(job: Job) -> str:
    job.refresh_from_db()
    return job.state
