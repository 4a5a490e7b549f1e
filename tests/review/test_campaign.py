"""A simulated campaign, small: the figures find the truth that was put in."""

import pytest

from benchmarks.campaign import KAPPA, run_campaign

pytestmark = pytest.mark.django_db


def test_campaign_of_known_truth_is_read_rightly() -> None:
    found = run_campaign(160, seed=11)

    assert found.reliability_rho > 0.8
    assert found.controls_rho > 0.3
    assert abs(found.found_share - found.expected_share) < 0.2
    assert abs(found.false_alarm_share - found.expected_false_alarms) < 0.2
    assert found.audited == 40
    value, low, high = found.kappa
    assert low <= KAPPA <= high
    assert low < value < high
