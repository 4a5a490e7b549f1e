"""Reviewers who judge while a worker imports and a backup is taken lose nothing: the drill, small."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SIZE, PAUSE = 600, 0.1
DRILL = ["--sizes", str(SIZE), "--people", "6", "--pause", str(PAUSE), "--no-rush"]
PATIENT = ["--patience", "600"]  # how long they wait is for the benchmark: this machine may be busy


@pytest.mark.timeout(600)
def test_reviews_during_an_import_are_all_stored_once_and_the_backup_holds_those_before_it() -> (
    None
):
    command = [sys.executable, "-m", "benchmarks.import_under_load", *DRILL, *PATIENT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    rows = {row["name"].removeprefix("load_"): row for row in lines}
    end = f"_{SIZE}_rows_pause_{PAUSE:g}"
    must_not_be = ("answers_500", "lost", "double", "backup_damaged", "backup_lacks")
    assert {name: rows[name + end]["value"] for name in must_not_be} == dict.fromkeys(
        must_not_be, 0
    )
    assert 0 < rows["backup_lacks" + end]["n"] < rows["lost" + end]["n"]
