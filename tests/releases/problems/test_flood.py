"""Reports that come one after the other are refused with a way out: the benchmark, small."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.drills import ROOT, figures_of

pytestmark = pytest.mark.slow

REPORTS = 60


@pytest.mark.timeout(300)
def test_reports_beyond_the_limit_of_one_address_are_refused_and_pages_still_answer(
    tmp_path: Path,
) -> None:
    # How long pages take is for the benchmark: this machine may be busy.
    small = ["--reports", str(REPORTS), "--seconds", "3", "--any-ratio"]
    lines = figures_of("problem_reports", "--databases", "sqlite", *small, folder=tmp_path)
    found = {row["name"].removeprefix("problem_reports_"): row["value"] for row in lines}
    assert found["stored_sqlite"] == settings.PROBLEMS_PER_NETWORK
    assert found["limited_sqlite"] == REPORTS - settings.PROBLEMS_PER_NETWORK
    assert found["other_answers_sqlite"] == found["without_way_out_sqlite"] == 0
    assert found["answered_sqlite"] == REPORTS and 0 < found["sending_sqlite"] < 60
    assert found["page_ratio_sqlite"] > 0


@pytest.mark.timeout(120)
def test_measurement_ends_within_its_limit_and_says_so(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.problem_reports", "--databases", "sqlite", "--limit", "3"],
        cwd=ROOT, env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert ended.returncode == 1
    assert "not done within 3 seconds" in ended.stderr
    assert list(tmp_path.glob("lotsawa-bench-*")) == []
