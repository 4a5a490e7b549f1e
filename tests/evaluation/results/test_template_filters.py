"""How the pages of evaluation write figures."""

from common.intervals import Interval
from evaluation.templatetags.figures import missing_answer, percent_range


def test_interval_is_written_in_brackets_as_review_writes_it() -> None:
    assert percent_range(Interval(0.7661, 0.97)) == "[76.6, 97.0]"
    assert percent_range(None) == "–"


def test_missing_answer_is_said_in_words() -> None:
    assert missing_answer("content_filter") == "a content filter refused the question"
    assert missing_answer("endpoint-broken: 502") == "it reported an internal error (HTTP 502)"
    assert missing_answer("endpoint-garbled: empty") == "its reply is empty"
