"""How the pages of evaluation write figures."""

from common.intervals import Interval
from evaluation.templatetags.figures import percent_range


def test_interval_is_written_in_brackets_as_review_writes_it() -> None:
    assert percent_range(Interval(0.7661, 0.97)) == "[76.6, 97.0]"
    assert percent_range(None) == "–"
