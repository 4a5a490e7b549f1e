"""The order in which options were shown is read from texts, or an import is refused."""

import json
from collections.abc import Callable, Sequence
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import Run
from evaluation.outside import orders
from evaluation.outside.orders import ANY_ROTATION
from evaluation.outside.readers.base import OutsideAnswer
from projects.models import Project
from releases.models import Release
from tests.evaluation.builders import make_release
from tests.evaluation.outside.test_export_run import asked, stored, written

OPTIONS = {
    "Tibetan": ("ལྷ་ས།", "གཞིས་ཀ་རྩེ།", "ཆབ་མདོ།", "ནག་ཆུ།"),
    "Lao": ("ນ້ຳ", "ນ້ຳໄຟ", "ແມ່ນ້ຳ", "ຝົນ"),
    "Chinese": ("水", "水火", "江水", "雨"),
    "numbers": ("1", "12", "-12", "112"),
    "English": ("a", "A. b", "b", "c. a"),
    "Arabic": ("ماء", "ماء النهر", "نهر", "مطر"),
}
LINES = ("{label}. {option}", "({label}) {option} ", "{label}：{option}")
LABELS = ("ABCD", "ཀཁགང", "1234")


def rotations_of(answer: OutsideAnswer, options: tuple[str, ...]) -> frozenset[int] | None:
    return orders.rotations_of(answer, "Q?", options)


def shown(*options: str, prompt: str = "", rotation: int | None = None) -> OutsideAnswer:
    return OutsideAnswer(
        "f", 1, "s/1", "A", "Q?", options=options, prompt=prompt, rotation=rotation
    )


def prompt_of(options: Sequence[str], line: str, labels: str) -> str:
    rows = [line.format(label=a, option=b) for a, b in zip(labels, options, strict=True)]
    example = "Q0?\n" + "\n".join(line.format(label=a, option=a) for a in labels)
    return "\n".join([example, "Q?", *rows, f"Answer with {' / '.join(labels)}."])


@pytest.mark.parametrize("own", OPTIONS.values(), ids=OPTIONS)
def test_listed_options_tell_every_rotation_that_gives_them(own: tuple[str, ...]) -> None:
    for rotation in range(4):
        turned = own[rotation:] + own[:rotation]

        found = rotations_of(shown(*turned), own)

        assert found == {each for each in ANY_ROTATION if each % 4 == rotation}
        assert rotations_of(shown(*turned, rotation=rotation), own) == {rotation}
        assert rotations_of(shown(*turned, rotation=rotation + 1), own) == set(), rotation


@pytest.mark.parametrize("own", OPTIONS.values(), ids=OPTIONS)
def test_prompt_tells_the_rotation_if_each_option_is_on_one_line(own: tuple[str, ...]) -> None:
    turned = own[1:] + own[:1]
    for labels, line in product(LABELS, LINES):
        prompt = prompt_of(turned, line, labels)

        assert rotations_of(shown(prompt=prompt), own) == {1, 5, 9}, prompt
        assert rotations_of(shown(*own, prompt=prompt), own) == {1, 5, 9}, prompt


def test_another_order_fits_no_rotation_even_if_a_text_was_changed() -> None:
    own = OPTIONS["Tibetan"]

    assert rotations_of(shown(own[1], own[0], *own[2:]), own) == set()
    assert rotations_of(shown(own[1], own[0], "changed", own[3]), own) == set()
    assert rotations_of(shown(*own[:3], "changed"), own) == {0}
    assert rotations_of(shown(*own[1:3], "changed", own[0], rotation=1), own) == {1}


@pytest.mark.parametrize(
    "answer",
    [
        shown(),
        shown("other", "texts"),
        shown(prompt="Q?\nA. ལྷ་ས། B. གཞིས་ཀ་རྩེ།"),
        shown(prompt="Q?\n" + "\n".join(f"A. {each}" for each in OPTIONS["Tibetan"] * 2)),
    ],
)
def test_what_is_not_sure_tells_nothing(answer: OutsideAnswer) -> None:
    assert rotations_of(answer, OPTIONS["Tibetan"]) is None


def test_items_without_options_have_the_rotation_that_the_file_says() -> None:
    assert rotations_of(shown("12"), ()) is None
    assert rotations_of(shown("12", rotation=2), ()) == {2}


Change = Callable[[dict[str, Any]], None]


def keep(sample: dict[str, Any]) -> None:
    """Leave a sample as it is."""


def drop_options(sample: dict[str, Any]) -> None:
    sample.get("doc", sample).pop("choices")


def drop_prompt(sample: dict[str, Any]) -> None:
    for name in ("arguments", "input", "messages"):
        sample.pop(name, None)


def drop_all(sample: dict[str, Any]) -> None:
    drop_options(sample)
    drop_prompt(sample)


def swap(sample: dict[str, Any]) -> None:
    drop_prompt(sample)
    options = sample.get("doc", sample)["choices"]
    options[:2] = reversed(options[:2])


def old(path: Path, change: Change, *, only: int | None = None) -> Path:
    """Make a file as it was before `option_rotation` was written; `change` its samples too."""
    is_log = path.suffix == ".json"
    log = json.loads(path.read_text("utf-8")) if is_log else {}
    lines = [line for line in path.read_text("utf-8").split("\n") if line]
    samples = log["samples"] if is_log else [json.loads(line) for line in lines]
    for place, sample in enumerate(samples):
        sample.pop("option_rotation", None)
        sample.get("metadata", {}).pop("option_rotation", None)
        if only is None or place == only:
            change(sample)
    text = json.dumps(log) if is_log else "\n".join(map(json.dumps, samples))
    path.write_text(text, "utf-8")
    return path


def bring_in(release: Release, path: Path) -> Run:
    call_command(
        "import_run", "ti", release.version, str(path), "--model", "again",
        "--method", "anchored", stdout=StringIO(),
    )  # fmt: skip
    return Run.objects.get(model_spec__name="again")


@pytest.fixture
def release(project: Project) -> Release:
    made = make_release(project, subjects={"history": "Humanities"}, tests=4)
    made.items.filter(position=3).update(public_id="hidden-1")
    return made


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["lm_eval", "inspect"])
@pytest.mark.parametrize("change", [keep, drop_options, drop_prompt])
def test_old_export_of_a_rotated_run_gets_its_rotation_and_scores_back(
    project: Project, release: Release, tmp_path: Path, name: str, change: Change
) -> None:
    run = asked(project, release, rotation=3, methods=("anchored",))

    again = bring_in(release, old(written(run, tmp_path, name)[0], change))

    assert again.rotation == 3
    assert stored(again) == stored(run)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["lm_eval", "inspect"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (swap, r"1 answers are to options in another order .*:\d+ \(history/test-1\)"),
        (drop_all, r"of 1 others the file does not tell the order: .*:\d+ \(history/test-1\)"),
    ],
)
def test_rows_whose_order_is_another_or_unknown_are_named(
    project: Project, release: Release, tmp_path: Path, name: str, change: Change, words: str
) -> None:
    run = asked(project, release, rotation=3, epochs=1, methods=("anchored",))
    path = old(written(run, tmp_path, name)[0], change, only=1)

    with pytest.raises(CommandError, match=words):
        bring_in(release, path)

    assert Run.objects.count() == 1


def csv_of(release: Release, path: Path, *, turn: int, by_letter: bool) -> Path:
    rows = []
    for placed in release.items.select_related("revision").order_by("position"):
        options = placed.options[turn:] + placed.options[:turn]
        listed = json.dumps(options, ensure_ascii=False).replace('"', '""')
        cells = ",".join(options) if by_letter else f'"{listed}"'
        rows.append(f"{placed.public_id},A,{cells}")
    heading = "A,B,C,D" if by_letter else "Options"
    path.write_text("\n".join([f"id,answer,{heading}", *rows]), "utf-8")
    return path


@pytest.mark.django_db
@pytest.mark.parametrize("by_letter", [True, False])
def test_table_with_options_gets_its_rotation(
    release: Release, tmp_path: Path, *, by_letter: bool
) -> None:
    run = bring_in(release, csv_of(release, tmp_path / "a.csv", turn=1, by_letter=by_letter))

    assert run.rotation == 1
    assert [
        score.letter
        for response in run.responses.order_by("pk")
        for score in response.scores.filter(method="anchored")
    ] == ["B"] * 4


@pytest.mark.django_db
def test_table_of_two_rotations_is_refused(release: Release, tmp_path: Path) -> None:
    one = csv_of(release, tmp_path / "a.csv", turn=1, by_letter=False).read_text("utf-8")
    two = csv_of(release, tmp_path / "b.csv", turn=2, by_letter=False).read_text("utf-8")
    mixed = tmp_path / "c.csv"
    mixed.write_text("\n".join(one.split("\n")[:3] + two.split("\n")[3:]), "utf-8")

    with pytest.raises(CommandError, match=r"several rotations \(1, 2\)"):
        bring_in(release, mixed)
