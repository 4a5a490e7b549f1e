"""Subjects: what each belongs to is edited, read from a file, or taken from a published assignment."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from projects.actions import GroupingInvalid, SubjectsUnknown, group_subjects
from projects.categories import (
    PUBLISHED,
    CategoriesUnreadable,
    Grouping,
    SubjectTwice,
    SubjectUnnamed,
    offers,
    published,
    read_groupings,
)
from projects.enums import Role
from projects.models import Project, Subject
from tests.factories import SubjectFactory

PAGE = "/projects/ti/subjects/"
ADDRESS = "/api/v1/projects/ti/subjects/"
Member = Callable[[Role], User]


@pytest.fixture
def subjects(project: Project) -> list[Subject]:
    names = ("agronomy", "Chinese_History", "own")
    return [SubjectFactory(project=project, slug=name, name=name) for name in names]


def stored(project: Project) -> dict[str, tuple[str, str, str]]:
    rows = Subject.objects.filter(project=project)
    return {row.slug: (row.category, row.dimension, row.level) for row in rows}


def group(project: Project, fills_gaps: bool = False, **wanted: Grouping) -> int:
    return group_subjects(
        project=project, groupings=wanted, fills_gaps=fills_gaps, actor=None, now=timezone.now()
    )


def test_every_published_assignment_is_complete() -> None:
    sizes = {code: len(published(code)) for code in PUBLISHED}

    assert sizes == {"cmmlu": 67, "mm_eval": 4, "safetybench": 7, "tmlu": 37}
    for code in PUBLISHED:
        assert all(each.category for each in published(code).values()), code


def test_offers_are_the_assignments_that_name_a_subject_the_fullest_first() -> None:
    found = [(each.code, each.named, each.of) for each in offers(["Agronomy", "anatomy", "syntax"])]

    assert found == [("cmmlu", 2, 3), ("mm_eval", 1, 3)]


def test_table_may_lack_columns_and_have_any_case_and_order() -> None:
    text = '\ufeffLevel, Subject \nhard,law\n,"arts, fine"\n'

    assert read_groupings(text) == {"law": Grouping(level="hard"), "arts, fine": Grouping()}


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", CategoriesUnreadable),
        ("subject\nlaw\n", CategoriesUnreadable),
        pytest.param("subject,level\n" + "w" * 131_073, CategoriesUnreadable, id="long cell"),
        pytest.param("w" * 131_073, CategoriesUnreadable, id="long column"),
        ("subject,category\n", CategoriesUnreadable),
        ("subject,category\n,a\n", SubjectUnnamed),
        ("subject,category\nlaw,a\nLAW,b\n", SubjectTwice),
    ],
)
def test_table_that_cannot_be_read_is_refused(text: str, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        read_groupings(text)


def test_grouping_is_stored_with_what_was_there(project: Project, subjects: list[Subject]) -> None:
    group(project, own=Grouping("STEM"))

    assert group(project, OWN=Grouping("", "local"), agronomy=Grouping()) == 1
    assert stored(project)["own"] == ("", "local", "")
    events = AuditEvent.objects.filter(verb="subjects.grouped").order_by("-pk")
    assert events[0].data["before"] == {"own": {"category": "STEM", "dimension": "", "level": ""}}


def test_same_grouping_again_changes_nothing(project: Project, subjects: list[Subject]) -> None:
    assert group(project, own=Grouping("STEM")) == 1
    assert group(project, own=Grouping("STEM")) == 0
    assert AuditEvent.objects.filter(verb="subjects.grouped").count() == 1


def test_published_assignment_fills_only_what_is_empty(
    project: Project, subjects: list[Subject]
) -> None:
    group(project, Chinese_History=Grouping("Ours"))

    group(project, fills_gaps=True, **published("cmmlu"))

    assert stored(project) == {
        "agronomy": ("Other", "", ""),
        "Chinese_History": ("Ours", "China specific", ""),
        "own": ("", "", ""),
    }


def test_unknown_subject_and_broken_text_are_refused_and_nothing_is_stored(
    project: Project, subjects: list[Subject]
) -> None:
    with pytest.raises(SubjectsUnknown):
        group(project, own=Grouping("STEM"), foreign=Grouping("STEM"))
    for text in ("x" * 101, "a\0", "a\nb"):
        with pytest.raises(GroupingInvalid):
            group(project, own=Grouping("STEM"), agronomy=Grouping(text))
    assert set(stored(project).values()) == {("", "", "")}


def test_manager_edits_uploads_and_takes_a_published_assignment(
    project: Project, subjects: list[Subject], member: Member, browser_of: Callable[[User], Client]
) -> None:
    client = browser_of(member(Role.MANAGER))
    own = subjects[2].pk

    sent = {f"subject-{own}": "1", f"category-{own}": "Local", f"level-{own}": "hard"}
    others = {f"subject-{pk}": "1" for pk in ("9" * 5000, "9" * 19, "٣", "x")}
    form = urlencode(sent | others)
    redirected = client.post(PAGE, form, content_type="application/x-www-form-urlencoded")
    assert redirected.status_code == 302
    assert stored(project)["own"] == ("Local", "", "hard")
    client.post(PAGE, {"published": "cmmlu"})
    assert stored(project)["agronomy"] == ("Other", "", "")
    table = client.get("/projects/ti/subjects.csv").getvalue().replace(b"Local", b"Own")  # type: ignore[attr-defined]
    client.post(PAGE, {"file": SimpleUploadedFile("s.csv", table)})
    assert stored(project)["own"] == ("Own", "", "hard")
    answer = client.post(PAGE, {"file": SimpleUploadedFile("s.csv", b"\xff\xfe")}, follow=True)
    assert "A file of categories is a CSV table" in answer.content.decode()


def test_viewer_reads_the_page_without_fields(
    project: Project, subjects: list[Subject], member: Member, browser_of: Callable[[User], Client]
) -> None:
    page = browser_of(member(Role.VIEWER)).get(PAGE).content.decode()

    assert "3 subjects have no category" in page
    assert 'name="category-' not in page


def test_api_lists_and_changes_only_what_is_sent(
    project: Project, subjects: list[Subject], member: Member, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(member(Role.MANAGER))
    group(project, own=Grouping("Local", level="hard"))

    answer = api.patch(ADDRESS, {"subjects": [{"slug": "own", "level": "easy"}]}, format="json")
    assert (answer.status_code, answer.json()) == (200, {"changed": 1})
    assert api.patch(ADDRESS, {"published": "cmmlu"}, format="json").json() == {"changed": 2}
    rows = {row["slug"]: row for row in api.get(ADDRESS).json()["results"]}
    assert rows["own"] == {
        "slug": "own", "name": "own", "category": "Local", "dimension": "", "level": "easy",
    }  # fmt: skip
    for body in ({}, {"published": "x"}, {"subjects": [], "published": "cmmlu"}):
        assert api.patch(ADDRESS, body, format="json").status_code == 400, body


def test_command_reads_a_file_and_names_subjects_left_without_a_category(
    project: Project, subjects: list[Subject], tmp_path: Path
) -> None:
    file = tmp_path / "s.csv"
    file.write_text("subject,category\nown,Local\n", "utf-8")

    assert ran("--published", "cmmlu") == {"changed": 2, "without_category": ["own"]}
    assert ran("--file", str(file)) == {"changed": 1, "without_category": []}


def ran(*words: str) -> Any:
    out = StringIO()
    call_command("group_subjects", "ti", *words, "--json", stdout=out)
    return json.loads(out.getvalue())
