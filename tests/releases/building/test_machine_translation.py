"""The card of a release tells what its machine translation took."""

import json

import pytest

from annotation.models import Item, Translation
from projects.models import Project
from tests.annotation.translating.builders import make_items, make_job, work_off
from tests.releases.builders import build, files_of, fill

pytestmark = pytest.mark.django_db


def test_card_tells_calls_and_tokens_of_each_system_that_translated_here(project: Project) -> None:
    fill(project, subjects=1, tests=4, devs=0)
    Translation.objects.filter(item__in=Item.objects.order_by("pk")[:1]).update(system="m1")
    make_items(project, 1)
    work_off(make_job(project, system="m1"))  # four items have no text of it yet
    files = files_of(build(project))
    card = files["README.md"].decode()
    assert "## Machine translation" in card
    assert "| m1 | 4 | 4 |" in card
    (told,) = json.loads(files["manifest.json"])["translated_by"]
    assert (told["system"], told["items"], told["calls"], told["price"]) == ("m1", 4, 4, None)
    assert json.loads(files["quality.json"])["build"]["translated_by"] == [told]


def test_release_of_texts_from_elsewhere_says_nothing_of_it(project: Project) -> None:
    fill(project, subjects=1, tests=2, devs=0)
    files = files_of(build(project))
    assert b"## Machine translation" not in files["README.md"]
    assert b"translated_by" not in files["manifest.json"] + files["quality.json"]
