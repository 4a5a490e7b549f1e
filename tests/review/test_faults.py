"""Reviewers judge a round while web server and worker are killed: the drill, small."""

from pathlib import Path

import pytest

from tests.drills import figures_of

pytestmark = pytest.mark.slow

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
def test_every_judgement_is_there_once_after_kills_hang_ups_undo_and_expiries(
    tmp_path: Path,
) -> None:
    words = ["--databases", "sqlite", "--sizes", str(ITEMS), "--people", str(PEOPLE)]
    rows = figures_of("review_faults", *words, folder=tmp_path)
    end = f"_sqlite_{ITEMS}_items"
    told = {row["name"].removeprefix("faults_").removesuffix(end): row["value"] for row in rows}
    assert {name: told[name] for name in MUST_NOT_BE} == dict.fromkeys(MUST_NOT_BE, 0)
    assert told["judgements_in_force"] == 2 * ITEMS
    assert told["tried_again"] > 0
