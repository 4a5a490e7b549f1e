"""Audit events: every verb has words, and pages, API and command read the same rows."""

import ast
import csv
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import record_event, record_sign_in
from accounts.audit import AuditFilter, audit_events, audit_verbs, verb_label
from accounts.enums import SignInOutcome
from accounts.models import AuditEvent, User
from projects.enums import Role
from projects.models import Project
from tests.factories import UserFactory
from tests.world import ADMINISTRATOR, make_world

ROOT = Path(__file__).resolve().parents[2]
VERB = re.compile(r"[a-z_]+\.[a-z_]+")
DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)
RECORDERS = {"record_event", "record", "_record", "_set_paused"}


def recorded_verbs() -> Iterator[str]:
    """Every verb that the source hands to a function that records an event."""
    for path in ROOT.glob("[!.]*/**/*.py"):
        if path.parts[len(ROOT.parts)] in {"tests", "benchmarks", "var"}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in RECORDERS:
                for value in (*node.args, *(keyword.value for keyword in node.keywords)):
                    if isinstance(value, ast.Constant) and VERB.fullmatch(str(value.value)):
                        yield str(value.value)


def event(verb: str, *, actor: User | None = None, scope: str = "ti", days: int = 0) -> AuditEvent:
    now = DAY + timedelta(days=days)
    return record_event(actor=actor, verb=verb, target="round:1", scope=scope, now=now)


def ids(response: object) -> list[int]:
    return [row["id"] for row in response.json()["results"]]  # type: ignore[attr-defined]


def test_every_recorded_verb_has_words() -> None:
    found = set(recorded_verbs())
    assert len(found) > 20
    assert found - set(audit_verbs()) == set()


def test_verb_that_no_app_declares_any_more_stands_for_itself() -> None:
    assert verb_label("gone.away") == "gone.away"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (AuditFilter(), [0, 1, 2, 3]),
        (AuditFilter(project="ti"), [0, 1, 2]),
        (AuditFilter(actor="PEMA@example.org"), [0, 3]),
        (AuditFilter(actor="nobody@example.org"), []),
        (AuditFilter(verb="round"), [0, 1, 3]),
        (AuditFilter(verb="round.opened"), [0, 3]),
        (AuditFilter(verb="roun"), []),
        (AuditFilter(since=DAY + timedelta(days=1)), [1, 2, 3]),
        (AuditFilter(until=DAY + timedelta(days=1)), [0]),
    ],
)
def test_events_are_found_by_what_is_asked_for(
    db: None, wanted: AuditFilter, found: list[int]
) -> None:
    pema = UserFactory(email="pema@example.org")
    rows = [
        event("round.opened", actor=pema),
        event("round.closed", days=1),
        event("release.built", days=2),
        event("round.opened", actor=pema, scope="lo", days=3),
    ]

    events = audit_events(wanted).order_by("pk")

    assert list(events) == [rows[place] for place in found]


def test_page_shows_the_project_alone_with_words(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    event("round.opened")
    event("round.closed", scope="elsewhere")

    page = browser_of(member(Role.MANAGER)).get("/projects/ti/audit/")

    assert [words for _event, words, _details in page.context["rows"]] == ["opened a round"]


def test_page_of_everything_is_for_administrators(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    event("round.opened")
    event("round.closed", scope="elsewhere")
    manager, administrator = member(Role.MANAGER), UserFactory(is_superuser=True)

    page = browser_of(administrator).get("/audit/?verb=round.closed")

    assert browser_of(manager).get("/audit/").status_code == 403
    assert browser_of(manager).get("/audit.csv").status_code == 403
    assert [row.scope for row, _words, _details in page.context["rows"]] == ["elsewhere"]


def test_filter_that_is_no_date_says_so_and_shows_the_rest(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    event("round.opened")

    page = browser_of(member(Role.MANAGER)).get("/projects/ti/audit/?since=tomorrow")

    assert (page.status_code, len(page.context["rows"])) == (400, 1)
    assert page.context["form"].errors.keys() == {"since"}


@pytest.mark.parametrize("count", [1, 3])
def test_page_costs_the_same_for_one_event_and_for_three(
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    django_assert_num_queries: Callable[[int], object],
    count: int,
) -> None:
    client = browser_of(member(Role.MANAGER))
    for _number in range(count):
        event("round.opened")

    with django_assert_num_queries(5):  # type: ignore[attr-defined]
        client.get("/projects/ti/audit/")


def test_csv_holds_what_the_filter_shows(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    kept = event("round.opened")
    event("round.opened", days=1)

    response = browser_of(member(Role.MANAGER)).get("/projects/ti/audit.csv?until=2026-11-20")
    text = b"".join(response.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]

    assert [row["id"] for row in csv.DictReader(StringIO(text))] == [str(kept.pk)]


def test_api_gives_events_newest_first_in_pages(
    project: Project, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    AuditEvent.objects.all().delete()
    first, second, third = (event("round.opened", days=day) for day in range(3))

    page = api.get("/api/v1/projects/ti/audit-events/?page_size=2")
    rest = api.get(page.json()["next"])

    assert (ids(page), ids(rest)) == ([third.pk, second.pk], [first.pk])


@pytest.mark.parametrize("query", ["since=yesterday", "verb=Drop%20table", "who=me"])
def test_api_refuses_a_filter_that_it_does_not_know(
    project: Project, member: Callable[..., User], api_of: Callable[[User], APIClient], query: str
) -> None:
    answer = api_of(member(Role.MANAGER)).get(f"/api/v1/projects/ti/audit-events/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_api_of_everything_is_for_administrators(
    project: Project, member: Callable[..., User], api_of: Callable[[User], APIClient]
) -> None:
    administrator = api_of(UserFactory(is_superuser=True))
    AuditEvent.objects.all().delete()
    events = [event("round.opened"), event("round.opened", scope="elsewhere")]

    assert api_of(member(Role.MANAGER)).get("/api/v1/audit-events/").status_code == 403
    answer = administrator.get("/api/v1/audit-events/?verb=round")
    assert ids(answer) == [found.pk for found in reversed(events)]


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("audit_events", *arguments, stdout=out)
    return out.getvalue()


def test_command_prints_one_json_object_a_line(project: Project) -> None:
    kept = event("round.opened", days=1)
    event("round.opened")
    event("round.opened", scope="elsewhere", days=1)

    lines = printed("--project", "ti", "--since", "2026-11-21", "--format", "json").splitlines()

    assert [json.loads(line) for line in lines] == [
        {
            "id": kept.pk,
            "occurred_at": "2026-11-21T12:00:00+00:00",
            "actor": "-",
            "verb": "round.opened",
            "project": "ti",
            "target": "round:1",
            "data": {},
            "request_id": "",
        }
    ]


def test_command_prints_csv(db: None) -> None:
    kept = event("round.opened")
    rows = list(csv.DictReader(StringIO(printed().removeprefix("\ufeff"))))
    assert [(row["id"], row["data"]) for row in rows] == [(str(kept.pk), "{}")]


def test_command_refuses_a_project_that_is_not_there(db: None) -> None:
    with pytest.raises(CommandError, match="There is no project “nowhere”") as refusal:
        printed("--project", "nowhere")
    assert refusal.value.returncode == 1


def test_command_refuses_a_date_that_is_none(db: None) -> None:
    with pytest.raises(CommandError, match="“soon” is not a date"):
        printed("--since", "soon")


@pytest.mark.parametrize(
    ("page", "export"),
    [
        ("/projects/ti/audit.csv", "projects/ti/audit-events/export/"),
        (
            "/projects/ti/audit.csv?verb=project.changed",
            "projects/ti/audit-events/export/?verb=project.changed",
        ),
        ("/audit.csv", "audit-events/export/"),
        ("/sign-ins.csv", "sign-ins/export/"),
    ],
)
def test_exports_by_api_are_the_files_of_the_pages(db: None, page: str, export: str) -> None:
    world = make_world()
    record_event(
        actor=None, verb="project.changed", target="project:1", scope="ti", now=timezone.now()
    )
    record_sign_in(
        user=None, address="192.0.2.1", outcome=SignInOutcome.WRONG_PASSWORD, now=timezone.now()
    )
    browser = world.browser(ADMINISTRATOR)

    files = [
        browser.get(address)
        for address in (page, f"/api/v1/{export}{'&' if '?' in export else '?'}format=csv")
    ]

    first, second = ([each.headers["Content-Disposition"], each.getvalue()] for each in files)
    assert first == second
    assert second[1].count(b"\n") >= 2
    lines = browser.get(f"/api/v1/{export}").getvalue().splitlines()
    assert len(lines) == second[1].count(b"\n") - 1
