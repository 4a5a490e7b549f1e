"""Prepared queries return what the ORM returns, whatever values they are called with."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F, QuerySet, Value
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from common.prepared import NotPreparable, Update, prepared, prepared_update
from projects.models import Membership, Project


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
