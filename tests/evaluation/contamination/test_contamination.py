"""A release is looked for in reference texts: which items overlap, and where its canary stands."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from releases.files.manifest import canary_string
from releases.models import Release
from tests.evaluation.builders import make_release


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
