"""The page of a system sums up all of its jobs; an item of several counts as the last left it."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from annotation.imports.spellings import Spellings
from annotation.models import TranslatedItem
from annotation.translating.actions import TranslationInvalid
from annotation.translating.results import results_of_system
from projects.enums import Role
from projects.models import Project
from tests.annotation.translating.builders import good, make_items, make_job, work_off
from tests.factories import ModelSpecFactory

pytestmark = pytest.mark.django_db


def translated_twice(project: Project) -> None:
    """Have a first job fail both items of the system `a/b & c`, and a second translate one of them."""
    (item, _other) = make_items(project, 2)
    spec = ModelSpecFactory(project=project)
    first = make_job(project, spec=spec, system="a/b & c")
    work_off(first, lambda request: json.dumps({"question": "水"}))
    second = make_job(project, spec=spec, system="a/b & c")
    TranslatedItem.objects.filter(translation_job=second).exclude(item=item).delete()
    work_off(second, good)
    work_off(make_job(project, spec=spec, system="other"), good)


def test_items_count_once_and_calls_of_all_jobs_add_up(project: Project) -> None:
    translated_twice(project)

    found = results_of_system(project, "a/b & c")

    assert found is not None
    assert (found.translated, found.failed, found.open) == (1, 1, 0)
    assert found.totals.calls == 2 * 3 + 1
    assert [(failure.words, failure.count) for failure in found.failures] == [
        ("The answer has no “options”.", 1)
    ]
    assert found.length_ratio is not None
    assert results_of_system(project, "nobody") is None


def test_page_and_api_show_a_system_by_its_name(
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    translated_twice(project)
    senior = member(Role.SENIOR)
    browser, url = browser_of(senior), reverse("annotation:translation-system", args=["ti"])

    shown = browser.get(url, {"system": "a/b & c"})

    assert shown.status_code == 200
    assert "a/b &amp; c" in shown.content.decode()
    link = f"{url}?system=a%2Fb%20%26%20c"
    assert link in browser.get(reverse("annotation:translation-jobs", args=["ti"])).content.decode()
    assert browser.get(url, {"system": "nobody"}).status_code == 404

    client = APIClient()
    client.force_authenticate(senior)
    answer = client.get(reverse("api:translation-system", args=["ti"]), {"system": "a/b & c"})
    assert answer.json()["results"]["translated"] == 1


@pytest.mark.parametrize("alike", ["GPT x", "ｇｐｔ x", "gpt_x"])
def test_system_that_looks_like_another_is_refused_by_jobs_and_taken_for_it_by_imports(
    project: Project, alike: str
) -> None:
    make_items(project, 1)
    work_off(make_job(project, system="gpt x"))
    with pytest.raises(TranslationInvalid) as refusal:
        make_job(project, system=alike)
    assert refusal.value.fields == {
        "system": [
            "This project has a system “gpt x” already. Write it like that, or choose another name."
        ]
    }
    assert Spellings(project).of_system(alike) == "gpt x"
    assert make_job(project, system="gpt y").system == "gpt y"
