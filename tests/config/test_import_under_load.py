"""Reviewers who judge while a worker imports and a backup is taken lose nothing: the drill, small."""

from pathlib import Path

import pytest

from tests.drills import figures_of

pytestmark = pytest.mark.slow

SIZE, PAUSE = 600, 0.1
DRILL = ["--sizes", str(SIZE), "--people", "6", "--pause", str(PAUSE), "--no-rush"]
PATIENT = ["--patience", "600"]  # how long they wait is for the benchmark: this machine may be busy


@pytest.mark.timeout(600)
def test_reviews_during_an_import_are_all_stored_once_and_the_backup_holds_those_before_it(
    tmp_path: Path,
) -> None:
    lines = figures_of("import_under_load", *DRILL, *PATIENT, folder=tmp_path)
    rows = {row["name"].removeprefix("load_"): row for row in lines}
    end = f"_{SIZE}_rows_pause_{PAUSE:g}"
    must_not_be = ("answers_500", "lost", "double", "backup_damaged", "backup_lacks")
    assert {name: rows[name + end]["value"] for name in must_not_be} == dict.fromkeys(
        must_not_be, 0
    )
    assert 0 < rows["backup_lacks" + end]["n"] < rows["lost" + end]["n"]
