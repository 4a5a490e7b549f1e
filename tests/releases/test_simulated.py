"""A release of items that a program judged: refused, or waived by name and said in every file."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.actions import mark_simulated
from accounts.models import User
from annotation.models import Item, KeyChange
from projects.models import Project
from releases.files.storage import release_folder
from releases.models import Release
from releases.publishing.audience import show_to_everybody
from releases.readiness.checks import ReviewSimulated
from releases.readiness.report import readiness
from releases.readiness.waivers import WaiverRequest
from releases.verification.checking import verify
from tests.factories import UserFactory
from tests.releases.builders import NOW, build, build_published, files_of, fill, judge

pytestmark = pytest.mark.django_db

WAIVED = (WaiverRequest("simulated_judgements", "A demonstration."),)


@pytest.fixture
def judged(project: Project) -> Project:
    """One item judged by a person and a program, one by two people."""
    fill(project)
    people, program = [UserFactory(), UserFactory()], _program()
    judge(Item.objects.get(uid="s0/1"), [people[0], program], outcome="approved")
    judge(Item.objects.get(uid="s0/2"), people, outcome="approved", number=2)
    return project


def _program() -> User:
    user: User = UserFactory()
    mark_simulated(user=user, actor=None, now=NOW)
    return user


def told(release: Release) -> dict[str, Any]:
    return {name: data.decode() for name, data in files_of(release).items() if _is_text(name)}


def _is_text(name: str) -> bool:
    return name in {"README.md", "quality.json", "manifest.json", "ledger.jsonl", "croissant.json"}


def test_what_a_program_judged_blocks_a_release_until_it_is_waived(judged: Project) -> None:
    [matter] = readiness(judged).blocking
    assert (matter.code, matter.items, matter.can_waive) == (
        "simulated_judgements",
        ("s0/1",),
        True,
    )
    with pytest.raises(ReviewSimulated) as refusal:
        build(judged)
    assert refusal.value.current == {"uids": ["s0/1"]}


def test_every_file_of_a_waived_release_says_that_people_did_not_review_it(
    judged: Project,
) -> None:
    release = build(judged, waivers=WAIVED)
    files = told(release)
    card, figures = files["README.md"], json.loads(files["quality.json"])["release"]
    assert "**Simulated: not reviewed by people.** A program gave 1 of the 4 judgements" in card
    assert "approved by reviewers" not in card
    assert "| `simulated_judgements` | A demonstration. |" in card
    assert (figures["simulated_judgements"], figures["simulated_items"]) == (1, 1)
    lines = [json.loads(line) for line in files["ledger.jsonl"].splitlines()]
    assert {
        line["id"]: each["simulated_judgements"]
        for line in lines
        for each in line["rounds"]
        if "simulated_judgements" in each
    } == {"s0/1": 1}
    croissant = json.loads(files["croissant.json"])
    assert "simulated: not reviewed by people" in croissant["description"]
    assert "Simulated: not reviewed" in croissant["rai:dataAnnotationProtocol"]
    assert json.loads(files["quality.json"])["simulated_judgements"] == 1
    assert json.loads(files["quality.json"])["build"]["people"]["reviewers"] == 2
    folder = release_folder(judged.slug, release.version)
    assert verify(folder, version=settings.VERSION).problems == ()


def test_manifest_that_hides_simulated_judgements_is_found(judged: Project) -> None:
    release = build(judged, waivers=WAIVED)
    path = release_folder(judged.slug, release.version) / "manifest.json"
    body = json.loads(path.read_bytes()) | {"simulated_judgements": 0}
    path.write_text(json.dumps(body))
    found = verify(path.parent, version=settings.VERSION).problems
    assert "simulated_judgements: the ledger gives another figure." in {
        each.detail for each in found
    }


def test_public_pages_and_the_api_say_that_people_did_not_review_it(judged: Project) -> None:
    release = build_published(judged, waivers=WAIVED)
    show_to_everybody(release=release, actor=None, now=NOW)
    for address in ("/releases/", f"/releases/{judged.slug}/0.1.0/"):
        assert "Simulated: not reviewed by people." in Client().get(address).content.decode()
    [row] = Client().get("/api/v1/releases/").json()["results"]
    assert row["simulated_judgements"] == 1


def test_release_that_people_judged_says_nothing_of_programs(project: Project) -> None:
    fill(project)
    judge(Item.objects.get(uid="s0/1"), [UserFactory(), UserFactory()], outcome="approved")
    files = told(build(project))
    assert "simulated_judgements" not in files["ledger.jsonl"]
    assert "Simulated" not in files["README.md"] + files["croissant.json"]
    assert "approved by reviewers" in files["README.md"]


def _settled(project: Project) -> str:
    people = [UserFactory(), UserFactory()]
    item = Item.objects.get(uid="s0/1")
    judge(item, people, outcome="disputed", senior=_program())
    return "adjudication"


def _keyed(project: Project) -> str:
    item = Item.objects.get(uid="s0/1")
    judge(item, [UserFactory(), UserFactory()], outcome="approved")
    KeyChange.objects.create(
        item=item, number=1, old_key="B", new_key=item.key, reason="Wrong.", author=_program(),
        created_at=NOW,
    )  # fmt: skip
    return "key_changes"


@pytest.mark.parametrize("decide", [_settled, _keyed])
def test_what_a_program_decided_blocks_a_release_and_is_marked_in_card_and_ledger(
    project: Project, decide: Callable[[Project], str]
) -> None:
    fill(project)
    part = decide(project)
    with pytest.raises(ReviewSimulated) as refusal:
        build(project)
    assert refusal.value.current == {"uids": ["s0/1"]}
    assert [matter.code for matter in readiness(project).blocking] == ["simulated_judgements"]

    release = build(project, waivers=WAIVED)

    files = told(release)
    assert "**Simulated: not reviewed by people.** A program gave 0 of the 2" in files["README.md"]
    assert "Simulated decisions about disputes and keys: 1." in files["README.md"]
    assert "approved by reviewers" not in files["README.md"]
    [line] = [json.loads(row) for row in files["ledger.jsonl"].splitlines() if "s0/1" in row]
    marked = line[part][0] if part == "key_changes" else line["rounds"][0][part]
    assert marked["is_simulated"] is True
    folder = release_folder(project.slug, release.version)
    assert verify(folder, version=settings.VERSION).problems == ()
