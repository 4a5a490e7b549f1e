"""How pages write figures."""

from django.template.loader import render_to_string

from common.estimates import Estimate, NoInterval, Undefined


def written(estimate: Estimate) -> str:
    context = {"estimate": estimate, "kind": "agreement", "show_n": True}
    return " ".join(render_to_string("review/report/includes/figure.html", context).split())


def test_value_has_its_interval_in_brackets() -> None:
    page = written(Estimate(0.5, -0.25, 0.75, 30, 0))

    assert page == '0.50 <small class="below">[−0.25, 0.75]</small>'


def test_value_that_rounds_to_zero_has_no_sign() -> None:
    page = written(Estimate(-0.001, -0.004, 0.25, 30, 0))

    assert page == '0.00 <small class="below">[0.00, 0.25]</small>'


def test_value_whose_interval_is_withheld_says_why() -> None:
    page = written(Estimate(1.0, None, None, 30, 0, None, NoInterval.TOO_LITTLE_DISAGREEMENT))

    assert page == '1.00 <small class="below">Not enough disagreement to tell</small>'


def test_figure_without_a_value_says_why() -> None:
    page = written(Estimate(None, None, None, 30, 0, Undefined.NO_VARIATION))

    assert page == '<span class="muted why">not defined: everyone gave the same answer</span>'
