"""Reports that come one after the other are refused with a way out: the benchmark, small."""

from pathlib import Path

import pytest
from django.conf import settings

from tests.drills import figures_of

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
    assert found["page_ratio_sqlite"] > 0
