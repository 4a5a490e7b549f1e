"""The criteria: complete, and named in one place only."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from review.criteria import BY_NAME, CRITERIA, NAMES, Criterion
from review.models import Round

Browser = Callable[[User], Client]

ROOT = Path(__file__).parents[2]
FILES = ("[a-z]*/**/*.py", "templates/**/*.*", "static/js/*.js")
# Terms of a glossary have a domain too, and `annotation` cannot know what reviewers rate.
ELSEWHERE = ("tests/", "migrations/", "annotation/glossary/", "annotation/models/terms.py")
ELSEWHERE += ("templates/annotation/",)
NAMED = re.compile(rf"""["'.](?:{"|".join(NAMES)})\b|\b(?:{"|".join(NAMES)})_""")


@pytest.mark.parametrize("criterion", CRITERIA, ids=NAMES)
def test_criterion_says_what_each_of_its_ratings_means(criterion: Criterion) -> None:
    assert len(criterion.rubric) == len(criterion.scale)
    assert 0 <= criterion.lowest < criterion.highest <= 9  # one digit in a tally


def test_criteria_have_names_of_their_own() -> None:
    assert len(BY_NAME) == len(CRITERIA)


def test_no_other_module_template_or_script_names_a_criterion() -> None:
    paths = {path for pattern in FILES for path in ROOT.glob(pattern)}
    named = {
        name
        for path in paths
        if not (name := str(path.relative_to(ROOT))).startswith(ELSEWHERE)
        and "/migrations/" not in name
        and NAMED.search(path.read_text(encoding="utf-8"))
    }

    assert named == {"review/criteria.py"}


@pytest.mark.django_db
def test_key_of_a_criterion_is_a_key_of_its_own(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]], browser_of: Browser
) -> None:
    opened(1)
    page = browser_of(reviewers(1)[0]).get("/projects/ti/rounds/1/judge/").content.decode()
    keys = re.findall(r'<kbd data-key="(\w+)">(\w)</kbd>', page)

    assert [name for name, _letter in keys if name in NAMES] == list(NAMES)
    letters = [letter for _name, letter in keys]
    assert sorted(letters) == sorted(set(letters))
