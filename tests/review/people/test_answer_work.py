"""My answers: what one gave in comparisons and solving rounds, told in full once they are closed."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from projects.models import Project
from review.enums import Fate, RoundKind
from review.models import Answer, Round
from review.people.answer_work import answers_by, months_of_all, work_rows_of
from review.people.statements import open_lines, open_work
from review.people.work import WorkFilter
from tests.review.kinds import add_system, close, compare, opinion, solve

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]


def rows_of(user: User, **wanted: Any) -> list[dict[str, Any]]:
    return work_rows_of(user, list(answers_by(user, WorkFilter(**wanted)).order_by("pk")))


@pytest.fixture
def solved(opened: Callable[..., Round], reviewers: Callable[[int], list[User]]) -> Answer:
    """The answer A of one of two people in an open solving round; the other has not answered."""
    first, _second = reviewers(2)
    return solve(opened(1, kind=RoundKind.SOLVING), first, "A", active_seconds=0)


@pytest.fixture
def compared(
    project: Project,
    items: Callable[[int], None],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> Answer:
    """Of two people both approve "mt", one "other"; the answer of the one who did not."""
    items(1)
    add_system(project)
    round_ = opened(0, kind=RoundKind.COMPARISON)
    first, second = reviewers(2)
    texts = {"mt": opinion(rank=1), "other": opinion(is_approved=False, rank=2)}
    answer = compare(round_, first, texts)
    compare(round_, second, {"mt": opinion(), "other": opinion()})
    return answer


def test_open_solving_round_tells_only_ones_own_part(solved: Answer) -> None:
    (row,) = rows_of(solved.reviewer)

    assert (row["choice"], row["key"], row["agrees"]) == ("A", "", None)


@pytest.mark.parametrize(("key", "agrees"), [("A", True), ("B", False)])
def test_closed_solving_round_tells_whether_the_answer_agrees(
    solved: Answer, key: str, *, agrees: bool
) -> None:
    item = solved.panel.item
    item.key = key
    item.save(update_fields=["key"])
    close(solved.panel.round)

    (row,) = rows_of(solved.reviewer)

    assert (row["kind"], row["key"], row["agrees"]) == ("solving", key, agrees)


def test_key_is_not_told_while_another_solving_round_asks_the_person(
    solved: Answer, opened: Callable[..., Round]
) -> None:
    close(solved.panel.round)
    opened(0, kind=RoundKind.SOLVING)

    (row,) = rows_of(solved.reviewer)

    assert (row["key"], row["agrees"]) == ("", None)


def test_open_comparison_tells_no_system(compared: Answer) -> None:
    (row,) = rows_of(compared.reviewer)

    assert [text["system"] for text in row["texts"]] == ["", ""]
    assert [text["judges"] for text in row["texts"]] == [None, None]


def test_closed_comparison_tells_systems_and_votes(compared: Answer) -> None:
    close(compared.panel.round)

    (row,) = rows_of(compared.reviewer)

    told = {text["system"]: text for text in row["texts"]}
    assert {name: (each["approvals"], each["judges"]) for name, each in told.items()} == {
        "mt": (2, 2),
        "other": (1, 2),
    }
    assert (told["mt"]["rank"], told["other"]["is_approved"]) == (1, False)
    assert told["mt"]["ratings"] == {"domain": 4, "cultural": 4}


def test_same_text_of_two_systems_is_one_text_until_the_round_is_closed(
    project: Project,
    items: Callable[[int], None],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    items(1)
    add_system(project)
    add_system(project, "third")
    round_ = opened(0, kind=RoundKind.COMPARISON)
    (user,) = reviewers(1)
    compare(round_, user, {name: opinion() for name in ("mt", "other", "third")})
    assert len(rows_of(user)[0]["texts"]) == 2

    close(round_)

    assert len(rows_of(user)[0]["texts"]) == 3


def test_months_and_statements_count_answers_with_their_time(
    solved: Answer, project: Project
) -> None:
    Answer.objects.filter(pk=solved.pk).update(active_seconds=90)

    (month,) = months_of_all(solved.reviewer, WorkFilter())
    (line,) = open_lines(project, month.month, open_work(project, month.month))

    assert (month.judgements, month.answers, month.active_seconds) == (0, 1, 90)
    assert (line.judgements, line.active_seconds) == (1, 90)


def test_filter_by_round_month_and_fate(solved: Answer) -> None:
    user = solved.reviewer
    before = months_of_all(user, WorkFilter())[0].month

    assert len(rows_of(user, round=1, month=before)) == 1
    assert rows_of(user, round=2) == []
    assert rows_of(user, fate=Fate.KEPT) == []
    Answer.objects.update(submitted_at=timezone.now() - timedelta(days=70))
    assert rows_of(user, month=before) == []


def test_page_api_and_downloads_hold_the_same(
    compared: Answer, browser_of: Browser, api_of: Any
) -> None:
    close(compared.panel.round)
    browser = browser_of(compared.reviewer)

    page = browser.get("/my-work/answers/").content.decode()
    (row,) = api_of(compared.reviewer).get("/api/v1/me/work/answers/").json()["results"]
    file = b"".join(browser.get("/my-work/answers.csv").streaming_content).decode("utf-8-sig")
    (line,) = csv.DictReader(io.StringIO(file))
    export = api_of(compared.reviewer).get("/api/v1/me/work/answers/export/")

    assert "approved by 1 of 2" in page
    assert (row["item"], row["kind"]) == (compared.panel.item.uid, "comparison")
    assert line["item"] == row["item"]
    assert line["submitted_at"] == row["submitted_at"]
    assert b"".join(export.streaming_content).decode().count("\n") == 1
    assert "/my-work/answers/" in browser.get("/my-work/").content.decode()


def test_page_costs_the_same_for_one_answer_and_three(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    browser_of: Browser,
) -> None:
    round_ = opened(3, kind=RoundKind.SOLVING)
    (user,) = reviewers(1)
    browser = browser_of(user)
    counts = []
    for answers in (1, 2):
        for _number in range(answers):
            solve(round_, user)
        with CaptureQueriesContext(connection) as found:
            browser.get("/my-work/answers/")
        counts.append(len(found))

    assert counts[0] == counts[1]
