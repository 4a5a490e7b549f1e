"""A release that hides every test item: what it holds, says, gives away (nothing) and is good for."""

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.enums import PairState
from annotation.models import Item
from projects.enums import Role
from projects.models import Project
from releases.enums import Subset
from releases.files.archiving import write_archive_of
from releases.files.storage import release_folder
from releases.models import Release
from releases.publishing.audience import show_to_everybody
from releases.readiness.report import readiness
from releases.splits import EVERYTHING
from releases.verification.checking import verify
from tests.evaluation.builders import make_run, work_off
from tests.factories import MembershipFactory, UserFactory
from tests.releases.builders import (
    NOW,
    add_pair,
    build,
    build_published,
    files_of,
    fill,
    make_approved,
)
from tests.releases.markers import found_in
from tests.releases.test_leaks import markers, plant

pytestmark = pytest.mark.django_db

DEVS = {"without dev items": 0, "with dev items": 3}
DESCRIPTIONS = {
    *("CITATION.cff", "README.md", "SHA256SUMS", "black_box.jsonl", "croissant.json"),
    *("ledger.jsonl", "manifest.json", "quality.json", "ti-0.1.0.zip"),
}


@pytest.fixture
def manager(project: Project) -> User:
    user = UserFactory()
    MembershipFactory(user=user, project=project, role=Role.MANAGER)
    return user


@pytest.fixture(params=DEVS.values(), ids=DEVS)
def devs(request: Any) -> int:
    return int(request.param)


@pytest.fixture
def release(project: Project, devs: int) -> Release:
    """Published and shown to everybody."""
    fill(project, devs=devs)
    return shown(build_published(project, black_box_share=EVERYTHING))


def shown(release: Release) -> Release:
    show_to_everybody(release=release, actor=None, now=NOW)
    release.refresh_from_db()
    return release


def page(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.content.decode()


# What it holds


def test_every_test_is_hidden_and_every_dev_item_is_open(release: Release, devs: int) -> None:
    counts = release.counts
    told = {name: counts[name] for name in ("items", "test", "dev", "open", "black_box")}
    dev = 2 * devs
    assert told == {"items": 12 + dev, "test": 12, "dev": dev, "open": dev, "black_box": 12}
    assert {subject["black_box"] for subject in counts["subjects"]} == {6}


def test_files_are_those_of_the_open_items(release: Release, devs: int) -> None:
    folders = {name.partition("/")[0] for name in files_of(release) if "/" in name}
    assert folders == ({"cmmlu", "csv", "jsonl", "parquet", "ti_mmlu_5shot"} if devs else set())
    assert {name for name in files_of(release) if "/" not in name} == DESCRIPTIONS
    assert not any("test" in name.split("/") for name in files_of(release))


def test_card_says_what_is_left_out_and_why(release: Release, devs: int) -> None:
    card = files_of(release)["README.md"].decode()
    every = "CMMLU, CSV, JSONL, Parquet and Ti-MMLU"
    said = {
        "Every test item is hidden, so a model cannot be scored with these files alone",
        "None of the 12 test items is published.",
        "Inspect: left out, because no test item is open.",
        f"- {every}: dev items only, because every test item is hidden." if devs
        else f"- {every}: left out, because no item is open.",
        "Every row carries this string" if devs else "This string marks the release",
    }  # fmt: skip
    assert {words for words in said if words not in card} == set()
    assert ("No item is open, so no key is told." in card) == (not devs)
    assert "12 further items" not in card


def test_loaders_are_pointed_to_the_list_only_where_nothing_is_open(
    release: Release, devs: int
) -> None:
    card = files_of(release)["README.md"].decode()
    assert ('path: "black_box.jsonl"' in card) == (not devs)
    croissant = json.loads(files_of(release)["croissant.json"])
    names = [each["name"] for each in croissant["recordSet"]]
    assert names == (["s0_dev", "s1_dev"] if devs else ["hidden"])
    (told,) = re.findall(r"Ti: (.*) of an evaluation", croissant["description"])
    assert told == ("6 multiple-choice items" if devs else "12 hidden multiple-choice items")


def test_release_verifies_itself(release: Release) -> None:
    found = verify(release_folder("ti", "0.1.0"), version=settings.VERSION)
    assert (found.problems, found.notes) == ((), ())


def test_shuffled_release_has_an_order_for_hidden_items_and_tells_none(project: Project) -> None:
    fill(project, devs=0)
    release = build(project, black_box_share=EVERYTHING, option_order="shuffled")
    assert not release.items.filter(option_order="").exists()
    assert b'"option_order": "' not in files_of(release)["ledger.jsonl"]
    assert "for open items only" in files_of(release)["README.md"].decode()


# What stays open all the same


def test_what_a_public_release_showed_stays_open_and_so_do_its_duplicates(
    project: Project,
) -> None:
    fill(project, subjects=1, tests=3, devs=0)
    build_published(project, "0.1.0")
    subject = project.subjects.get()
    twin, _new = (
        make_approved(project, uid=uid, subject=subject, question=f"དྲི་བ་ {uid}")
        for uid in ("twin", "new")
    )
    add_pair(Item.objects.get(uid="s0/0"), twin, PairState.DUPLICATE)
    later = build(project, "0.2.0", black_box_share=EVERYTHING)
    hidden = later.items.filter(subset=Subset.BLACK_BOX)
    assert list(hidden.values_list("uid", flat=True)) == ["new"]
    assert "Every test item is hidden" not in files_of(later)["README.md"].decode()


# Nothing leaves


def test_nothing_of_any_hidden_item_is_in_a_file_or_on_a_public_page(
    project: Project, devs: int
) -> None:
    fill(project, tests=3, devs=devs)
    uids = [f"s{subject}/{number}" for subject in range(2) for number in range(3)]
    for uid in uids:
        plant(uid)
    release = shown(build_published(project, black_box_share=EVERYTHING))
    later = shown(build_published(project, "0.2.0", black_box_share=EVERYTHING))
    # In quotes, tags or an address: `s0/1` alone may be a part of something else.
    ids = {f"{before}{uid}{after}" for uid in uids for before, after in ('""', "><", "//")}
    secrets = {each for uid in uids for each in markers(uid)} | ids
    given = files_of(release) | files_of(later)
    deposit = release_folder("ti", "0.2.0").parent / "deposit.zip"
    write_archive_of(later, deposit)
    given["deposit"] = deposit.read_bytes()
    for address in (
        *("", "files/", "items/", "changes/", "report/", "items/?subject=s0"),
        *(f"items/{placed.public_id}/" for placed in later.items.filter(subset="black-box")[:2]),
    ):
        given[f"page {address}"] = Client().get(f"/releases/ti/0.2.0/{address}").content
    for route in ("api:release", "api:release-manifest"):
        given[route] = Client().get(reverse(route, args=["ti", "0.2.0"])).content
    assert {name: found for name, data in given.items() if (found := found_in(data, secrets))} == {}


# What is said before, and how it is asked for


def test_readiness_says_so_beforehand(project: Project) -> None:
    fill(project)
    (found,) = [
        each
        for each in readiness(project, black_box_share=EVERYTHING).warnings
        if each.code == "every_test_hidden"
    ]
    assert found.items == ("s0: 6", "s1: 6")
    less = readiness(project, black_box_share=0.99).warnings
    assert "every_test_hidden" not in [each.code for each in less]
    build_published(project)
    shown_before = readiness(project, black_box_share=EVERYTHING).warnings
    assert "every_test_hidden" not in [each.code for each in shown_before]


def test_page_previews_and_builds_it(project: Project, manager: User) -> None:
    fill(project)
    client = Client()
    client.force_login(manager)
    data = {
        "version": "0.1.0", "dev_per_subject": "2", "black_box_percent": "100", "seed": "0",
        "formats": "csv",
    }  # fmt: skip
    preview = client.get("/projects/ti/releases/build/", data)
    assert preview.context["preview"].black_box == preview.context["preview"].test == 12
    assert "Every test item will be hidden." in preview.content.decode()
    client.post("/projects/ti/releases/build/", data)
    assert Release.objects.get().black_box_share == EVERYTHING


# What readers see, and what it is good for


def test_public_page_says_that_nothing_can_be_scored_with_the_files(
    release: Release, devs: int
) -> None:
    found = page("/releases/ti/0.1.0/")
    words = "Only the dev items are open" if devs else "No item is open, so nobody"
    assert words in " ".join(found.split())
    for control in ("Browse the items", "Report a problem", "How to load it"):
        assert (control in found) == bool(devs), control
    items = page("/releases/ti/0.1.0/items/")
    assert ("No item is open" in items) == (not devs)
    assert ("Id, or its beginning" in items) == bool(devs)


def test_page_of_members_says_so_too(release: Release, manager: User, devs: int) -> None:
    client = Client()
    client.force_login(manager)
    found = client.get("/projects/ti/releases/0.1.0/").content.decode()
    assert "Every test item is hidden." in found
    assert ("Files by format, split and subject" in found) == bool(devs)


def test_run_asks_and_scores_the_hidden_items(release: Release, project: Project) -> None:
    run = make_run(project, release, methods=("direct",))
    job = work_off(run, lambda _request: "A")
    assert (job.state, run.responses.count()) == ("done", 12)
