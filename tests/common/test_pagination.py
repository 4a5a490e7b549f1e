"""Keyset pages lose and repeat no row, forwards and backwards, at one query a page."""

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core import signing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from common.pagination import ApiPagination, BadCursor, KeysetPage, keyset_page
from jobs.models import Job
from tests.factories import JobFactory

ORDER = ("-kind", "pk")


def page(cursor: str | None = None, *, size: int = 2, order: tuple[str, ...] = ORDER) -> KeysetPage:
    return keyset_page(Job.objects.all(), order=order, cursor=cursor, size=size)


def names(found: KeysetPage) -> list[str]:
    return [row.note_code for row in found.rows]


@pytest.fixture
def jobs(db: None) -> None:
    for kind, note in [("a", "1"), ("b", "2"), ("b", "3"), ("b", "4"), ("c", "5")]:
        JobFactory(kind=kind, note_code=note)


def test_page_of_nothing_has_no_neighbours(db: None) -> None:
    assert page() == KeysetPage(rows=[], next_cursor=None, previous_cursor=None)


def test_pages_forward_give_each_row_once_in_order(jobs: None) -> None:
    first = page()
    second = page(first.next_cursor)
    third = page(second.next_cursor)
    assert [names(first), names(second), names(third)] == [["5", "2"], ["3", "4"], ["1"]]
    assert (first.previous_cursor, third.next_cursor) == (None, None)


def test_pages_backward_give_the_same_pages(jobs: None) -> None:
    second = page(page().next_cursor)
    third = page(second.next_cursor)
    back = page(third.previous_cursor)
    assert names(back) == names(second)
    assert names(page(back.previous_cursor)) == ["5", "2"]
    assert page(back.previous_cursor).previous_cursor is None


def test_row_added_before_the_page_moves_nothing(jobs: None) -> None:
    cursor = page().next_cursor
    JobFactory(kind="z", note_code="new")
    assert names(page(cursor)) == ["3", "4"]


def test_row_deleted_at_the_boundary_moves_nothing(jobs: None) -> None:
    cursor = page().next_cursor
    Job.objects.filter(note_code="2").delete()
    assert names(page(cursor)) == ["3", "4"]


def test_page_costs_one_query_wherever_it_is(jobs: None, django_assert_num_queries: Any) -> None:
    cursor = page(page().next_cursor).next_cursor
    with django_assert_num_queries(1):
        page(cursor)


def test_page_ordered_by_time_finds_its_neighbours(db: None) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    for note in ("1", "2", "3"):
        JobFactory(created_at=moment, note_code=note)
    order = ("-created_at", "-pk")
    first = page(size=1, order=order)
    second = page(first.next_cursor, size=1, order=order)
    assert [names(first), names(second)] == [["3"], ["2"]]


@pytest.mark.parametrize(
    "cursor",
    ["nonsense", "a:b:c", signing.dumps([False, ["b", 1]], salt="another list")],
    ids=["words", "colons", "salt"],
)
def test_cursor_that_is_not_ours_is_refused(jobs: None, cursor: str) -> None:
    with pytest.raises(BadCursor) as refusal:
        page(cursor)
    assert refusal.value.status == 400


def test_cursor_of_another_order_is_refused(jobs: None) -> None:
    cursor = page(order=("kind", "pk")).next_cursor

    with pytest.raises(BadCursor):
        page(cursor)


@pytest.mark.parametrize(
    "cursor", ["p=abc", "p=%00", "p=1.5", "p=", "o=x&p=1", "o=-1", f"p={10**40}", "p=%D9%A3"]
)
def test_cursor_of_the_api_that_is_not_ours_is_refused(jobs: None, cursor: str) -> None:
    encoded = b64encode(cursor.encode()).decode()
    request = Request(APIRequestFactory().get("/", {"cursor": encoded}))

    with pytest.raises(BadCursor):
        ApiPagination().paginate_queryset(Job.objects.all(), request)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(kinds=st.lists(st.sampled_from("abc"), max_size=9), size=st.integers(1, 4))
def test_walking_all_pages_is_the_whole_sorted_list(db: None, kinds: list[str], size: int) -> None:
    Job.objects.all().delete()
    for number, kind in enumerate(kinds):
        JobFactory(kind=kind, note_code=str(number))
    walked, cursor = [], None
    while True:
        found = page(cursor, size=size)
        walked += names(found)
        cursor = found.next_cursor
        if cursor is None:
            break
    assert walked == list(Job.objects.order_by(*ORDER).values_list("note_code", flat=True))
