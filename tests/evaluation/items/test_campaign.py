"""A simulated campaign, small: planted wrong keys and bad translations come first in the queue."""

import pytest

from benchmarks.item_campaign import Sizes, run_campaign

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
