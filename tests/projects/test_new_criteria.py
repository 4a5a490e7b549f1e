"""A new project is given its criteria by the form and by the command."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation

from accounts.models import User
from projects.criteria import DEFAULT_CRITERIA
from projects.criteria_forms import translated
from projects.models import Project
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
Browsers = Callable[[User], Client]

WORDS = {"slug": "ti", "name": "Ti", "source_language": "zh", "target_language": "bo"}
FLUENCY = {
    "name": "fluency",
    "label": "Fluency",
    "short_label": "Fluency",
    "lowest": 1,
    "highest": 3,
    "rubric": ["stumbling", "readable", "fluent"],
}


def typed(*rows: dict[str, Any]) -> dict[str, Any]:
    """The fields of the page, with the line ends that a browser sends."""
    return WORDS | {
        f"{name}_{number}": "\r\n".join(value) if name == "rubric" else value
        for number, row in enumerate(rows, start=1)
        for name, value in row.items()
    }


def default_rows() -> list[dict[str, Any]]:
    return [each.as_json() for each in translated(DEFAULT_CRITERIA)]


@pytest.fixture
def staff(browser_of: Browsers) -> Client:
    return browser_of(UserFactory(is_staff=True))


def run(*more: str) -> dict[str, Any]:
    out = StringIO()
    words = ("--name", "Ti", "--source-language", "zh", "--target-language", "bo")
    call_command("create_project", "ti", *words, *more, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def written(folder: Path, given: object) -> tuple[str, str]:
    path = folder / "criteria.json"
    path.write_text(given if isinstance(given, str) else json.dumps(given))
    return ("--criteria", str(path))


def test_form_shows_the_default_criteria_folded(staff: Client) -> None:
    page = staff.get("/new-project/").content.decode()
    assert "Domain alignment, from 0 to 5" in page
    assert 'value="cultural"' in page
    assert "<details>" in page


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_form_left_as_it_was_keeps_the_default_criteria(staff: Client, language: str) -> None:
    with translation.override(language):
        fields = typed(*default_rows())
    staff.cookies["lotsawa_language"] = language
    answer = staff.post("/new-project/", fields, headers={"Accept-Language": language})
    assert answer.status_code == 302, answer.content.decode()
    assert Project.objects.get().criteria_text == ""


def test_form_with_other_criteria_opens_the_project_with_them(staff: Client) -> None:
    answer = staff.post("/new-project/", typed(default_rows()[1], FLUENCY))
    assert answer.status_code == 302, answer.content.decode()
    assert [each.name for each in Project.objects.get().criteria] == ["cultural", "fluency"]


def test_form_with_a_faulty_criterion_is_refused_beside_its_field(staff: Client) -> None:
    faulty = FLUENCY | {"rubric": ["stumbling", "fluent"]}
    answer = staff.post("/new-project/", typed(default_rows()[0], faulty))
    page = answer.content.decode()
    assert (answer.status_code, Project.objects.count()) == (400, 0)
    assert '<a href="#id_rubric_2">' in page
    assert "Write 3 lines" in page
    assert "<details open>" in page


def test_form_without_criteria_is_refused(staff: Client) -> None:
    answer = staff.post("/new-project/", typed() | {"label_1": ""})
    assert answer.status_code == 400
    assert "Give from 1 to 5 criteria." in answer.content.decode()


def test_settings_name_the_criteria_with_the_way_to_change_them(staff: Client) -> None:
    staff.post("/new-project/", typed(FLUENCY))
    page = staff.get("/projects/ti/settings/").content.decode()
    assert "Fluency, from 1 to 3" in page
    assert 'href="/projects/ti/criteria/"' in page


@pytest.mark.parametrize("given", [[FLUENCY], {"criteria": [FLUENCY]}])
def test_command_takes_criteria_from_a_file_and_runs_twice(tmp_path: Path, given: object) -> None:
    made = run(*written(tmp_path, given))
    again = run(*written(tmp_path, given))
    assert (made["is_new"], again["is_new"]) == (True, False)
    assert [each.as_json() for each in Project.objects.get().criteria] == [FLUENCY]


def test_command_with_other_criteria_is_refused(tmp_path: Path) -> None:
    run()
    with pytest.raises(CommandError, match="already a project"):
        run(*written(tmp_path, [FLUENCY]))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ("no json", "criteria: This is not"),
        ({"rows": []}, "criteria: The file has to hold"),
        (["fluency"], "criteria: The file has to hold"),
        ([], "criteria: Give from 1"),
        ([FLUENCY | {"name": 3}], "criteria.0.name: Write a text."),
        ([FLUENCY | {"highest": True}], "criteria.0.highest: Write a whole number."),
        ([FLUENCY | {"rubric": "all"}], "criteria.0.rubric: Write a list of texts."),
        ([FLUENCY | {"weight": 2}], "criteria.0.weight: A criterion has no such field."),
        ([{"name": "fluency"}], "criteria.0.label: Write from 1"),
        ([FLUENCY, FLUENCY], "criteria.1.name: Another criterion"),
    ],
)
def test_command_with_faulty_criteria_names_the_field(
    tmp_path: Path, given: object, field: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        run(*written(tmp_path, given))
    assert field in str(refusal.value)
    assert not Project.objects.exists()
