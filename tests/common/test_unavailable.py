"""A database that is locked or out of reach is told apart from one that is broken, in words."""

import errno
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper as PostgreSQL
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from common.errors import DomainError
from common.unavailable import server_error, why_unavailable
from review.models import Assignment, Judgement, Round
from review.seats.actions.seats import claim_seat
from tests.markup import squeezed
from tests.processes import free_port
from tests.review.conftest import items, opened, reviewers  # noqa: F401 - fixtures

pytestmark = pytest.mark.both_databases

SUBMIT = "/projects/ti/rounds/1/submit/"
SCRIPT = {"Accept": "application/json, text/html;q=0.9", "Lotsawa-Fragment": "items"}
WAIT_MILLISECONDS = 30


@contextmanager
def another_writer() -> Iterator[Callable[[], None]]:
    """Another connection, which takes the lock of every write when it is called; then let go."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(told["NAME"])) as other:
            yield lambda: other.execute("BEGIN IMMEDIATE") and None
        return
    place = {"host": told["HOST"], "port": told["PORT"], "user": told["USER"]}
    with psycopg.connect(**place, password=told["PASSWORD"], dbname=told["NAME"]) as other:
        yield lambda: other.execute("LOCK TABLE review_assignment IN EXCLUSIVE MODE") and None


@contextmanager
def locked() -> Iterator[None]:
    with another_writer() as take:
        take()
        yield


@pytest.fixture
def impatient(transactional_db: None) -> Iterator[None]:
    """The test's own connection waits only a moment for a lock."""
    is_sqlite = connection.vendor == "sqlite"
    words = "PRAGMA busy_timeout = {}" if is_sqlite else "SET lock_timeout = {}"
    with connection.cursor() as cursor:
        cursor.execute(words.format(WAIT_MILLISECONDS))
    yield
    connection.close()


@pytest.fixture
def seat(
    impatient: None,
    opened: Callable[..., Round],  # noqa: F811
    reviewers: Callable[[int], list[User]],  # noqa: F811
) -> Assignment:
    found = claim_seat(round_=opened(3), reviewer=reviewers(1)[0], now=timezone.now())
    assert found is not None
    return found


@pytest.fixture
def browser(seat: Assignment, browser_of: Callable[[User], Client]) -> Client:
    assert seat.reviewer
    return browser_of(seat.reviewer)


def form(seat: Assignment) -> dict[str, Any]:
    texts = {"question": seat.panel.revision.question}
    texts |= {f"option_{n}": text for n, text in enumerate(seat.panel.revision.options)}
    said = {"verdict": "approve", "domain": 4, "cultural": 5, "idempotency_key": "k1"}
    return {"assignment": seat.pk, "revision": seat.panel.revision_id, **said, **texts}


def warnings(caplog: pytest.LogCaptureFixture) -> list[tuple[int, bool]]:
    """Level, and whether there is a traceback, of each line that somebody should read."""
    lines = [line for line in caplog.records if line.levelno >= logging.WARNING]
    return [(line.levelno, bool(line.exc_info)) for line in lines]


def test_page_that_misses_the_lock_is_503_with_the_time_to_come_again(
    browser: Client, seat: Assignment, caplog: pytest.LogCaptureFixture
) -> None:
    with locked():
        answer = browser.post(SUBMIT, form(seat))
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert "what you sent was not stored" in squeezed(answer.content.decode())
    assert "reload this page" in squeezed(answer.content.decode())
    assert warnings(caplog) == [(logging.WARNING, False)]
    assert not Judgement.objects.exists()
    assert browser.post(SUBMIT, form(seat)).status_code == 303
    assert Judgement.objects.get().idempotency_key == "k1"


def test_script_that_misses_the_lock_is_told_in_json(browser: Client, seat: Assignment) -> None:
    with locked():
        answer = browser.post(SUBMIT, form(seat), headers=SCRIPT)
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert answer.json()["code"] == "busy"
    assert not Judgement.objects.exists()


def test_htmx_that_misses_the_lock_is_told_in_json(browser: Client, seat: Assignment) -> None:
    with locked():
        answer = browser.post(SUBMIT, form(seat), headers={"HX-Request": "true"})
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")


def test_api_that_misses_the_lock_is_503_in_its_own_form(
    seat: Assignment, api_of: Callable[[User], APIClient], caplog: pytest.LogCaptureFixture
) -> None:
    assert seat.reviewer
    api = api_of(seat.reviewer)
    address = f"/api/v1/assignments/{seat.pk}/judgement/"
    body = {"verdict": "approve", "ratings": {"domain": 4, "cultural": 4}}
    body |= {"revision": seat.panel.revision_id, "active_seconds": 4}
    with locked():
        answer = api.post(address, body, headers={"Idempotency-Key": "k1"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert set(answer.json()) == {"code", "detail"}
    assert answer.json()["code"] == "busy"
    assert warnings(caplog) == [(logging.WARNING, False)]
    assert api.post(address, body, headers={"Idempotency-Key": "k1"}).status_code == 201


@pytest.mark.parametrize("headers", [SCRIPT, {}], ids=["script", "page"])
def test_judgement_that_is_stored_is_no_failure_when_the_next_item_has_to_wait(
    browser: Client, seat: Assignment, headers: dict[str, str]
) -> None:
    with another_writer() as take_lock:

        def lock_once_stored(execute: Any, sql: str, *rest: Any) -> Any:
            if sql.startswith('INSERT INTO "review_judgement"'):
                transaction.on_commit(take_lock)
            return execute(sql, *rest)

        with connection.execute_wrapper(lock_once_stored):
            answer = browser.post(SUBMIT, form(seat), headers=headers)
    judgement = Judgement.objects.get()
    if headers:
        receipt = {"judgement": judgement.pk, "receipt": str(judgement.receipt)}
        assert (answer.status_code, answer.json()) == (200, receipt)
    else:
        assert (answer.status_code, answer["Location"]) == (303, "/projects/ti/rounds/1/workbench/")


def away(*_: Any, **__: Any) -> None:
    raise OperationalError("the server closed the connection") from psycopg.OperationalError()


@pytest.mark.parametrize("path", ["/", "/api/v1/me/"])
def test_database_out_of_reach_is_503_before_anybody_knows_who_asks(
    path: str, browser: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(connection, "cursor", away)
        answer = browser.get(path)
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert (
        ("try again" in squeezed(answer.content.decode()))
        if path == "/"
        else answer.json()["code"] == "busy"
    )
    assert warnings(caplog) == [(logging.WARNING, False)]


def raised(work: Callable[[], object]) -> BaseException:
    with pytest.raises(OperationalError) as found:
        work()
    return found.value


def status(reason: DomainError | None) -> int | None:
    return reason.status if reason else None


def sql(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["SELECT * FROM nowhere"], None),
        (["PRAGMA query_only = 1", "CREATE TABLE another (id)"], None),
        # More than the pages that earlier tests left free; closing the connection undoes it.
        (
            [
                "PRAGMA max_page_count = 1",
                "BEGIN",
                "CREATE TABLE another (content)",
                "INSERT INTO another VALUES (zeroblob(50000000))",
            ],
            507,
        ),
    ],
    ids=["no such table", "read only", "disk full"],
)
def test_sqlite_that_is_broken_or_full_is_not_busy(
    transactional_db: None, statements: list[str], expected: int | None
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("SQLite says it in its own way")
    try:
        assert status(why_unavailable(raised(lambda: sql(*statements)))) == expected
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("55P03", 503),  # no lock in time
        ("40P01", 503),  # deadlock
        ("40001", 503),  # serialization failure
        ("53300", 503),  # too many connections
        ("57P01", 503),  # the server is stopping
        ("57P03", 503),  # the server is starting
        ("08006", 503),  # the connection failed
        ("53100", 507),  # disk full
        ("58030", None),  # the disk fails
        ("57014", None),  # somebody cancelled the statement
    ],
)
def test_postgresql_is_busy_by_the_state_that_it_reports(state: str, expected: int | None) -> None:
    def fail() -> None:
        raise OperationalError from psycopg.errors.lookup(state)()

    assert status(why_unavailable(raised(fail))) == expected


@pytest.mark.django_db
def test_postgresql_where_nobody_listens_is_out_of_reach() -> None:
    told = {"NAME": "x", "USER": "x", "PASSWORD": "", "HOST": "127.0.0.1", "PORT": free_port()}
    settings = {**connection.settings_dict, **told, "OPTIONS": {}}
    assert status(why_unavailable(raised(PostgreSQL(settings).ensure_connection))) == 503


@pytest.mark.parametrize(("number", "expected"), [(errno.ENOSPC, 507), (errno.EACCES, None)])
def test_file_that_finds_no_space_is_507(number: int, expected: int | None) -> None:
    assert status(why_unavailable(OSError(number, "no"))) == expected


def answer_of_handler(error: BaseException) -> HttpResponse:
    """What is answered while `error` is being handled, as Django does it."""

    def fail() -> None:
        raise error

    try:
        fail()
    except Exception:  # noqa: BLE001
        return server_error(RequestFactory().get("/"))
    raise AssertionError


def test_what_a_middleware_raises_is_told_by_the_same_rules() -> None:
    busy = OperationalError("away")
    busy.__cause__ = psycopg.OperationalError()
    assert answer_of_handler(busy).status_code == 503
    assert answer_of_handler(OSError(errno.ENOSPC, "no space")).status_code == 507
    assert answer_of_handler(OperationalError("no such table")).status_code == 500
