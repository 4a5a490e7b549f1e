"""Reviewers judge a round while web server and worker are killed: the drill, small."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ITEMS, PEOPLE = 60, 8
MUST_NOT_BE = (
    "judgements_missing_or_too_many",
    "count_of_round_wrong",
    "lost",
    "withdrawn_unasked",
    "double",
    "twice_on_an_item",
    "wrong_panels",
    "undecided",
    "jobs_not_done",
    "people_who_failed",
)


@pytest.mark.timeout(900)
def test_every_judgement_is_there_once_after_kills_hang_ups_undo_and_expiries() -> None:
    command = [sys.executable, "-m", "benchmarks.review_faults", "--databases", "sqlite"]
    command += ["--sizes", str(ITEMS), "--people", str(PEOPLE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    end = f"_sqlite_{ITEMS}_items"
    told = {row["name"].removeprefix("faults_").removesuffix(end): row["value"] for row in rows}
    assert {name: told[name] for name in MUST_NOT_BE} == dict.fromkeys(MUST_NOT_BE, 0)
    assert told["judgements_in_force"] == 2 * ITEMS
    assert told["tried_again"] > 0
