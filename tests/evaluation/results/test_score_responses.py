"""The command `score_responses`: what it prints, what it writes, and how it refuses."""

import errno
import io
import itertools
import json
import os
import signal
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line

from scoring import file_scoring, response_files
from scoring.response_files import Chunk
from scoring.response_rows import ResponseRow, RowReader
from scoring.result_files import staged_folder

AGRONOMY: list[tuple[str, str | None]] = [
    ("B", "B"),
    ("C", "A, B, C, D: C"),
    ("A", "A or B: ཁ"),
    ("D", "<think>A</think>"),
]
ARTS: list[tuple[str, str | None]] = [("A", "ལན་ནི་ཀ།"), ("B", None)]


def run(*arguments: object) -> str:
    """What the command prints to standard output."""
    out = io.StringIO()
    call_command("score_responses", *map(str, arguments), stdout=out)
    return out.getvalue()


def write_subject(folder: Path, subject: str, pairs: list[tuple[str, str | None]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{subject}_m1_out.jsonl"
    rows = [
        {"loc": f"{subject}{index}", "answer": answer, "model_result": response}
        for index, (answer, response) in enumerate(pairs)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def files_under(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "m1"
    write_subject(folder, "agronomy", AGRONOMY)
    write_subject(folder, "arts", ARTS)
    return folder


@pytest.fixture
def categories(tmp_path: Path) -> Path:
    path = tmp_path / "categories.json"
    path.write_text('{"agronomy": "Other", "arts": "Humanities"}', encoding="utf-8")
    return path


def test_score_responses_json_is_the_only_output_and_holds_every_rate(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(source, "--output", tmp_path / "out", "--json")
    report = json.loads(printed)
    direct = report["methods"]["direct"]["overall"]
    concern_all = report["methods"]["concern_all"]["overall"]
    assert capsys.readouterr() == ("", "6 responses scored\n")
    assert (report["model"], report["responses"], report["random_baseline"]) == ("m1", 6, 0.25)
    assert (direct["n"], direct["valid"], direct["correct"]) == (6, 3, 2)
    assert direct["unweighted"] == {
        "response_rate": 0.5,
        "accuracy": 0.375,
        "conditional_accuracy": 0.75,
    }
    assert direct["item_weighted"]["conditional_accuracy"] == pytest.approx(2 / 3)
    assert direct["error_kinds"] == {
        "no_answer": 2,
        "several_answers": 0,
        "repeater": 1,
        "knowledge_error": 1,
    }
    assert (concern_all["valid"], concern_all["correct"]) == (3, 3)
    assert report["methods"]["direct"]["epochs"]["interval"] is None


def test_score_responses_writes_files_under_the_published_names(
    source: Path, categories: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run(source, "--categories", categories, "--output", out)
    files = files_under(out)
    assert list(files) == [
        "general/m1_concern_all_answer_category_averages.csv",
        "general/m1_direct_category_averages.csv",
        "m1_concern_all_answer_metrics_results.csv",
        "m1_direct_metrics_results.csv",
        "metrics.json",
        "responses.jsonl",
    ]
    assert files["m1_direct_metrics_results.csv"].decode() == (
        "File Name,Response Rate,Conditional Accuracy,Accuracy\n"
        "agronomy,50.00%,50.00%,25.00%\n"
        "arts,50.00%,100.00%,50.00%\n"
    )
    assert files["general/m1_direct_category_averages.csv"].decode() == (
        "Category,Response Rate Average,Conditional Accuracy Average,Accuracy Average\n"
        "Humanities,50.00%,100.00%,50.00%\n"
        "Other,50.00%,50.00%,25.00%\n"
    )


def test_score_responses_lines_say_what_each_method_took_and_why(
    source: Path, tmp_path: Path
) -> None:
    run(source, "--output", tmp_path / "out")
    lines = (tmp_path / "out" / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    assert json.loads(lines[2]) == {
        "file": "agronomy_m1_out.jsonl",
        "row": 3,
        "uid": "agronomy2",
        "subject": "agronomy",
        "epoch": 1,
        "key": "A",
        "scores": {
            "direct": {"answer": "B", "letters_seen": ["B"], "outcome": "knowledge_error"},
            "concern_all": {
                "answer": None,
                "letters_seen": ["A", "B"],
                "outcome": "several_answers",
            },
        },
    }


def test_score_responses_twice_gives_the_same_bytes(
    source: Path, categories: Path, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        run(source, "--categories", categories, "--output", tmp_path / name)
    run(source, "--categories", categories, "--output", tmp_path / "second")
    assert files_under(tmp_path / "first") == files_under(tmp_path / "second")


def test_score_responses_without_json_prints_rates_for_people(source: Path, tmp_path: Path) -> None:
    printed = run(source, "--output", tmp_path / "out")
    assert printed.splitlines() == [
        "m1: 6 responses, random baseline 25.0 %",
        "reasoning removed as by the published scorer (--published)",
        "direct (mean of subjects): RR 50.00%  ACC 37.50%  CA 75.00%",
        "direct (all items): RR 50.00%  ACC 33.33%  CA 66.67%",
        "concern_all (mean of subjects): RR 50.00%  ACC 50.00%  CA 100.00%",
        "concern_all (all items): RR 50.00%  ACC 50.00%  CA 100.00%",
    ]


def test_score_responses_epochs_are_summarised_over_their_accuracies(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    rows = [
        {"uid": "x/1", "answer": "A", "model_result": response, "epoch": epoch}
        for epoch, response in ((1, "A"), (2, "B"))
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    report = json.loads(run(path, "--output", tmp_path / "out", "--json"))
    epochs = report["methods"]["direct"]["epochs"]
    assert (epochs["epoch_count"], epochs["mean"]) == (2, 0.5)
    assert epochs["standard_deviation"] == pytest.approx(0.5**0.5)


def test_score_responses_numeric_compares_with_number_keys(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    path.write_text('{"answer": "1,250", "model_result": "So ༡༢༥༠."}\n', encoding="utf-8")
    printed = run(path, "--method", "numeric", "--output", tmp_path / "out", "--json")
    assert json.loads(printed)["methods"]["numeric"]["overall"]["correct"] == 1


def test_score_responses_option_count_language_and_exclude_reach_the_scorers(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lao.jsonl"
    path.write_text('{"answer": "B", "model_result": "ABC ຂ D"}\n', encoding="utf-8")
    options = ("--option-count", 2, "--language", "lo", "--exclude", "AB")
    printed = run(path, *options, "--output", tmp_path / "out", "--json")
    report = json.loads(printed)
    assert report["option_counts"] == {"2": 1}
    assert report["random_baseline"] == 0.5
    assert report["methods"]["direct"]["overall"]["correct"] == 1


def test_score_responses_category_mismatch_names_all_and_writes_nothing(
    source: Path, tmp_path: Path
) -> None:
    path = tmp_path / "c.csv"
    path.write_text("subject,category\narts,x\nlaw,x\nlogic,y\n", encoding="utf-8")
    out = tmp_path / "out"
    with pytest.raises(CommandError) as caught:
        run(source, "--categories", path, "--output", out)
    assert str(caught.value) == (
        "Subjects without a category: agronomy."
        " Subjects in a category but without responses: law, logic."
    )
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "agronomy_m1_out.jsonl, row 5: Not valid JSON"),
        ("{}", "agronomy_m1_out.jsonl, row 5: Missing fields: answer, model_result."),
        (
            '{"answer": "E", "model_result": "E"}',
            "agronomy_m1_out.jsonl, row 5: The answer “E” is not one of the item's options ABCD.",
        ),
        (
            '{"loc": "agronomy1", "answer": "A", "model_result": "100 %"}',
            "agronomy_m1_out.jsonl, row 5: The id agronomy1 is already used in row 2.",
        ),
    ],
)
def test_score_responses_bad_row_is_refused_and_older_results_stay(
    source: Path, tmp_path: Path, line: str, message: str
) -> None:
    out = tmp_path / "out"
    run(source, "--output", out)
    before = files_under(out)
    with (source / "agronomy_m1_out.jsonl").open("a", encoding="utf-8") as file:
        file.write(line)
    with pytest.raises(CommandError, match="row 5") as caught:
        run(source, "--output", out)
    assert message in str(caught.value)
    assert files_under(out) == before


def test_score_responses_output_that_is_a_file_is_refused_in_words(
    source: Path, tmp_path: Path
) -> None:
    target = tmp_path / "taken"
    target.write_text("x")
    with pytest.raises(CommandError, match="taken"):
        run(source, "--output", target)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--method", "nonsense"),
        ("--method", "direct,numeric"),
        ("--option-count", "11"),
        ("--language", "xx"),
    ],
)
def test_score_responses_bad_usage_is_an_argument_error(
    source: Path, tmp_path: Path, arguments: tuple[str, str]
) -> None:
    with pytest.raises(CommandError, match="argument"):
        run(source, *arguments, "--output", tmp_path / "out")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("{source}", "--output", "{out}", "--json"), 0),
        (("{source}/none", "--output", "{out}", "--json"), 1),
        (("{source}", "--json"), 2),
    ],
)
def test_score_responses_exit_code_and_standard_output(
    source: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    filled = [text.format(source=source, out=tmp_path / "out") for text in arguments]
    ended: str | int | None = 0
    try:
        execute_from_command_line(["manage.py", "score_responses", *filled])
    except SystemExit as exited:
        ended = exited.code
    assert ended == code
    printed = capsys.readouterr()
    said = json.loads(printed.out) if code < 2 else {}
    assert ("methods" in said, "code" in said) == (code == 0, code == 1)
    assert bool(printed.out) is (code < 2)
    assert printed.err


def test_staged_folder_shows_nothing_until_it_ends_and_metrics_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[str] = []
    replace = Path.replace

    def record(path: Path, target: Path) -> Path:
        moved.append(target.name)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", record)
    with staged_folder(tmp_path) as folder:
        for name in ("metrics.json", "z.csv", "a.csv"):
            (folder / name).write_text(name)
        assert not [path for path in tmp_path.iterdir() if path != folder]
    assert moved == ["a.csv", "z.csv", "metrics.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(moved)


def test_staged_folder_error_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(RuntimeError), staged_folder(tmp_path) as folder:
        (folder / "a.csv").write_text("new")
        raise RuntimeError
    assert files_under(tmp_path) == {"a.csv": b"old"}


def use_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_files, "CHUNK_BYTES", 512)
    monkeypatch.setattr(file_scoring, "process_count", lambda files: 2)


@pytest.fixture
def long_source(tmp_path: Path) -> Path:
    folder = tmp_path / "m1"
    for subject in ("agronomy", "arts"):
        write_subject(folder, subject, AGRONOMY * 50)
    return folder


def test_score_responses_in_processes_finds_what_one_process_finds(
    long_source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(long_source, "--output", tmp_path / "one")
    use_two_processes(monkeypatch)

    run(long_source, "--output", tmp_path / "two")

    assert files_under(tmp_path / "two") == files_under(tmp_path / "one")


@pytest.mark.parametrize("started", [0, 1])
def test_score_responses_where_processes_cannot_be_started_uses_one(
    long_source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    run(long_source, "--output", tmp_path / "one")
    use_two_processes(monkeypatch)
    fork, calls, before = os.fork, itertools.count(), active_children()

    def refuse() -> int:
        if next(calls) < started:
            return fork()
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)

    run(long_source, "--output", tmp_path / "two")

    assert files_under(tmp_path / "two") == files_under(tmp_path / "one")
    for child in set(active_children()) - set(before):
        child.join()
        assert child.exitcode == -signal.SIGTERM


def test_score_responses_when_a_process_dies_scores_the_rest_itself(
    long_source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(long_source, "--output", tmp_path / "one")
    use_two_processes(monkeypatch)
    rows, here = RowReader.rows, os.getpid()

    def die(reader: RowReader, chunk: Chunk) -> Iterator[ResponseRow]:
        if os.getpid() != here and chunk.first_row > 50:
            os._exit(9)
        return rows(reader, chunk)

    monkeypatch.setattr(RowReader, "rows", die)

    run(long_source, "--output", tmp_path / "two")

    assert files_under(tmp_path / "two") == files_under(tmp_path / "one")


def test_score_responses_in_processes_names_the_first_wrong_row(
    long_source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = long_source / "arts_m1_out.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[150] = lines[3]
    lines[151] = "{"
    path.write_text("\n".join(lines), encoding="utf-8")
    use_two_processes(monkeypatch)

    with pytest.raises(CommandError, match=r"row 151: The id arts3 is already used in row 4\."):
        run(path, "--output", tmp_path / "out")


def test_score_responses_of_identical_epochs_has_the_intervals_of_one(tmp_path: Path) -> None:
    once = [{"uid": n, "answer": "A", "model_result": "AB"[n % 2]} for n in range(10)]
    thrice = [{**row, "epoch": epoch} for epoch in (1, 2, 3) for row in once]
    intervals = []
    for name, rows in (("once", once), ("thrice", thrice)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        report = json.loads(run(path, "--output", tmp_path / name, "--json"))
        overall = report["methods"]["direct"]["overall"]
        intervals.append([overall["accuracy_interval"][end] for end in ("low", "high")])
    assert report["interval"] == {
        "method": "wilson_effective_n",
        "confidence": 0.95,
        "over": "items",
    }
    assert intervals[1] == pytest.approx(intervals[0])


CUT_OFF = [("B", "B <think>or A"), ("A", "<think>A</think>A")]


@pytest.mark.parametrize(
    ("switch", "reading", "right"),
    [([], "published", 1), (["--published"], "published", 1), (["--no-published"], "lotsawa", 2)],
)
def test_files_of_the_published_layout_are_read_as_the_published_scorer_does(
    tmp_path: Path, switch: list[str], reading: str, right: int
) -> None:
    folder, output = tmp_path / "m1_out", tmp_path / "results"
    write_subject(folder, "agronomy", CUT_OFF)

    printed = run(folder, "--output", output, *switch)

    metrics = json.loads((output / "metrics.json").read_text())
    assert metrics["reading"] == reading
    assert metrics["methods"]["direct"]["overall"]["correct"] == right
    assert ("as by the published scorer" in printed) == (reading == "published")


def test_file_of_another_layout_is_read_without_what_is_not_closed(tmp_path: Path) -> None:
    write_subject(tmp_path, "agronomy", CUT_OFF).rename(tmp_path / "mine.jsonl")
    run(tmp_path / "mine.jsonl", "--output", tmp_path / "results")
    assert json.loads((tmp_path / "results" / "metrics.json").read_text())["reading"] == "lotsawa"
