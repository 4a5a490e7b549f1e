"""lm-evaluation-harness and Inspect, asking the same endpoint for the same release, get our figures."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from evaluation.models import Score
from evaluation.runs.execution import perform_run
from jobs.worker import run_now
from projects.models import Project
from releases.files.storage import release_folder
from tests.evaluation.builders import make_run, serving
from tests.factories import ModelSpecFactory
from tests.releases.builders import build_published, fill
from tests.releases.files.test_tools import SCRIPT, TOOLS, run, run_python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (TOOLS / "inspect").exists(), reason="the programs are not there: make tools"
    ),
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("tools"),
    pytest.mark.django_db,
]
MODEL, SEED, TESTS = "stand-in-chatty", 1234, 40
METHODS = ("direct", "concern_all")
Marks = dict[str, tuple[bool, ...]]
"""By the uid of an item: whether each of METHODS finds its answer right."""

SAMPLES = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
(log,) = list_eval_logs(sys.argv[1])
samples = read_eval_log(log.name).samples
print(json.dumps({each.id: each.scores["option_letter"].value for each in samples}))
"""


def test_both_programs_mark_each_answer_as_our_run_does(
    project: Project, tmp_path: Path, settings: Any
) -> None:
    settings.RELEASE_FOLDER = tmp_path / "releases"
    fill(project, tests=TESTS, devs=0)
    release = build_published(project)
    folder = release_folder(project.slug, release.version)

    with serving() as server:
        spec = ModelSpecFactory(
            project=project, model=MODEL, parameters={"seed": SEED, "max_tokens": 1024},
            endpoint__base_url=server.base_url,
        )  # fmt: skip
        ours = make_run(project, release, spec=spec, methods=METHODS)
        run_now(ours.job, perform_run)
        questions = set(server.asked)
        marks = {
            "lm_eval": by_lm_eval(folder, tmp_path / "lm_eval", server.base_url),
            "inspect": by_inspect(folder, tmp_path / "inspect", server.base_url),
        }

    assert set(server.asked) == questions
    expected = marks_of(ours.pk)
    assert len(expected) == 2 * TESTS
    assert len(set(expected.values())) > 2
    assert marks == {"lm_eval": expected, "inspect": expected}


def marks_of(run_id: int) -> Marks:
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    rows = Score.objects.filter(run=run_id).values_list(
        "response__release_item__uid", "method", "is_correct"
    )
    for uid, method, is_correct in rows:
        found[uid][method] = is_correct
    return {uid: tuple(each[method] for method in METHODS) for uid, each in found.items()}


def by_lm_eval(release: Path, folder: Path, address: str) -> Marks:
    folder.mkdir()
    endpoint = f"model={MODEL},base_url={address}/chat/completions,seed={SEED},num_concurrent=1"
    run_python(
        folder,
        SCRIPT,
        *(str(TOOLS / "lm_eval"), "--model", "local-chat-completions", "--model_args", endpoint),
        *("--tasks", "ti_gen", "--include_path", str(release / "lm_eval")),
        *("--apply_chat_template", "--log_samples", "--output_path", str(folder)),
    )
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for file in folder.rglob("samples_*.jsonl"):
        for row in map(json.loads, file.read_text().splitlines()):
            found[row["doc"]["id"]][row["filter"]] = row["exact_match"] == 1
    return {uid: tuple(each[method] for method in METHODS) for uid, each in found.items()}


def by_inspect(release: Path, folder: Path, address: str) -> Marks:
    folder.mkdir()
    run(
        folder,
        *("inspect", "eval", "inspect/ti.py", "--model", f"openai-api/standin/{MODEL}"),
        *("-M", "responses_api=false", "--seed", str(SEED)),
        *("--display", "plain", "--log-dir", str(folder / "logs")),
        cwd=release,
        STANDIN_BASE_URL=address,
        STANDIN_API_KEY="none",
    )
    told = json.loads(run_python(folder, SAMPLES, str(folder / "logs")).splitlines()[-1])
    return {uid: tuple(value[method] == 1 for method in METHODS) for uid, value in told.items()}
