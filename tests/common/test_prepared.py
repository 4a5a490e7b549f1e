"""Prepared queries return what the ORM returns, whatever values they are called with."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, QuerySet, Value
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from common.prepared import (
    NotPreparable,
    Update,
    insert_prepared,
    prepared,
    prepared_update,
)
from projects.models import Membership, Project

pytestmark = pytest.mark.both_databases


@prepared(user=int)
def members(user: int) -> QuerySet[Any]:
    rows: QuerySet[Any] = Membership.objects.annotate(marked=Value(7), place=F("project__slug"))
    return rows.select_related("project").filter(user_id=user).order_by("pk")


@prepared(email=str, before=datetime)
def earlier_accounts(email: str, before: datetime) -> QuerySet[User]:
    return User.objects.only("email", "date_joined").filter(email=email, date_joined__lt=before)


@prepared_update(user=int, name=str)
def rename(user: int, name: str) -> Update:
    return User.objects.filter(pk=user), {"name": name, "language": "en"}


@prepared(user=int)
def reviewers(user: int) -> QuerySet[Membership]:
    return Membership.objects.filter(user_id=user, role="reviewer").exclude(languages=["%s", "'"])


@pytest.fixture
def people(db: None) -> list[User]:
    now = timezone.now()
    return [
        User.objects.create(email=f"{name}@example.org", name=name, date_joined=now)
        for name in ("dolma", "tashi")
    ]


def join(user: User, *slugs: str) -> None:
    now = timezone.now()
    for slug in slugs:
        project = Project.objects.create(
            slug=slug, name=slug, source_language="zh", target_language="bo", created_at=now
        )
        Membership.objects.create(
            project=project, user=user, role="reviewer", languages=["bo", "zh"], created_at=now
        )


def test_rows_come_with_their_relations_annotations_and_converted_values(
    people: list[User], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    dolma, tashi = people
    join(dolma, "one", "two")
    join(tashi, "three")
    for user, slugs in ((dolma, ["one", "two"]), (tashi, ["three"]), (dolma, ["one", "two"])):
        with django_assert_num_queries(1):
            rows = members(user=user.pk)
            assert [row.project.slug for row in rows] == slugs
        assert [row.place for row in rows] == slugs
        assert {row.marked for row in rows} == {7}
        assert rows == list(Membership.objects.filter(user=user).order_by("pk"))
        assert {tuple(row.languages) for row in rows} == {("bo", "zh")}
        assert {row.created_at.tzinfo is not None for row in rows} == {True}


def test_first_is_none_where_there_is_no_row(people: list[User]) -> None:
    assert members.first(user=people[0].pk) is None


def test_texts_and_times_are_given_as_the_database_keeps_them(people: list[User]) -> None:
    dolma = people[0]
    joined = dolma.date_joined
    assert earlier_accounts(email=dolma.email, before=joined) == []
    (found,) = earlier_accounts(email=dolma.email, before=joined + timedelta(microseconds=1))
    assert found == dolma
    assert "name" in found.get_deferred_fields()


def test_update_changes_its_rows_alone_and_counts_them(people: list[User]) -> None:
    dolma, tashi = people
    assert rename(user=dolma.pk, name="ལོ་ཙཱ་བ 100 %s") == 1
    assert rename(user=0, name="nobody") == 0
    dolma.refresh_from_db()
    tashi.refresh_from_db()
    assert (dolma.name, dolma.language) == ("ལོ་ཙཱ་བ 100 %s", "en")
    assert (tashi.name, tashi.language) == ("tashi", "")


@pytest.mark.django_db
def test_an_argument_that_the_sql_does_not_hold_is_refused() -> None:
    @prepared(user=int)
    def everybody(user: int) -> QuerySet[User]:
        return User.objects.filter(pk=user + 1)

    with pytest.raises(NotPreparable, match="user"):
        everybody(user=1)


def test_an_inserted_row_reads_as_one_that_was_saved(
    people: list[User], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    join(people[0], "one")
    saved = Membership.objects.get()
    project = Project.objects.create(
        slug="two",
        name="two",
        source_language="zh",
        target_language="bo",
        created_at=timezone.now(),
    )
    names = {field.attname for field in Membership._meta.concrete_fields} - {"id"}
    values = {name: getattr(saved, name) for name in names}
    text = 'a "quoted" % word'
    row = Membership(
        **values | {"project_id": project.pk, "user_id": people[1].pk, "languages": ["bo", text]}
    )
    with django_assert_num_queries(1):
        insert_prepared(row)
    read = Membership.objects.get(pk=row.pk)
    assert [getattr(read, name) for name in names] == [getattr(row, name) for name in names]
    row.is_paused = True
    row.save()  # it is known to be there
    assert Membership.objects.count() == 2


def test_a_row_with_an_expression_is_inserted_too(people: list[User]) -> None:
    join(people[0], "one")
    place = Membership.objects.get()
    row = insert_prepared(
        Membership(
            project=place.project, user=people[1], role=Value("senior"), created_at=place.created_at
        )
    )
    assert Membership.objects.get(pk=row.pk).role == "senior"


@pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite keeps its statements anyway"
)
def test_postgresql_keeps_the_plan_of_a_query_that_runs_again(people: list[User]) -> None:
    for _turn in range(3):
        members(user=people[0].pk)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%marked%'"
        )
        assert cursor.fetchone() == (1,)


def test_a_constant_word_is_written_into_the_query_and_other_constants_stay_values(
    people: list[User],
) -> None:
    join(people[0], "one", "two")
    Membership.objects.filter(project__slug="two").update(role="senior")
    with CaptureQueriesContext(connection) as captured:
        found = reviewers(user=people[0].pk)
    assert [row.project.slug for row in found] == ["one"]
    assert reviewers(user=people[1].pk) == []
    assert "'reviewer'" in captured[0]["sql"]
