"""A release is looked for in reference texts: which items overlap, and where its canary stands."""

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from releases.files.manifest import canary_string
from releases.models import Release
from tests.evaluation.builders import make_release
from tests.factories import ModelSpecFactory


@pytest.fixture
def release(project: Project) -> Release:
    release = make_release(project, subjects={"history": ""}, tests=3)
    for number, placed in enumerate(release.items.order_by("position")):
        text = f"{'བོད་ཀྱི་ལོ་རྒྱུས་' * 3}{'ཀཁགང'[number] * 30}"
        type(placed.revision).objects.filter(pk=placed.revision_id).update(question=text)
    return release


def command(release: Release, path: Path, *words: str) -> Any:
    out = StringIO()
    call_command(
        "contamination",
        "ti",
        release.version,
        "--reference",
        str(path),
        *words,
        "--json",
        stdout=out,
    )
    return json.loads(out.getvalue())


def test_overlapping_items_are_named_with_their_places(release: Release, tmp_path: Path) -> None:
    first = release.items.order_by("position")[0]
    path = tmp_path / "r.txt"
    path.write_text(f"before\n{'ཀ' * 30}\nafter\n", "utf-8")

    found = command(release, path)

    assert (found["size"], found["unit"], found["texts"], found["too_short"]) == (
        30, "characters", 1, 0,
    )  # fmt: skip
    assert (found["overall"]["flagged"], found["overall"]["n"]) == (1, 3)
    assert found["subjects"]["history"] == found["overall"]
    assert [(item["id"], item["hits"][0]["place"]) for item in found["items"]] == [
        (first.public_id, "r.txt:1")
    ]
    assert found["canaries"] == []


def test_canary_is_found(release: Release, tmp_path: Path) -> None:
    canary = canary_string(project="ti", version=release.version, seed=release.seed)
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"text": f"x {canary} y"}) + "\n", "utf-8")

    assert command(release, path)["canaries"] == ["r.jsonl:1"]


def test_items_go_to_a_file_and_a_broken_reference_is_refused(
    release: Release, tmp_path: Path
) -> None:
    path, output = tmp_path / "r.txt", tmp_path / "out.jsonl"
    path.write_text("ཁ" * 40, "utf-8")

    assert command(release, path, "--output", str(output))["items"] == []
    assert json.loads(output.read_text("utf-8"))["subject"] == "history"
    with pytest.raises(CommandError, match="cannot be read"):
        command(release, tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("published", "seen", "words"),
    [
        (datetime(2024, 6, 30, tzinfo=UTC), True, "the release of 2024-06 may have been seen"),
        (datetime(2024, 7, 1, tzinfo=UTC), False, "the release of 2024-07 was published later"),
        (None, False, "the release is not published"),
    ],
)
def test_models_say_whether_they_may_have_seen_the_release(
    release: Release, tmp_path: Path, *, published: datetime | None, seen: bool, words: str
) -> None:
    Release.objects.update(published_at=published)
    for name, cutoff in (("a", "2024-06"), ("b", "")):
        ModelSpecFactory(project=release.project, name=name, cutoff=cutoff)
    path, out = tmp_path / "r.txt", StringIO()
    path.write_text("x", "utf-8")

    found = command(release, path)
    call_command("contamination", "ti", release.version, "--reference", str(path), stdout=out)

    assert found["models"] == [
        {"name": "a", "cutoff": "2024-06", "may_have_seen": seen},
        {"name": "b", "cutoff": "", "may_have_seen": None},
    ]
    assert f"model a, trained on texts until 2024-06: {words}" in out.getvalue()
    assert "model b: the end of its training data is not stated" in out.getvalue()
