"""Statements of work: exact sums, frozen when closed, and no judgement counted twice."""

import csv
import io
import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEvent, User
from common.months import Month, month_of
from projects.actions.members import remove_member
from projects.actions.pay import RateInvalid, set_pay_rate
from projects.enums import Role
from projects.models import PayRate, Project
from review.models import Judgement, Round, StatedJudgement, WorkStatement
from review.people.actions import (
    EarlierMonthOpen,
    MonthNotOver,
    StatementClosed,
    StatementEmpty,
    close_statement,
)
from review.people.answer_work import months_of_all
from review.people.statements import (
    Line,
    StatementMonth,
    own_statements,
    statement_months,
    statement_of,
)
from review.people.work import WorkFilter
from review.rounds.previews import recent_pace
from review.workbench.actions.withdrawals import JudgementPaid, withdraw_judgement

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
Browser = Callable[[User], Client]
JANUARY, FEBRUARY, MARCH = Month(2026, 1), Month(2026, 2), Month(2026, 3)
PAGE = "/projects/ti/statements/2026-01/"
API = "/api/v1/projects/ti/statements/2026-01/"


@pytest.fixture
def work(opened: Open, judge: Judge, project: Project) -> Callable[..., None]:
    """Let a person judge items in a month: work(person, JANUARY, 60, 90) gives two of them."""
    state: dict[str, Any] = {"left": 0, "number": 0}

    def make(person: User, month: Month, *seconds: int) -> None:
        if "round" not in state:
            state["round"] = opened(12, panel_size=3)
        for each in seconds:
            made = judge(state["round"], person)
            Judgement.objects.filter(pk=made.pk).update(
                submitted_at=month.start + timedelta(days=3), active_seconds=each
            )

    return make


def close(project: Project, month: Month, now: datetime | None = None) -> WorkStatement:
    at = now or timezone.now()
    return close_statement(project=project, month=month, actor=None, now=at)


def pay(project: Project, person: User, hourly: str, month: Month, currency: str = "CNY") -> None:
    set_pay_rate(
        membership=project.memberships.get(user=person),
        hourly=Decimal(hourly),
        currency=currency,
        month=month,
        actor=None,
        now=timezone.now(),
    )


def line(person: User, judgements: int, seconds: int, **more: Any) -> Line:
    values = {"late_judgements": 0, "hourly": None, "currency": "", "amount": None} | more
    return Line(
        person=person.pk,
        name=person.name,
        email=person.email,
        judgements=judgements,
        active_seconds=seconds,
        **values,
    )


def test_open_statement_adds_up_each_person_at_the_rate_of_the_month(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    dolma, pema = member(name="Dolma"), member(name="Pema")
    work(dolma, JANUARY, 3600, 61)
    work(dolma, FEBRUARY, 5)
    work(pema, JANUARY, 100)
    pay(project, dolma, "40.10", Month(2025, 12))
    pay(project, dolma, "99.00", FEBRUARY)

    found = statement_of(project, JANUARY)

    paid = {"hourly": Decimal("40.10"), "currency": "CNY", "amount": Decimal("40.78")}
    assert found.lines == [line(dolma, 2, 3661, **paid), line(pema, 1, 100)]
    assert (found.judgements, found.active_seconds, found.closed_at) == (3, 3761, None)
    assert found.totals == [("CNY", Decimal("40.78"))]
    assert found.lines[0].hours == Decimal("1.02")


@pytest.mark.parametrize(
    ("seconds", "amount"), [(0, "0.00"), (17, "0.00"), (18, "0.01"), (54, "0.02"), (1800, "0.50")]
)
def test_amount_is_rounded_half_up_from_the_second(
    project: Project, member: Member, work: Callable[..., None], seconds: int, amount: str
) -> None:
    person = member()
    work(person, JANUARY, seconds)
    pay(project, person, "1.00", JANUARY)

    assert statement_of(project, JANUARY).lines[0].amount == Decimal(amount)


def test_rate_set_again_for_a_month_replaces_the_first(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    person = member()
    work(person, FEBRUARY, 3600)
    for hourly in ("10.00", "12.00"):
        pay(project, person, hourly, FEBRUARY)
    pay(project, person, "5.00", JANUARY)

    assert statement_of(project, FEBRUARY).lines[0].hourly == Decimal("12.00")
    assert PayRate.objects.count() == 3


@pytest.mark.parametrize(
    ("hourly", "currency", "field"),
    [
        ("-1", "CNY", "hourly"),
        ("1.001", "CNY", "hourly"),
        ("NaN", "CNY", "hourly"),
        ("1000000000", "CNY", "hourly"),
        ("1", "cny", "currency"),
        ("1", "", "currency"),
    ],
)
def test_odd_rate_is_refused(
    project: Project, member: Member, hourly: str, currency: str, field: str
) -> None:
    with pytest.raises(RateInvalid) as refused:
        pay(project, member(), hourly, JANUARY, currency)
    assert list(refused.value.fields) == [field]


def test_closed_statement_stays_whatever_changes(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    person = member(name="Dolma")
    work(person, JANUARY, 3600)
    pay(project, person, "10.00", JANUARY)
    close(project, JANUARY)
    before = statement_of(project, JANUARY)

    pay(project, person, "20.00", JANUARY)
    User.objects.filter(pk=person.pk).update(name="Lhamo")
    work(person, JANUARY, 60)

    assert statement_of(project, JANUARY) == before
    assert before.closed_at is not None
    assert before.lines[0].amount == Decimal("10.00")


def test_late_judgements_go_to_the_next_month_and_are_counted_as_such(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    person = member()
    work(person, JANUARY, 10)
    close(project, JANUARY)
    work(person, JANUARY, 20, 30)
    work(person, FEBRUARY, 40)
    work(person, MARCH, 50)

    assert statement_of(project, FEBRUARY).lines == [line(person, 3, 90, late_judgements=2)]
    assert statement_of(project, MARCH).lines == [line(person, 1, 50)]
    assert [(m.month, m.judgements, bool(m.closed_at)) for m in statement_months(project)] == [
        (MARCH, 1, False),
        (FEBRUARY, 3, False),
        (JANUARY, 1, True),
    ]
    close(project, FEBRUARY)
    close(project, MARCH)
    assert StatedJudgement.objects.count() == Judgement.objects.count() == 5


def test_months_are_told_apart_by_the_database_alone(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    """A function that SQLite calls in Python for each row took half a second for a year's work."""
    person = member()
    work(person, JANUARY, 60, 60)
    work(person, FEBRUARY, 60)

    with CaptureQueriesContext(connection) as queries:
        found = statement_months(project)
        mine = months_of_all(person, WorkFilter())
        assert recent_pace(project) == 1.5

    assert [(each.month, each.judgements) for each in found] == [(FEBRUARY, 1), (JANUARY, 2)]
    assert [each.month for each in mine] == [JANUARY, FEBRUARY]
    assert not [query["sql"] for query in queries if "django_date" in query["sql"]]


def test_late_judgements_alone_make_the_next_month(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    person = member()
    work(person, JANUARY, 10)
    closed_at = close(project, JANUARY).closed_at
    work(person, JANUARY, 20)

    assert statement_months(project) == [
        StatementMonth(FEBRUARY, 1, None),
        StatementMonth(JANUARY, 1, closed_at),
    ]
    assert statement_of(project, FEBRUARY).lines == [line(person, 1, 20, late_judgements=1)]


def test_months_are_closed_once_and_in_order(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    person = member()
    with pytest.raises(StatementEmpty):
        close(project, JANUARY)
    work(person, JANUARY, 10)
    work(person, FEBRUARY, 10)
    with pytest.raises(EarlierMonthOpen, match="2026-01"):
        close(project, FEBRUARY)
    close(project, JANUARY)
    with pytest.raises(StatementClosed):
        close(project, JANUARY)
    with pytest.raises(StatementClosed):
        close(project, Month(2025, 12))

    event = AuditEvent.objects.get(verb="work_statement.closed")
    assert (event.scope, event.data) == (
        "ti",
        {"month": "2026-01", "judgements": 1, "people": 1},
    )


def test_month_is_closed_when_it_is_over(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    work(member(), JANUARY, 10)
    with pytest.raises(MonthNotOver, match="closed from 2026-02-01 on"):
        close(project, JANUARY, now=JANUARY.end - timedelta(seconds=1))
    assert not WorkStatement.objects.exists()
    assert close(project, JANUARY, now=JANUARY.end).month == JANUARY.start.date()


def test_page_and_api_refuse_the_running_month(
    project: Project,
    member: Member,
    work: Callable[..., None],
    browser_of: Browser,
    api_of: Any,
) -> None:
    manager = member(Role.MANAGER)
    month = month_of(timezone.now()).following  # still to come, whenever this runs
    work(member(), month, 10)
    page = f"/projects/ti/statements/{month}/"
    shown = browser_of(manager).get(page).content.decode()
    assert "The month is not over." in shown
    assert "Close the statement" not in shown
    refused = browser_of(manager).post(f"{page}close/", follow=True).content.decode()
    assert f"{month} is not over." in refused
    answer = api_of(manager).post(f"/api/v1{page}close/")
    assert (answer.status_code, answer.json()["code"]) == (409, "month_not_over")


def test_own_lines_are_of_closed_statements_alone(
    project: Project, member: Member, work: Callable[..., None], api_of: Any
) -> None:
    person, other = member(), member()
    work(person, JANUARY, 3600)
    work(other, JANUARY, 10)
    work(person, FEBRUARY, 10)
    pay(project, person, "10.00", JANUARY)
    statement = close(project, JANUARY)

    paid = {"hourly": Decimal("10.00"), "currency": "CNY", "amount": Decimal("10.00")}
    assert own_statements(person) == [(statement, line(person, 1, 3600, **paid))]
    (row,) = api_of(person).get("/api/v1/me/statements/").json()
    assert (row["project"], row["month"], row["amount"]) == ("ti", "2026-01", "10.00")


# Pages, API and command


def test_page_shows_and_closes_the_month(
    project: Project, member: Member, work: Callable[..., None], browser_of: Browser
) -> None:
    person, browser = member(name="Dolma"), browser_of(member(Role.MANAGER))
    work(person, JANUARY, 3600)
    work(person, FEBRUARY, 60)
    pay(project, person, "40.00", JANUARY)
    page = browser.get(PAGE).content.decode()
    assert "40.00 CNY" in page
    assert "Work in Jan 2026" in page
    assert "Close the statement" in page
    later = browser.get("/projects/ti/statements/2026-02/").content.decode()
    assert "Close the statement" not in later
    assert 'Close <a href="/projects/ti/statements/2026-01/">Jan 2026</a> before' in later

    answer = browser.post(f"{PAGE}close/", follow=True)

    assert "The statement is closed." in answer.content.decode()
    assert statement_of(project, JANUARY).closed_at is not None
    again = browser.post(f"{PAGE}close/", follow=True).content.decode()
    assert "The statement of 2026-01 is closed." in again
    assert browser.get("/projects/ti/statements/2026-13/").status_code == 404
    assert "2026-01" in browser.get("/projects/ti/statements/").content.decode()
    assert "40.00 CNY" in browser_of(person).get("/my-work/").content.decode()


def test_downloads_api_and_command_say_the_same(
    project: Project,
    member: Member,
    work: Callable[..., None],
    browser_of: Browser,
    api_of: Any,
    capsys: Any,
) -> None:
    person, manager = member(name="Dolma"), member(Role.MANAGER)
    work(person, JANUARY, 1800)
    pay(project, person, "40.00", JANUARY)

    told = api_of(manager).get(API).json()

    assert told == {
        "project": "ti",
        "month": "2026-01",
        "time_zone": "UTC",
        "closed_at": None,
        "judgements": 1,
        "late_judgements": 0,
        "active_seconds": 1800,
        "totals": [{"currency": "CNY", "amount": "20.00"}],
        "lines": [
            {
                "person": "Dolma",
                "email": person.email,
                "judgements": 1,
                "late_judgements": 0,
                "active_seconds": 1800,
                "active_hours": "0.50",
                "hourly": "40.00",
                "currency": "CNY",
                "amount": "20.00",
            }
        ],
    }
    browser = browser_of(manager)
    assert json.loads(browser.get(f"{PAGE[:-1]}.json").content) == told
    for flag in ("--json", "--format=json"):
        call_command("work_statement", "ti", "2026-01", flag)
        assert json.loads(capsys.readouterr().out) == told
    call_command("work_statement", "ti", "2026-01", "--format", "csv")
    table = capsys.readouterr().out
    streamed: Any = browser.get(f"{PAGE[:-1]}.csv")
    for text in (table, b"".join(streamed.streaming_content).decode()):
        (row,) = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
        assert row == {name: str(value) for name, value in told["lines"][0].items()}


@pytest.mark.parametrize("words", [("nowhere", "2026-01"), ("ti", "January"), ("ti", "2026-13")])
def test_command_refuses_in_words(project: Project, words: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        call_command("work_statement", *words)


def test_api_closes_a_month_once(
    project: Project, member: Member, work: Callable[..., None], api_of: Any
) -> None:
    work(member(), JANUARY, 1800)
    api = api_of(member(Role.MANAGER))

    first, second = api.post(f"{API}close/"), api.post(f"{API}close/")

    assert (first.status_code, first.json()["closed_at"] is None) == (201, False)
    assert (second.status_code, second.json()["code"]) == (409, "statement_closed")
    assert [row["month"] for row in api.get("/api/v1/projects/ti/statements/").json()] == [
        "2026-01"
    ]


def test_pay_page_and_api_set_a_rate_from_a_month_on(
    project: Project, member: Member, browser_of: Browser, api_of: Any
) -> None:
    person, manager = member(name="Dolma"), member(Role.MANAGER)
    pk = project.memberships.get(user=person).pk
    page, api = f"/projects/ti/members/{pk}/pay/", f"/api/v1/projects/ti/members/{pk}/pay-rates/"
    typed = {"hourly": "35.5", "currency": "CNY", "month": "2026-02"}

    assert browser_of(manager).post(page, typed | {"currency": "yuan"}).status_code == 400
    assert browser_of(manager).post(page, typed | {"month": "02/2026"}).status_code == 400
    assert browser_of(manager).post(page, typed)["Location"] == page
    posted = api_of(manager).post(api, typed | {"month": "2026-03"}, format="json")
    assert api_of(manager).post(api, typed | {"month": "x"}, format="json").status_code == 400
    assert api_of(manager).post(api, typed | {"hourly": -1}, format="json").status_code == 400

    assert posted.status_code == 201
    rows = api_of(manager).get(api).json()
    assert [(row["month"], row["hourly"], row["currency"]) for row in rows] == [
        ("2026-03", "35.50", "CNY"),
        ("2026-02", "35.50", "CNY"),
    ]
    assert "35.50 CNY" in browser_of(manager).get(page).content.decode()
    assert AuditEvent.objects.filter(verb="pay_rate.set").count() == 2


def test_people_without_a_rate_are_counted_before_the_month_is_closed(
    project: Project, member: Member, work: Callable[..., None], browser_of: Browser
) -> None:
    paid, unpaid = member(name="Dolma"), member(name="Pema")
    browser = browser_of(member(Role.MANAGER))
    for person in (paid, unpaid):
        work(person, JANUARY, 3600)
    pay(project, paid, "40.00", JANUARY)
    words = "One person has no rate, so their work of this month will stay unpaid."
    assert words in browser.get(PAGE).content.decode()

    pk = project.memberships.get(user=unpaid).pk
    link = f"/projects/ti/members/{pk}/pay/?month=2026-01"
    assert f'href="{link}"' in browser.get(PAGE).content.decode()
    assert 'value="2026-01"' in browser.get(link).content.decode()

    pay(project, unpaid, "40.00", JANUARY)
    assert words not in browser.get(PAGE).content.decode()


def test_rate_is_set_at_once_for_everybody_who_has_none_in_the_month(
    project: Project, member: Member, browser_of: Browser
) -> None:
    first, second, senior = member(), member(), member(Role.SENIOR)
    paid, later, manager = member(), member(), member(Role.MANAGER)
    pay(project, paid, "50.00", JANUARY)
    pay(project, later, "60.00", Month(2026, 3))
    page = f"/projects/ti/members/{project.memberships.get(user=first).pk}/pay/"
    typed = {"hourly": "40", "currency": "CNY", "month": "2026-02", "is_for_others": "on"}

    refused = browser_of(manager).post(page, typed | {"currency": "yen"})
    assert refused.status_code == 400
    assert project.pay_rates.count() == 2

    saved = browser_of(manager).post(page, typed, follow=True)

    assert "Saved for 4 people." in saved.content.decode()
    rates = project.pay_rates.filter(hourly=40).values_list("user", flat=True)
    assert set(rates) == {first.pk, second.pk, senior.pk, later.pk}


def test_api_sets_a_rate_at_once_for_everybody_who_has_none(
    project: Project, member: Member, api_of: Any
) -> None:
    first, second, paid = member(), member(), member()
    pay(project, paid, "50.00", JANUARY)
    address = f"/api/v1/projects/ti/members/{project.memberships.get(user=first).pk}/pay-rates/"
    sent = {"hourly": "40", "currency": "CNY", "month": "2026-02", "for_others": True}
    manager = api_of(member(Role.MANAGER))

    assert manager.post(address, sent | {"currency": "yen"}).status_code == 400
    assert api_of(second).post(address, sent).status_code == 403
    assert manager.post(address, sent).json()["hourly"] == "40.00"

    rates = project.pay_rates.filter(hourly=40).values_list("user", flat=True)
    assert set(rates) == {first.pk, second.pk}


def test_rates_of_people_who_left_are_set_on_the_list_of_members(
    project: Project, member: Member, work: Callable[..., None], browser_of: Browser
) -> None:
    gone = member(name="Pema")
    work(gone, JANUARY, 3600)
    remove_member(membership=project.memberships.get(user=gone), actor=None, now=timezone.now())

    shown = browser_of(member(Role.MANAGER)).get(PAGE).content.decode()

    assert '<a href="/projects/ti/members/">Set the rate</a>' in " ".join(shown.split())


@pytest.mark.parametrize("count", [1, 3])
def test_statement_costs_the_same_for_one_person_and_three(
    project: Project,
    member: Member,
    work: Callable[..., None],
    browser_of: Browser,
    django_assert_num_queries: Any,
    count: int,
) -> None:
    for _ in range(count):
        work(member(), JANUARY, 60)
    browser = browser_of(member(Role.MANAGER))
    browser.get(PAGE)

    with django_assert_num_queries(15):
        assert browser.get(PAGE).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_two_managers_at_once_close_a_month_once(
    project: Project, member: Member, work: Callable[..., None]
) -> None:
    work(member(), JANUARY, 60, 60)
    found: list[str] = []

    def attempt() -> None:
        try:
            close(project, JANUARY)
            found.append("closed")
        except StatementClosed:
            found.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == ["closed", "refused"]
    assert (WorkStatement.objects.count(), StatedJudgement.objects.count()) == (1, 2)


@pytest.mark.django_db(transaction=True)
def test_judgement_that_a_closing_statement_counts_is_not_taken_back_meanwhile(
    project: Project, member: Member, opened: Open, judge: Judge
) -> None:
    person = member()
    made = judge(opened(1, panel_size=3), person)
    late, now = JANUARY.end - timedelta(minutes=1), JANUARY.end + timedelta(minutes=1)
    Judgement.objects.filter(pk=made.pk).update(submitted_at=late)
    found: list[str] = []

    def attempt() -> None:
        try:
            withdraw_judgement(
                judgement=Judgement.objects.get(pk=made.pk), reviewer=person, now=now
            )
            found.append("taken back")
        except JudgementPaid:
            found.append("refused")
        finally:
            connection.close()

    thread = threading.Thread(target=attempt)
    with transaction.atomic():
        close(project, JANUARY, now)
        thread.start()
        thread.join(timeout=1)  # it waits for the statement, or was too quick
    thread.join()

    assert found == ["refused"]
    assert list(StatedJudgement.objects.values_list("judgement__is_withdrawn", flat=True)) == [
        False
    ]
