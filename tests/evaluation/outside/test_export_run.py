"""Answers of a run leave in files of other programs, and our own readers find them there again."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import StringIO
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import User
from endpoints.providers.base import ChatReply, ChatRequest, EndpointRefused
from endpoints.providers.recorded import NullProvider
from evaluation.models import ModelResponse, Run
from evaluation.outside import exporting
from evaluation.outside.exporting import asked_questions, exported_file
from evaluation.outside.readers import READERS
from evaluation.outside.readers.base import OutsideAnswer
from evaluation.outside.writers import FORMATS, WRITERS
from evaluation.results.queries.figures import run_counts
from evaluation.runs.execution import perform_run
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from releases.enums import Subset
from releases.models import Release
from scoring.scorers import SCORERS
from tests.evaluation.builders import QUICK, asked_uid, make_release, make_run
from tests.evaluation.results.test_number_items import add_numbers
from tests.factories import ModelSpecFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Member = Callable[[Role], User]
ALL = ("anchored", "direct", "numeric")
FAILED = "failed"
SAID = {
    "history/test-0": ("A", "The answer is B.\nNo: <b>", FAILED),
    "history/test-1": ("ངས་མི་ཤེས།", "B", ""),
    "history/test-2": (FAILED, FAILED, FAILED),
    "history/test-3": ("D", "A", "D\u2028"),
    "maths/0": ("1200", "41", "¥1,200"),
    "maths/1": ("-1.5", "3.5", "no number"),
    "maths/2": (FAILED, "3/4", "0.75"),
}
"""What the endpoint answers to each item, by epoch."""


class Scripted(NullProvider):
    """Answers as SAID; the seed of a request tells its epoch."""

    def __init__(self) -> None:
        super().__init__(self.said)

    @staticmethod
    def said(request: ChatRequest) -> str:
        return SAID[asked_uid(request)][int(str(request.parameters["seed"])) - 1]

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self.said(request) == FAILED:
            raise EndpointRefused("400 too long")
        return await super().complete(request)


@pytest.fixture
def release(project: Project) -> Release:
    """Four items with options, of which the last is hidden, and three that a number answers."""
    made = make_release(project, subjects={"history": "Humanities"}, tests=4, hidden=1)
    add_numbers(project, made)
    made.items.filter(subset=Subset.BLACK_BOX).update(public_id="hidden-1")
    return made


def asked(project: Project, release: Release, **settings: Any) -> Run:
    spec = ModelSpecFactory(project=project, parameters={"seed": 1})
    run = make_run(project, release, spec=spec, **{"methods": ALL, "epochs": 3} | settings)
    limits = replace(QUICK, failing_calls=50)
    run_now(run.job, partial(perform_run, connect=lambda spec: Scripted(), limits=limits))
    run.refresh_from_db()
    return run


def stored(run: Run, *, with_hidden: bool = True) -> set[tuple[str, int, str, float]]:
    """The answers of a run with what its headline method for the kind says of them."""
    found = set()
    for response in ModelResponse.objects.filter(run=run, state="answered"):
        placed = response.release_item
        method = "numeric" if placed.kind == "number" else "anchored"
        score = response.scores.get(method=method, version=SCORERS[method].version)
        if with_hidden or placed.subset != Subset.BLACK_BOX:
            row = (placed.public_id, response.epoch, response.text, float(score.is_correct))
            found.add(row)
    return found


def facts(answers: Iterator[OutsideAnswer]) -> set[tuple[str, int, str, float | None]]:
    return {(each.uid, each.epoch, each.text, each.is_right) for each in answers}


def written(run: Run, folder: Path, name: str, *words: str) -> list[Path]:
    out = StringIO()
    call_command(
        "export_run", "ti", str(run.pk), "--format", name, "--output", str(folder), *words,
        "--json", stdout=out,
    )  # fmt: skip
    return list(map(Path, json.loads(out.getvalue())["files"]))


@pytest.mark.parametrize("name", FORMATS)
def test_own_reader_finds_every_answer_with_its_epoch_and_score(
    project: Project, release: Release, tmp_path: Path, name: str
) -> None:
    run = asked(project, release)

    file = written(run, tmp_path / "made", name, "--hidden")[0]

    answers = list(READERS[name](file))
    assert facts(iter(answers)) == stored(run)
    assert len(answers) == len(stored(run)) == 16
    assert {each.measure.removeprefix("exact_match,") for each in answers} == {
        "anchored", "numeric",
    }  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_exported_run_is_imported_with_the_same_scores(
    project: Project, release: Release, tmp_path: Path, name: str
) -> None:
    run = asked(project, release)
    file = written(run, tmp_path, name, "--hidden")[0]

    call_command(
        "import_run", "ti", release.version, str(file), "--format", name, "--model", "again",
        "--method", ",".join(ALL), stdout=StringIO(),
    )  # fmt: skip

    again = Run.objects.get(imported_from=name)
    assert stored(again) == stored(run)
    assert again.headline_accuracy == run.headline_accuracy
    assert again.import_report["unjoined"] == again.import_report["doubled"] == 0


@pytest.mark.parametrize("name", FORMATS)
def test_rotated_run_is_imported_with_its_rotation_and_scores(
    project: Project, release: Release, tmp_path: Path, name: str
) -> None:
    run = asked(project, release, rotation=1)
    file = written(run, tmp_path, name, "--hidden")[0]

    call_command(
        "import_run", "ti", release.version, str(file), "--format", name, "--model", "again",
        "--method", ",".join(ALL), stdout=StringIO(),
    )  # fmt: skip

    again = Run.objects.get(imported_from=name)
    assert again.rotation == 1
    assert stored(again) == stored(run)
    assert again.headline_accuracy == run.headline_accuracy


def test_sample_whose_texts_contradict_its_rotation_is_refused(
    project: Project, release: Release, tmp_path: Path
) -> None:
    file = written(asked(project, release, rotation=1), tmp_path, "lm_eval")[0]
    lines = file.read_text("utf-8").split("\n")
    lines[0] = lines[0].replace('"option_rotation": 1', '"option_rotation": 2')
    file.write_text("\n".join(lines), "utf-8")

    with pytest.raises(
        CommandError, match=r"than the rotation that the file says: .*:1 \(history/test-0\)"
    ):
        call_command(
            "import_run", "ti", release.version, str(file), "--format", "lm_eval",
            "--model", "again", stdout=StringIO(),
        )  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_hidden_items_are_left_out_unless_asked_for(
    project: Project, release: Release, tmp_path: Path, name: str
) -> None:
    run = asked(project, release)
    hidden = release.items.get(subset=Subset.BLACK_BOX)

    files = written(run, tmp_path, name)

    assert facts(READERS[name](files[0])) == stored(run, with_hidden=False)
    for file in files:
        text = file.read_text("utf-8")
        for secret in (hidden.public_id, hidden.uid, hidden.revision.question):
            assert secret not in text


def test_run_of_hidden_items_alone_names_the_way_out(project: Project, release: Release) -> None:
    run = asked(project, release)
    release.items.update(subset=Subset.BLACK_BOX)

    with pytest.raises(CommandError, match="Choose the files with hidden items"):
        call_command("export_run", "ti", str(run.pk), "--format", "inspect", "--output", "x")


def test_samples_are_documents_by_method_and_results_agree_with_them(
    project: Project, release: Release, tmp_path: Path
) -> None:
    run = asked(project, release)

    samples, results = written(run, tmp_path, "lm_eval", "--hidden")

    lines = [json.loads(line) for line in samples.read_bytes().splitlines()]
    first = next(each for each in lines if each["doc"]["id"] == "history/test-0")
    assert first["doc"] == {
        "id": "history/test-0", "subject": "history", "kind": "choice",
        "question": "འདྲི་བ་ history/test-0 ག་རེ་རེད།",
        "choices": ["ལན་ 0 ཀ", "ལན་ 0 ཁ", "ལན་ 0 ག", "ལན་ 0 ང"], "answer": 0, "reference": "",
    }  # fmt: skip
    assert (first["filter"], first["target"], first["exact_match"]) == ("anchored", "A", 0.5)
    assert first["resps"] == [list(SAID["history/test-0"][:2])]
    choices = ("history/test-0", "history/test-1", "hidden-1")
    assert [(each["doc"]["id"], each["filter"]) for each in lines] == [
        *((uid, method) for uid in choices for method in ("anchored", "direct")),
        *((f"maths/{number}", "numeric") for number in range(3)),
    ]
    unread = next(each for each in lines if each["doc"]["id"] == "history/test-1")
    assert unread["filtered_resps"] == [["[invalid]", "B", "[invalid]"]]
    assert (unread["epochs"], unread["exact_match_by_epoch"]) == ([1, 2, 3], [0.0, 1.0, 0.0])
    told = json.loads(results.read_text("utf-8"))
    for method in ALL:
        values = [each["exact_match"] for each in lines if each["filter"] == method]
        mean = told["results"]["ti"][f"exact_match,{method}"]
        assert mean == pytest.approx(sum(values) / len(values))
    assert told["n-samples"] == {"ti": {"original": 7, "effective": 6}}
    assert samples.name.partition("_ti_")[2] == results.name.partition("_")[2] + "l"


def test_log_says_what_failed_and_where_no_method_found_an_answer(
    project: Project, release: Release, tmp_path: Path
) -> None:
    run = asked(project, release)

    (file,) = written(run, tmp_path, "inspect", "--hidden")

    log = json.loads(file.read_text("utf-8"))
    samples = {(each["id"], each["epoch"]): each for each in log["samples"]}
    assert len(samples) == 21
    failed = samples["history/test-0", 3]
    assert failed["error"]["message"] == "endpoint-refused: 400 too long"
    assert "scores" not in failed
    assert samples["history/test-1", 1]["scores"]["anchored"]["value"] == "N"
    assert samples["history/test-0", 2]["scores"]["anchored"]["value"] == "I"
    assert samples["maths/0", 1]["target"] == "1200"
    assert log["results"]["total_samples"] == 21
    assert log["results"]["completed_samples"] == 16


def test_rotated_options_are_those_that_the_model_saw(
    project: Project, release: Release, tmp_path: Path
) -> None:
    run = asked(project, release, rotation=1, methods=("anchored",))

    (file,) = written(run, tmp_path, "inspect")

    sample = json.loads(file.read_text("utf-8"))["samples"][0]
    assert (sample["id"], sample["target"]) == ("history/test-0", "D")
    assert sample["choices"] == ["ལན་ 0 ཁ", "ལན་ 0 ག", "ལན་ 0 ང", "ལན་ 0 ཀ"]
    assert sample["scores"]["anchored"]["answer"] == "A"
    assert sample["scores"]["anchored"]["value"] == "I"


def test_number_of_queries_does_not_grow_with_the_answers(
    project: Project, release: Release, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for epochs in (1, 3):
        run = asked(project, release, epochs=epochs, is_asked_again=True)
        run_counts(run)
        with django_assert_num_queries(9):
            list(asked_questions(run, with_hidden=True))


def test_answers_are_read_some_at_a_time(
    project: Project, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = asked(project, release)
    whole = list(asked_questions(run, with_hidden=True))

    monkeypatch.setattr(exporting, "CHUNK", 2)

    assert list(asked_questions(run, with_hidden=True)) == whole


@pytest.mark.parametrize("name", WRITERS)
def test_file_of_many_answers_is_never_held_whole(
    project: Project, release: Release, name: str
) -> None:
    run = asked(project, release)
    first = next(asked_questions(run, with_hidden=True))
    told = exporting.run_facts(run, with_hidden=True)
    tracemalloc.start()
    sizes = map(len, WRITERS[name].pieces(told, repeat(first, 4_000)))
    size = sum(sizes)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300_000
    assert size > 2_000_000 or name == "lm_eval_results"


@pytest.mark.parametrize("name", WRITERS)
def test_manager_downloads_by_page_and_by_api_what_the_command_writes(
    project: Project,
    release: Release,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
    name: str,
) -> None:
    run, manager = asked(project, release), member(Role.MANAGER)

    for hidden in (False, True):
        file, _media_type, pieces = exported_file(run, name, with_hidden=hidden)
        page = browser_of(manager).get(
            f"/projects/ti/runs/{run.pk}/export/{name}/", {"hidden": "1"} if hidden else {}
        )
        answer = api_of(manager).get(
            f"/api/v1/runs/{run.pk}/export/", {"format": name, "hidden": hidden}
        )
        content = "".join(pieces)
        assert b"".join(page).decode() == b"".join(answer).decode() == content
        assert page["Content-Disposition"] == f'attachment; filename="{file}"'


@pytest.mark.parametrize("role", [Role.SENIOR, Role.VIEWER])
def test_others_get_no_answers_and_see_no_link(
    project: Project,
    release: Release,
    member: Member,
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
    role: Role,
) -> None:
    run, user = asked(project, release), member(role)
    Release.objects.update(state="published")

    shown = browser_of(user).get(f"/projects/ti/runs/{run.pk}/")
    page = browser_of(user).get(f"/projects/ti/runs/{run.pk}/export/inspect/")
    answer = api_of(user).get(f"/api/v1/runs/{run.pk}/export/")

    assert (shown.status_code, page.status_code, answer.status_code) == (200, 403, 403)
    assert "/export/" not in shown.content.decode()


def test_run_without_answers_is_refused(
    project: Project, release: Release, member: Member, browser_of: Callable[[User], Client]
) -> None:
    run = make_run(project, release)

    page = browser_of(member(Role.MANAGER)).get(f"/projects/ti/runs/{run.pk}/export/inspect/")

    assert page.status_code == 409
