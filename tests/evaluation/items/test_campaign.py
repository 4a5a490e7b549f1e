"""A simulated campaign, small: planted wrong keys and bad translations come first in the queue."""

import pytest

from benchmarks.item_campaign import Sizes, beside_truth, run_campaign
from benchmarks.planted_tables import PLANTED_TABLES

pytestmark = pytest.mark.django_db


def test_planted_faults_are_among_the_first_suggestions() -> None:
    found = run_campaign(Sizes(items=200, models=6, prompts=1, epochs=3), seed=3)

    keys, languages = found.precision("key_doubted"), found.precision("dif")
    told = f"precision {found.precision():.2f}, of keys {keys:.2f}, of translations {languages:.2f}"
    print(told)  # noqa: T201
    assert (len(found.truth.wrong_keys), len(found.truth.bad_translations)) == (8, 8)
    assert found.precision() >= 0.75
    assert keys >= 0.75
    assert languages >= 0.75


def test_tables_of_further_runs_say_what_was_planted() -> None:
    found = run_campaign(Sizes(items=200, models=3, prompts=1, epochs=2), seed=3)

    told = {each.table: each for each in beside_truth(found, seed=3)}

    releases, rotations, openness = (told[name] for name in PLANTED_TABLES)
    assert (releases.rows, rotations.rows, openness.rows) == (3, 12, 3)
    assert releases.found == pytest.approx(releases.planted)
    assert rotations.found == pytest.approx(rotations.planted, abs=0.03)
    assert openness.found == pytest.approx(openness.planted, abs=0.03)
    assert min(releases.planted, rotations.planted - 0.25, openness.planted) > 0.005
