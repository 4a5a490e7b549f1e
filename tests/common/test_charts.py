"""Geometry of charts."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.charts import (
    Bar,
    BarChart,
    LabelLine,
    Whisker,
    bar_chart,
    fitting_bars,
    horizontal_bars,
    number_text,
    tick_values,
)

STAGES = [
    Bar("Initial", 28.7, 25.4, 32.3),
    Bar("1st alignment", 82.3, 78.6, 85.4),
    Bar("2nd alignment", None),
]


@pytest.mark.parametrize(
    ("maximum", "values"),
    [
        (100, (0, 25, 50, 75, 100)),
        (5, (0, 1, 2, 3, 4, 5)),
        (1, (0, 0.25, 0.5, 0.75, 1)),
        (670, (0, 200, 400, 600)),
        (3, (0, 1, 2, 3)),
        (0.03, (0, 0.01, 0.02, 0.03)),
    ],
)
def test_tick_values_are_round_and_within_the_axis(
    maximum: float, values: tuple[float, ...]
) -> None:
    assert tick_values(maximum) == values


@given(st.floats(1e-6, 1e9))
def test_tick_values_are_few_ascending_and_start_at_zero(maximum: float) -> None:
    values = tick_values(maximum)

    assert values[0] == 0
    assert list(values) == sorted(set(values))
    assert 2 <= len(values) <= 6
    assert values[-1] <= maximum * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(
    ("value", "text"), [(3.0, "3"), (28.71, "28.7"), (0.25, "0.25"), (0.0, "0"), (-0.001, "0")]
)
def test_number_text_has_no_needless_zeros(value: float, text: str) -> None:
    assert number_text(value) == text


def test_bar_chart_places_bars_whiskers_and_ticks() -> None:
    chart = bar_chart(STAGES, maximum=100, unit="%")

    first = chart.bars[0]
    assert chart.view_box == "0 0 460 190"
    assert [(tick.position, tick.text) for tick in chart.ticks] == [
        (150.0, "0 %"),
        (117.5, "25 %"),
        (85.0, "50 %"),
        (52.5, "75 %"),
        (20.0, "100 %"),
    ]
    assert (first.x, first.y, first.width, first.height) == (83.0, 112.7, 64.0, 37.3)
    assert (first.label, first.text, first.label_x) == ("Initial", "28.7 %", 115.0)
    assert first.label_lines == (LabelLine("Initial", 168.0),)
    assert first.whisker == Whisker(117.0, 108.0, 115.0, "M115 117V108M110 108h10M110 117h10")
    assert first.text_y < first.whisker.end


def test_bar_chart_of_an_undefined_value_has_a_label_but_no_bar() -> None:
    last = bar_chart(STAGES, maximum=100).bars[-1]

    assert (last.label, last.text, last.height, last.whisker) == ("2nd alignment", "", 0.0, None)
    assert not last.is_defined


def test_bar_of_a_rating_has_as_many_decimals_as_the_table_beside_it() -> None:
    chart = bar_chart([Bar("Initial", 3.708)], maximum=5, decimals=2)

    assert chart.bars[0].text == "3.71"


@pytest.mark.parametrize("draw", [bar_chart, horizontal_bars])
def test_value_below_zero_has_its_number_and_no_bar(draw: Any) -> None:
    [bar, zero] = draw([Bar("a", -0.03, -0.06, 0.6), Bar("b", -0.001)], maximum=1, decimals=2).bars

    assert (bar.text, zero.text) == ("\N{MINUS SIGN}0.03", "0.00")
    assert 0.0 in (bar.width, bar.height)


def test_bar_chart_without_values_has_only_an_axis() -> None:
    chart = bar_chart([], maximum=100)

    assert (chart.bars, len(chart.ticks)) == ((), 5)


def test_horizontal_bars_grow_downwards_and_to_the_right() -> None:
    chart = horizontal_bars([Bar("history", 50, 40, 60), Bar("law", 100)], maximum=100)

    first, second = chart.bars
    assert chart.view_box == "0 0 460 94"
    assert (first.x, first.y, first.width, first.height) == (130.0, 17.0, 132.0, 16.0)
    assert (second.y, second.width) == (47.0, 264.0)
    assert first.whisker == Whisker(235.6, 288.4, 25.0, "M235.6 25H288.4M235.6 20v10M288.4 20v10")
    assert first.text_x == 294.4
    assert first.label_lines == (LabelLine("history", 29.0),)


VALUES = st.floats(-50, 150)
BARS = st.lists(st.builds(Bar, st.text(max_size=4), VALUES, VALUES, VALUES), max_size=12)


@pytest.mark.parametrize("draw", [bar_chart, horizontal_bars])
@given(bars=BARS)
def test_charts_stay_within_their_plot_with_rounded_numbers(draw: object, bars: list[Bar]) -> None:
    chart: BarChart = draw(bars, maximum=100)  # type: ignore[operator]

    for bar in chart.bars:
        assert chart.left <= bar.x + 0.1
        assert bar.x + bar.width <= chart.right + 0.1
        assert chart.top <= bar.y + 0.1
        assert bar.y + bar.height <= chart.bottom + 0.1
        assert bar.width >= 0
        assert bar.height >= 0
        for number in (bar.x, bar.y, bar.width, bar.height, bar.text_x, bar.text_y):
            assert number == round(number, 1)


def test_paths_hold_nothing_but_commands_and_short_numbers() -> None:
    chart = bar_chart([Bar("a", 100 / 3, 100 / 7, 200 / 3)] * 7, maximum=100)

    for bar in chart.bars:
        assert bar.whisker is not None
        assert re.fullmatch(r"[MVh\d. ]+", bar.whisker.path)
        assert not re.search(r"\.\d\d", bar.whisker.path)


@pytest.mark.parametrize("maximum", [0, -1, float("nan"), float("inf")])
def test_charts_without_a_scale_refuse(maximum: float) -> None:
    with pytest.raises(ValueError, match="maximum"):
        bar_chart([], maximum=maximum)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_charts_refuse_values_that_are_not_finite(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        bar_chart([Bar("a", value)], maximum=1)


def test_long_names_make_room_and_break_at_a_blank() -> None:
    name = "Traditional medicine and the theory of the four humours"
    chart = horizontal_bars([Bar(name, 50), Bar("Law", 40)], maximum=100)

    assert chart.left == 200.0
    assert [[line.text for line in bar.label_lines] for bar in chart.bars] == [
        ["Traditional medicine and the", "theory of the four humours"],
        ["Law"],
    ]
    upright = bar_chart([Bar("1st Alignment, part 2", 50)] * 5, maximum=100)
    assert [line.text for line in upright.bars[0].label_lines] == ["1st Alignment,", "part 2"]


@pytest.mark.parametrize(
    ("labels", "is_lying"),
    [
        (["Initial", "1st Alignment", "2nd Alignment", "Audit"], False),
        (["Initial", "1st Alignment, part 2", "Audit"], False),
        (
            [
                "Initial",
                "1st Alignment",
                "2nd Alignment",
                "3rd Alignment",
                "4th Alignment",
                "Audit",
            ],
            True,
        ),
        ([], False),
    ],
)
def test_bars_lie_where_their_labels_would_run_into_each_other(
    labels: list[str], is_lying: bool
) -> None:
    chart = fitting_bars([Bar(label, 4.25) for label in labels], maximum=5, decimals=2)

    assert chart.is_lying == is_lying
    assert all(bar.text == "4.25" for bar in chart.bars)


def test_labels_of_upright_bars_keep_apart() -> None:
    chart = bar_chart([Bar("1st Alignment", 50), Bar("2nd Alignment", 50)] * 2, maximum=100)

    assert [line.text for line in chart.bars[0].label_lines] == ["1st", "Alignment"]
