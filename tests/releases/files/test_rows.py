"""What rows carry, and how many there are of each sort."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from annotation.enums import ItemKind
from annotation.models import Item, Revision
from projects.models import Project, Subject
from releases.enums import HiddenPart
from releases.files.content import released_items
from releases.files.exporters.base import Row
from tests.releases.builders import build, files_of, fill, make_approved

pytestmark = pytest.mark.django_db


def test_rows_carry_what_users_ask_for(project: Project) -> None:
    fill(project, subjects=1, tests=2, devs=0)
    Item.objects.filter(uid="s0/1").update(
        level="3",
        year="2020",
        question="问？",
        options=["甲", "乙", "丙", "丁"],
        explanation="因为",
    )
    Subject.objects.update(level="college")
    release = build(project)
    first, second = (
        json.loads(line) for line in files_of(release)["jsonl/test/s0.jsonl"].splitlines()
    )
    assert second | {"canary": ""} == {
        "id": "s0/1",
        "subject": "s0",
        "question": "འདྲི་བ་ s0/1 ག་རེ་རེད།",
        "choices": [f"ལན་ s0/1 {letter}" for letter in "ཀཁགང"],
        "answer": 0,
        "explanation": "",
        "category": "Science",
        "level": "3",
        "year": "2020",
        "kind": "choice",
        "split": "test",
        "source_question": "问？",
        "source_choices": ["甲", "乙", "丙", "丁"],
        "source_ids": ["s0/1"],
        "reference": "",
        "source_reference": "",
        "source_explanation": "因为",
        "direction": "",
        "canary": "",
    }
    assert first["level"] == "college"


def test_sizes_by_level_and_number_of_options_are_in_manifest_figures_and_card(
    project: Project,
) -> None:
    fill(project, subjects=1, tests=3, devs=1)
    Item.objects.filter(uid="s0/1").update(level="3")
    Revision.objects.filter(translation__item__uid="s0/1").update(options=["ཀ", "ཁ"])
    files = files_of(build(project))
    counts: Any = json.loads(files["manifest.json"])["counts"]
    figures: Any = json.loads(files["quality.json"])["release"]
    assert counts["levels"] == figures["levels"] == {"3": 1}
    assert counts["option_counts"] == figures["option_counts"] == {"2": 1, "4": 3}
    card = files["README.md"].decode()
    assert "| 2 | 1 |\n| 4 | 3 |" in card
    assert "| level | open items |" in card


def test_hidden_items_are_in_no_row(project: Project) -> None:
    fill(project, subjects=1, tests=10)
    release = build(project, black_box_share=0.5)
    told = [item.told for item in released_items(release)]
    ids = {row.id for row in told if isinstance(row, Row)}
    assert ids == set(release.items.filter(subset="open").values_list("uid", flat=True))
    assert len(ids) == 8


@pytest.mark.parametrize("part", [HiddenPart.CLOSED, HiddenPart.WITHHELD])
def test_rows_of_items_that_ask_for_a_translation_tell_its_direction(
    project: Project, part: str
) -> None:
    for uid, direction in (("t/1", "zh-bo"), ("t/2", "zho_Hans-lao_Laoo"), ("t/3", "bo-zh")):
        asks = {"kind": ItemKind.TRANSLATION, "metadata": {"direction": direction}, "key": ""}
        item = make_approved(project, uid=uid, options=[], answer="ལྷ་ས།", **asks)
        Revision.objects.filter(translation__item=item).update(options=[], answer="ལྷ་ས།")
    make_approved(project, uid="c/1")
    share = Decimal("0.5") if part == HiddenPart.WITHHELD else Decimal(0)
    release = build(project, black_box_share=share, hidden_part=part)

    found = directions(files_of(release))

    wanted = {"t/1": "zh-bo", "t/2": "zh-Hans-lo-Laoo", "t/3": "bo-zh", "c/1": ""}
    public = dict(release.items.values_list("public_id", "uid"))
    assert {public[uid]: direction for uid, direction in found.items()} == wanted


def directions(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the direction of each item of which a file has the text, by its public id."""
    names = [name for name in files if name.startswith("jsonl/") or name == "withheld.jsonl"]
    rows = [json.loads(line) for name in names for line in files[name].splitlines()]
    return {row["id"]: row["direction"] for row in rows}
