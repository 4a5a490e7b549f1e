"""The same data give the same release, whatever database, time zone, language and collation."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone, translation

from annotation.models import Item
from projects.models import Project, Source, Subject
from releases.models import ReleaseSecret
from tests.databases import copy_migrated
from tests.factories import ItemFactory, SourceFactory, SubjectFactory, UserFactory
from tests.releases.builders import NOW, build, files_of, judge, make_approved

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]

# Of all files but the archive, which holds the same ones. It changes with what a release says:
# then put in the one that the test prints, once it is the same on both databases.
DIGEST = "e747ae273a9b1eecf9759d891300eaba65be7917045c54fdc9153007d4e8a8f3"
# Names that databases order in different ways: by case, by marks, by letters of other scripts.
SUBJECTS = (("ab", "zebra"), ("a-c", "Ärzte"), ("a-b", "apple"), ("b_1", "Zebra"), ("b1", "མི"))
SOURCES = ("beta", "Alpha", "_first", "中文", "álpha")


@pytest.fixture(params=[("UTC", "en"), ("Asia/Kathmandu", "zh-hans")], ids=["here", "elsewhere"])
def place(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A time zone and a language; in the second PostgreSQL sorts names as people do, too."""
    zone, language = request.param
    monkeypatch.setitem(os.environ, "TZ", zone)
    time.tzset()
    with timezone.override(zone), translation.override(language):
        yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def collation(place: None, db: None, request: Any) -> None:
    if connection.vendor == "postgresql" and "elsewhere" in request.node.name:
        for model, names in ((Subject, ("slug", "name", "category")), (Source, ("name", "system"))):
            _sort_as_people_do(model, names)


def test_a_release_has_the_same_bytes_everywhere(project: Project, collation: None) -> None:
    """Whatever of time, language or order leaks into a file gives another digest."""
    fill_world(project)
    with time_machine.travel(NOW, tick=False):
        release = build(project, black_box_share=0.3, seed=5, dev_per_subject=1)
    files = {name: data for name, data in files_of(release).items() if not name.endswith(".zip")}
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files)]
    found = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert found == DIGEST, "\n".join([found, *lines])


LOCALES = {
    "c": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"},
}


@pytest.mark.slow
@pytest.mark.skipif("ONE_LOCALE" in os.environ, reason="runs inside another of these")
@pytest.mark.parametrize("name", LOCALES)
def test_a_process_with_another_locale_writes_the_same_bytes(name: str, tmp_path: Any) -> None:
    """A locale is chosen when a process starts, so the test above runs in a process of its own."""
    here = "test_a_release_has_the_same_bytes_everywhere[here]"
    copy_migrated(tmp_path / "tables.sqlite3")  # made here, where no clock runs yet
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = subprocess.run(
        [*command, "--no-migrations", f"--basetemp={tmp_path}/inner", f"{__file__}::{here}"],
        env={**os.environ, **LOCALES[name], "LOTSAWA_TEST_DATABASE_URL": "", "ONE_LOCALE": name},
        capture_output=True,
        check=False,
        timeout=250,
    )
    assert (done.returncode, b"1 passed" in done.stdout) == (0, True), done.stdout.decode()


def fill_world(project: Project) -> None:
    """Items of all subjects and sources, judged in three rounds by people with certain ids."""
    ItemFactory.reset_sequence(0)  # the source questions hold its numbers
    ReleaseSecret.objects.create(project=project, value="5" * 64)
    reviewers = [UserFactory(pk=7_000 + n, name=f"R {n}") for n in (2, 0, 1)]
    sources = [SourceFactory(project=project, name=name, revision="1") for name in SOURCES]
    items = [
        _make(project, subject, sources[(place + number) % len(sources)], number)
        for place, (slug, category) in enumerate(SUBJECTS)
        for subject in [SubjectFactory(project=project, slug=slug, name=slug, category=category)]
        for number in (10, 9, 0, 2)
    ]
    for number, item in enumerate(items[::7], 1):
        outcome, senior = ("disputed", reviewers[2]) if number == 2 else ("approved", None)
        judge(item, reviewers[:2], outcome=outcome, senior=senior, number=number)


def _make(project: Project, subject: Subject, source: Source, number: int) -> Item:
    uid = f"{subject.slug}/{number}"
    item: Item = make_approved(
        project,
        source=source,
        subject=subject,
        uid=uid,
        split="test" if number else "dev",
        key="ABCD"[number % 4],
        level=("", "Hard", "easy")[number % 3],
        question=f"འདྲི་བ་ {uid} ག་རེ་རེད།",
        options=[f"ལན་ {uid} {letter}" for letter in "ཀཁགང"],
    )
    return item


def _sort_as_people_do(model: Any, names: tuple[str, ...]) -> None:
    """Give columns the collation that many servers have, where `a-c` comes after `ab`."""
    with connection.cursor() as cursor:
        for name in names:
            field = model._meta.get_field(name)
            kind = field.db_type(connection)
            cursor.execute(
                f'ALTER TABLE "{model._meta.db_table}" ALTER COLUMN "{field.column}" '
                f'TYPE {kind} COLLATE "en-US-x-icu"'
            )
