"""What is read beside the work, and the thread and connection that do it."""

import threading
import time

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet

from common.db import consistent_transaction
from projects.models import Project, Subject
from releases.actions.checks import ReleaseBlocked
from releases.actions.freezing import freeze_items
from releases.content import open_items
from releases.reading_ahead import reading_ahead, reading_beside
from tests.factories import ProjectFactory, SubjectFactory
from tests.releases.builders import NOW, add_error, build, fill, start


@pytest.fixture
def queries(transactional_db: None) -> list[QuerySet[Subject, str]]:
    project = ProjectFactory()
    for slug in ("a", "b", "c"):
        SubjectFactory(project=project, slug=slug)
    return [
        project.subjects.filter(slug__in=slugs).order_by("slug").values_list("slug", flat=True)
        for slugs in (["a", "b"], [], ["c"])
    ]


def helpers() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("reading-")]


def is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def slugs_of(project: Project) -> list[str]:
    return list(project.subjects.order_by("slug").values_list("slug", flat=True))


def wait_until_no_other_connection_is_left() -> None:
    """The server takes a moment to end what was closed; its own workers come and go beside it."""
    others = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid()
    """
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(others)
            if cursor.fetchone() == (0,):
                return
        time.sleep(0.02)
    raise AssertionError("a connection was left open")


def test_pages_come_in_order_and_the_thread_ends(queries: list[QuerySet[Subject, str]]) -> None:
    with reading_ahead() as read:
        pages = read(queries)
        assert next(pages) == ["a", "b"]
        assert bool(helpers()) == is_postgresql()
        assert list(pages) == [[], ["c"]]
        assert list(read([])) == []
    assert helpers() == []


def test_thread_and_connection_end_when_the_work_fails(
    queries: list[QuerySet[Subject, str]],
) -> None:
    with pytest.raises(KeyError), reading_ahead() as read:
        next(read(queries))
        raise KeyError
    assert helpers() == []
    if is_postgresql():
        wait_until_no_other_connection_is_left()


def test_error_of_a_page_reaches_who_asked_for_it(queries: list[QuerySet[Subject, str]]) -> None:
    broken = Subject.objects.extra(where=["no_such_column = 1"]).values_list("slug", flat=True)
    with pytest.raises(Exception, match="no_such_column"), reading_ahead() as read:
        list(read([queries[0], broken]))
    assert helpers() == []


@pytest.mark.django_db
def test_within_a_transaction_its_own_rows_are_read(project: Project) -> None:
    fill(project, subjects=1, tests=2)
    release = build(project)
    with reading_ahead() as read:
        assert list(open_items(release, read)) == list(open_items(release))
    assert helpers() == []


@pytest.mark.django_db(transaction=True)
def test_build_outside_a_transaction_has_every_item_and_leaves_no_thread() -> None:
    project = ProjectFactory(slug="ti")
    fill(project, subjects=2, tests=3)
    release = build(project, black_box_share=0.3)
    assert [item.told.id for item in open_items(release)] == list(
        release.items.filter(subset="open").order_by("position").values_list("uid", flat=True)
    )
    assert release.artifacts.get(name="ledger.jsonl").row_count == release.items.count()
    assert helpers() == []


@pytest.mark.django_db(transaction=True)
def test_what_is_read_beside_is_as_the_transaction_began_and_without_what_it_writes() -> None:
    project = ProjectFactory()
    SubjectFactory(project=project, slug="before")

    def add(slug: str) -> None:
        SubjectFactory(project=project, slug=slug)
        connection.close()

    with consistent_transaction(), reading_beside() as beside:
        assert slugs_of(project) == ["before"]
        if is_postgresql():  # SQLite lets nobody write meanwhile
            other = threading.Thread(target=add, args=["elsewhere"])
            other.start()
            other.join()
        first = beside(slugs_of, project)
        assert bool(helpers()) == is_postgresql()
        assert first() == ["before"]
        SubjectFactory(project=project, slug="own")
        later = beside(slugs_of, project)
        assert later() == (["before"] if is_postgresql() else ["before", "own"])
        assert first() == ["before"]
    assert helpers() == []


@pytest.mark.django_db(transaction=True)
def test_error_of_what_is_read_beside_reaches_who_asks_for_it() -> None:
    project = ProjectFactory()
    broken = Subject.objects.extra(where=["no_such_column = 1"])
    with (
        pytest.raises(Exception, match="no_such_column"),
        consistent_transaction(),
        reading_beside() as beside,
    ):
        found = beside(list, broken)
        SubjectFactory(project=project, slug="own")
        found()
    assert slugs_of(project) == []
    assert helpers() == []


@pytest.mark.django_db(transaction=True)
def test_thread_and_connection_end_when_the_transaction_fails() -> None:
    project = ProjectFactory()
    with pytest.raises(KeyError), consistent_transaction(), reading_beside() as beside:
        beside(slugs_of, project)
        raise KeyError
    assert helpers() == []
    if is_postgresql():
        wait_until_no_other_connection_is_left()


@pytest.mark.django_db(transaction=True)
def test_refusal_that_is_found_beside_leaves_nothing_frozen() -> None:
    project = ProjectFactory(slug="ti")
    fill(project, subjects=1, tests=2)
    release = start(project)
    add_error(project.items.first())
    with pytest.raises(ReleaseBlocked):
        freeze_items(release=release, now=NOW)
    release.refresh_from_db()
    assert (release.frozen_at, release.items.count(), release.subjects.count()) == (None, 0, 0)
    assert helpers() == []


@pytest.mark.django_db(transaction=True)
def test_figures_that_fail_beside_leave_nothing_frozen() -> None:
    def fail(_project: Project) -> dict[str, object]:
        raise KeyError("figures")

    project = ProjectFactory(slug="ti")
    fill(project, subjects=1, tests=2)
    release = start(project)
    with pytest.raises(KeyError, match="figures"):
        freeze_items(release=release, now=NOW, read_quality=fail)
    release.refresh_from_db()
    assert (release.frozen_at, release.items.count(), release.subjects.count()) == (None, 0, 0)
    assert helpers() == []


@pytest.mark.django_db
def test_inside_another_transaction_everything_is_read_at_once(project: Project) -> None:
    with transaction.atomic():
        SubjectFactory(project=project, slug="own")
        with consistent_transaction(), reading_beside() as beside:
            found = beside(slugs_of, project)
            assert helpers() == []
            assert found() == ["own"]
