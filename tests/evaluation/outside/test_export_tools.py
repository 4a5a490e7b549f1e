"""Exported answers open in the programs that they are written for; `make tools` installs them."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.models import Run
from evaluation.outside.readers import READERS
from evaluation.translation.queries import translation_figures
from projects.models import Project
from releases.models import Release
from tests.evaluation.outside import test_export_run
from tests.evaluation.outside.test_export_run import asked, facts, stored, written
from tests.evaluation.translation.builders import make_translations, translated
from tests.releases.files.test_tools import TOOLS, run_python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (TOOLS / "inspect").exists(), reason="the programs are not there: make tools"
    ),
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("tools"),
    pytest.mark.django_db,
]
release = test_export_run.release

INSPECT = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries, write_eval_log
from inspect_ai.scorer import value_to_float
log = read_eval_log(sys.argv[1])
listed = len(list_eval_logs(sys.argv[2]))
again = sys.argv[1].replace(".json", ".eval")
write_eval_log(log, again)
number = value_to_float()
print(json.dumps({
    "status": log.status,
    "listed": listed,
    "summaries": len(read_eval_log_sample_summaries(sys.argv[1])),
    "accuracy": {each.name: each.metrics["accuracy"].value for each in log.results.scores},
    "samples": [
        [each.id, each.epoch, each.output.completion, each.input[-1].role, each.error and each.error.message,
         {name: number(score.value) for name, score in (each.scores or {}).items()}]
        for each in log.samples
    ],
    "converted": len(read_eval_log(again).samples),
}))
"""
INSPECT_TRANSLATIONS = """
import json, sys
from inspect_ai.log import read_eval_log, write_eval_log
log = read_eval_log(sys.argv[1])
again = sys.argv[1].replace(".json", ".eval")
write_eval_log(log, again)
print(json.dumps({
    "metrics": {name: each.value for name, each in log.results.scores[0].metrics.items()},
    "samples": [each.scores["translation"].value for each in log.samples],
    "converted": len(read_eval_log(again).samples),
}))
"""
LM_EVAL = """
import json, pathlib, sys
from datasets import load_dataset
from lm_eval.result_schema import SampleResult
from lm_eval.utils import (
    get_file_datetime, get_file_task_name, get_results_filenames, get_sample_results_filenames,
    make_table,
)
paths = sorted(map(str, pathlib.Path(sys.argv[1]).glob("*.json*")))
(samples,), (results,) = get_sample_results_filenames(paths), get_results_filenames(paths)
told = json.loads(pathlib.Path(results).read_text())
data = load_dataset("json", data_files=samples, split="train")
load_dataset("json", data_files=results, split="train")
name = samples.rpartition("/")[2]
print(json.dumps({
    "task": get_file_task_name(name),
    "is_same_time": get_file_datetime(name) in results,
    "missing": sorted(SampleResult.__required_keys__ - set(data.column_names)),
    "table": make_table(told),
    "rows": [[row["doc"]["id"], row["filter"], row.get("exact_match"), row["resps"]] for row in data],
}))
"""


def opened(run: Run, folder: Path, name: str, code: str, *arguments: str) -> Any:
    file = written(run, folder / "made", name, "--hidden")[0]
    told = run_python(folder, code, *(arguments or (str(file), str(file.parent))))
    return json.loads(told.strip().splitlines()[-1])


def test_inspect_reads_and_converts_the_log(
    project: Project, release: Release, tmp_path: Path
) -> None:
    run = asked(project, release)

    told = opened(run, tmp_path, "inspect", INSPECT)

    assert (told["status"], told["listed"], told["summaries"]) == ("success", 1, 21)
    assert told["converted"] == len(told["samples"]) == 21
    (converted,) = (tmp_path / "made").glob("*.eval")
    assert facts(READERS["inspect"](converted)) == stored(run)
    samples = {(uid, epoch): rest for uid, epoch, *rest in told["samples"]}
    text, role, error, scores = samples["history/test-0", 2]
    assert (text, role, error) == ("The answer is B.\nNo: <b>", "user", None)
    assert scores["anchored"] == 0.0
    assert samples["history/test-0", 3][2] == "endpoint-refused: 400 too long"
    assert samples["maths/0", 3][3] == {"numeric": 1.0}
    for method, accuracy in told["accuracy"].items():
        by_item: dict[str, list[float]] = {}
        for (uid, _epoch), (*_rest, given) in samples.items():
            if method in given:
                by_item.setdefault(uid, []).append(given[method])
        means = [sum(values) / len(values) for values in by_item.values()]
        assert accuracy == pytest.approx(sum(means) / len(means))


def test_programs_show_the_scores_of_translations(project: Project, tmp_path: Path) -> None:
    run = translated(project, make_translations(project))
    found = translation_figures(run)[0].scores
    assert found.bleu is not None and found.chrf is not None

    log = opened(run, tmp_path / "a", "inspect", INSPECT_TRANSLATIONS)
    harness = opened(run, tmp_path / "b", "lm_eval", LM_EVAL, str(tmp_path / "b/made"))

    values = {"bleu": found.bleu.value, "chrf++": found.chrf.value}
    assert {name: log["metrics"][name] for name in values} == pytest.approx(values)
    assert len(log["samples"]) == log["converted"] == 6
    assert all(0 <= each["sentence_bleu"] <= 100 for each in log["samples"])
    assert f"{found.bleu.value:.4f}" in harness["table"]
    assert f"{found.chrf.value:.4f}" in harness["table"]
    assert harness["missing"] == []


def test_lm_eval_finds_and_loads_samples_and_results(
    project: Project, release: Release, tmp_path: Path
) -> None:
    run = asked(project, release)

    told = opened(run, tmp_path, "lm_eval", LM_EVAL, str(tmp_path / "made"))

    assert (told["task"], told["is_same_time"], told["missing"]) == ("ti", True, [])
    assert "anchored" in told["table"]
    assert "exact_match" in told["table"]
    assert ["history/test-0", "anchored", 0.5, [["A", "The answer is B.\nNo: <b>"]]] in told["rows"]
    assert len(told["rows"]) == 9
