"""Precision and recall of a screen by threshold: a worked example, and brute force."""

from hypothesis import given
from hypothesis import strategies as st

from common.intervals import wilson_interval
from review.figures.calibration import Judged, calibrate, thinned


def test_worked_example() -> None:
    judged = [
        Judged(0.9, is_faulty=True),
        Judged(0.9, is_faulty=False),
        Judged(0.6, is_faulty=True),
        Judged(0.0, is_faulty=True),
        Judged(0.0, is_faulty=False),
    ]
    points = calibrate(judged)
    assert [(p.threshold, p.precision.count, p.precision.n, p.recall.n) for p in points] == [
        (0.9, 1, 2, 3),
        (0.6, 2, 3, 3),
    ]
    # Wilson's interval of 2 of 3, as R's binom.confint(2, 3, methods = "wilson") gives it.
    low, high = points[1].precision.interval.low, points[1].precision.interval.high
    assert (round(low, 4), round(high, 4)) == (0.2077, 0.9385)


def test_screen_without_doubts_has_no_threshold() -> None:
    assert calibrate([]) == []
    assert calibrate([Judged(0.0, is_faulty=True)]) == []


@given(st.lists(st.builds(Judged, st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), st.booleans())))
def test_each_point_counts_what_a_threshold_finds(judged: list[Judged]) -> None:
    points = calibrate(judged)
    assert [p.threshold for p in points] == sorted({j.doubt for j in judged} - {0.0}, reverse=True)
    for point in points:
        found = [j for j in judged if j.doubt >= point.threshold]
        right, faulty = sum(j.is_faulty for j in found), sum(j.is_faulty for j in judged)
        assert (point.precision.count, point.precision.n) == (right, len(found))
        assert (point.recall.count, point.recall.n) == (right, faulty)
        assert point.recall.interval == wilson_interval(right, faulty)


def test_thinned_points_are_the_last_of_each_step_of_the_threshold() -> None:
    points = calibrate([Judged(doubt, is_faulty=True) for doubt in (0.98, 0.96, 0.15, 0.19, 0.1)])
    assert [point.threshold for point in thinned(points, 0.05)] == [0.96, 0.15, 0.1]
