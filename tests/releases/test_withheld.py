"""A release that withholds only the answers: its texts are public, its keys are not."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Project
from releases.building.actions import BuildRequest, start_build
from releases.enums import HiddenPart, Subset
from releases.files.storage import release_folder
from releases.models import Release
from releases.publishing.actions import publish_release
from releases.publishing.audience import show_to_everybody
from releases.readiness.checks import TextsPublished
from releases.readiness.report import readiness
from releases.splits import EVERYTHING
from releases.verification.checking import verify
from tests.releases.builders import NOW, build, build_published, files_of, fill
from tests.releases.markers import found_in
from tests.releases.test_leaks import marker, plant

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(project: Project) -> Release:
    fill(project)
    return build_published(project, black_box_share=0.5, hidden_part=HiddenPart.WITHHELD)


def rows_of(release: Release) -> list[dict[str, object]]:
    return [json.loads(line) for line in files_of(release)["withheld.jsonl"].splitlines()]


def test_texts_of_hidden_items_are_published_without_key_or_source(release: Release) -> None:
    hidden = list(
        release.items.filter(subset=Subset.BLACK_BOX).select_related("revision", "subject")
    )
    assert rows_of(release) == [
        {
            "id": each.public_id,
            "subject": each.subject.slug,
            "kind": "choice",
            "question": each.revision.question,
            "choices": list(each.options),
            "direction": "",
            "canary": rows_of(release)[0]["canary"],
        }
        for each in sorted(hidden, key=lambda item: item.position)
    ]
    assert len(hidden) == 6


def test_files_hold_the_text_of_a_withheld_item_and_nothing_else_of_it(project: Project) -> None:
    fill(project)
    first = build_published(project, black_box_share=0.5, hidden_part=HiddenPart.WITHHELD)
    uid = first.items.filter(subset=Subset.BLACK_BOX)[0].uid
    plant(uid)
    second = build(project, "0.2.0", black_box_share=0.5, hidden_part=HiddenPart.WITHHELD)
    everything = b"\n".join(files_of(second).values())
    places = ("source question", "source option", "explanation", "metadata", "reason of a key")
    assert found_in(everything, {marker(uid, place) for place in places}) == set()
    assert f'"{uid}"'.encode() not in everything
    told = {marker(uid, place) for place in ("question", "option")}
    assert found_in(files_of(second)["withheld.jsonl"], told) == told
    others = {name: data for name, data in files_of(second).items() if name != "withheld.jsonl"}
    plain = [data for name, data in others.items() if not name.endswith(".zip")]
    assert found_in(b"\n".join(plain), told) == set()


def test_option_order_of_the_file_is_that_of_the_key(project: Project) -> None:
    fill(project)
    found = build_published(
        project, black_box_share=0.5, hidden_part=HiddenPart.WITHHELD, option_order="shuffled"
    )
    rows = {row["id"]: row for row in rows_of(found)}
    for placed in found.items.filter(subset=Subset.BLACK_BOX).select_related("revision"):
        own = placed.revision.options["ABCD".index(placed.item_key)]
        assert rows[placed.public_id]["choices"]["ABCD".index(placed.key)] == own


def test_a_good_release_verifies(release: Release) -> None:
    folder = release_folder(release.project.slug, release.version)
    assert verify(folder, content_hash=release.content_hash).problems == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda row: {**row, "answer": 1},
        lambda row: {**row, "id": "hidden-other"},
        lambda row: {**row, "choices": row["choices"][:2]},
        lambda row: {**row, "canary": "none"},
    ],
    ids=["a key", "another id", "fewer options", "another canary"],
)
def test_a_changed_row_is_found_even_if_nothing_else_tells_it(release: Release, change) -> None:
    path = release_folder(release.project.slug, release.version) / "withheld.jsonl"
    rows = rows_of(release)
    rows[0] = change(rows[0])
    path.chmod(0o644)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    problems = verify(path.parent).problems
    assert any(each.file == "withheld.jsonl" and each.code == "rows" for each in problems)


def test_texts_in_a_closed_release_are_found(project: Project) -> None:
    fill(project)
    closed = build_published(project, black_box_share=0.5)
    folder = release_folder(project.slug, closed.version)
    assert not (folder / "withheld.jsonl").exists()
    (folder / "withheld.jsonl").write_text("")
    assert "This release must not tell texts of hidden items." in {
        each.detail for each in verify(folder).problems
    }


def test_card_and_metadata_say_that_answers_are_withheld(release: Release) -> None:
    files = files_of(release)
    card = files["README.md"].decode()
    assert "The answers to 6 of the test items are withheld" in card
    assert "anybody can match these items with the source and look up their keys" in card
    assert '- config_name: "withheld"' in card
    assert "black box: only" not in card
    croissant = json.loads(files["croissant.json"])
    assert "withheld" in {each["name"] for each in croissant["recordSet"]}
    assert json.loads(files["manifest.json"])["hidden_part"] == "withheld"


def test_manifest_of_a_closed_release_is_as_it_was(project: Project) -> None:
    fill(project)
    assert "hidden_part" not in json.loads(files_of(build(project))["manifest.json"])


def test_public_page_says_that_answers_are_withheld(release: Release) -> None:
    show_to_everybody(release=release, actor=None, now=NOW)
    address = reverse("releases:public-release", args=[release.project.slug, release.version])
    page = Client().get(address).content.decode()
    assert "Answers are withheld." in page
    assert "withheld.jsonl" in page


def test_published_texts_cannot_be_closed_again(release: Release) -> None:
    project = release.project
    with pytest.raises(TextsPublished):
        request = BuildRequest(version="0.2.0", black_box_share=0.5)
        start_build(project=project, request=request, actor=None, now=NOW)
    codes = {
        each.code for each in readiness(project, black_box_share=0.5, hidden_part="closed").blocking
    }
    assert "texts_published" in codes
    assert "texts_published" not in {each.code for each in readiness(project).blocking}


def test_a_closed_build_is_not_published_after_its_texts_were(project: Project) -> None:
    fill(project)
    closed = build(project, "0.2.0", black_box_share=0.5)
    build_published(project, "0.1.0", black_box_share=0.5, hidden_part=HiddenPart.WITHHELD)
    with pytest.raises(TextsPublished):
        publish_release(release=closed, actor=None, now=NOW)


def test_readiness_says_what_withholding_is_worth(project: Project) -> None:
    fill(project)
    found = readiness(project, black_box_share=EVERYTHING, hidden_part=HiddenPart.WITHHELD)
    words = {each.code: str(each.words) for each in found.warnings}
    assert "look up the keys" in words["hidden_source_public"]
    assert "people send answers to this server" in words["every_test_hidden"]
