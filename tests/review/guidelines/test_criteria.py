"""The criteria: complete, and named in one place only."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from projects.criteria import (
    DEFAULT_CRITERIA,
    DEFAULT_NAMES,
    Criterion,
    read_criteria,
    stored_criteria,
)
from projects.models import Project
from review.models import Round

Browser = Callable[[User], Client]
CLAIM = "/projects/ti/rounds/1/claim/"

ROOT = Path(__file__).parents[3]
FILES = ("[a-z]*/**/*.py", "templates/**/*.*", "static/js/*.js")
# Terms of a glossary have a domain too, Global-MMLU a column of that word, and `annotation` cannot know what reviewers rate.
ELSEWHERE = ("tests/", "migrations/", "annotation/glossary/", "annotation/models/terms.py")
ELSEWHERE += ("templates/annotation/", "annotation/importers/global_mmlu.py")
NAMED = re.compile(rf"""["'.](?:{"|".join(DEFAULT_NAMES)})\b|\b(?:{"|".join(DEFAULT_NAMES)})_""")


@pytest.mark.parametrize("criterion", DEFAULT_CRITERIA, ids=DEFAULT_NAMES)
def test_criterion_says_what_each_of_its_ratings_means(criterion: Criterion) -> None:
    assert len(criterion.rubric) == len(criterion.scale)
    assert 0 <= criterion.lowest < criterion.highest <= 9  # one digit in a tally


def test_criteria_have_names_of_their_own() -> None:
    assert len(set(DEFAULT_NAMES)) == len(DEFAULT_CRITERIA)


def test_no_other_module_template_or_script_names_a_criterion() -> None:
    paths = {path for pattern in FILES for path in ROOT.glob(pattern)}
    named = {
        name
        for path in paths
        if not (name := str(path.relative_to(ROOT))).startswith(ELSEWHERE)
        and "/migrations/" not in name
        and NAMED.search(path.read_text(encoding="utf-8"))
    }

    # A screen that asks for knowledge of a culture has the word for its name.
    assert named == {"projects/criteria.py", "annotation/enums.py"}


def test_stored_criteria_are_read_again_and_the_default_ones_stay_empty() -> None:
    own = (replace(DEFAULT_CRITERIA[1], shortcut="D", lowest=1, highest=9, rubric=("one text",)),)

    assert read_criteria(stored_criteria(own)) == own
    assert (stored_criteria(DEFAULT_CRITERIA), read_criteria("")) == ("", DEFAULT_CRITERIA)


@pytest.mark.django_db
def test_key_of_a_criterion_is_a_key_of_its_own(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]], browser_of: Browser
) -> None:
    opened(1)
    page = browser_of(reviewers(1)[0]).post(CLAIM, follow=True).content.decode()
    keys = re.findall(r'<kbd data-key="(\w+)">(\w)</kbd>', page)

    assert [name for name, _letter in keys if name in DEFAULT_NAMES] == list(DEFAULT_NAMES)
    letters = [letter for _name, letter in keys]
    assert sorted(letters) == sorted(set(letters))


@pytest.mark.django_db
def test_keys_of_five_criteria_are_no_keys_of_anything_else(
    project: Project,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    browser_of: Browser,
) -> None:
    names = ("one", "two", "three", "four", "five")
    criteria = [replace(DEFAULT_CRITERIA[0], name=name, label=name) for name in names]
    project.criteria_text = stored_criteria(criteria)
    project.save(update_fields=["criteria_text"])
    opened(1)

    page = browser_of(reviewers(1)[0]).post(CLAIM, follow=True).content.decode()

    keys = re.findall(r'<kbd data-key="(\w+)">(\w)</kbd>', page)
    assert [name for name, _letter in keys if name in names] == list(names[:4])
    letters = [letter for _name, letter in keys]
    assert sorted(letters) == sorted(set(letters))
