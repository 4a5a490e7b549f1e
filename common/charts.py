"""Geometry of small charts: values in, frozen numbers out, which a template writes as SVG.

All lengths are units of the view box, y grows downwards, and numbers are rounded to a tenth so
that the markup stays small and stable. Nothing here knows of colours, words or HTML.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10

WIDTH = 460.0
HEIGHT = 190.0
LEFT = 48.0
RIGHT = 10.0
TOP = 20.0
BOTTOM = 40.0
BAR_SHARE = 0.5
WIDEST_BAR = 64.0
CAP = 5.0
ROW = 30.0
THICKNESS = 16.0
LABEL_WIDTH = 130.0
VALUE_WIDTH = 66.0
LETTER = 7.6
"""Room for a letter of a label, also where a phone sets them larger."""
WIDEST_LABEL = 200.0
GAP = 10.0
"""Between the labels of upright bars."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value to draw; None for one that is undefined (a label without a bar).

    Below 0 it has its number, and no bar: the axis begins there.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """A grid line across the plot, at `position` on the value axis (y, or x where horizontal)."""

    position: float
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval: from `start` to `end` along the value axis, `across` on the other one.

    `path` is the SVG path of the line with its two caps.
    """

    start: float
    end: float
    across: float
    path: str


@dataclass(frozen=True, slots=True)
class LabelLine:
    text: str
    y: float


@dataclass(frozen=True, slots=True)
class PlacedBar:
    """A rectangle with the place of its label; `text` is the value as it is printed."""

    label: str
    label_lines: tuple[LabelLine, ...]
    text: str
    x: float
    y: float
    width: float
    height: float
    label_x: float
    text_x: float
    text_y: float
    whisker: Whisker | None
    is_defined: bool


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars with their grid; the plot is the rectangle left..right by top..bottom."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    ticks: tuple[Tick, ...]
    bars: tuple[PlacedBar, ...]
    is_lying: bool = False

    @property
    def template(self) -> str:
        """What draws it."""
        return f"includes/{'row' if self.is_lying else 'bar'}_chart.html"

    @property
    def view_box(self) -> str:
        return f"0 0 {number_text(self.width)} {number_text(self.height)}"


def fitting_bars(
    values: Sequence[Bar], *, maximum: float, unit: str = "", decimals: int = 1
) -> BarChart:
    """Upright bars; lying ones where their labels would run into each other.

    Raises ValueError as `bar_chart` does.
    """
    place = _slot(len(values)) - GAP
    lines = [line for bar in values for line in _lines(bar.label, place, 0, is_centred=False)]
    fits = all(len(line.text) * LETTER <= place for line in lines)
    draw = bar_chart if fits else horizontal_bars
    return draw(values, maximum=maximum, unit=unit, decimals=decimals)


def bar_chart(
    values: Sequence[Bar], *, maximum: float, unit: str = "", decimals: int = 1
) -> BarChart:
    """Place upright bars on an axis from 0 to `maximum`, each with the whisker of its interval.

    Values and whiskers are cut off at the axis' ends. Raises ValueError when `maximum` is not a
    positive number or a value is not finite.
    """
    _check(maximum, values)
    base, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    slot = _slot(len(values))
    bars = tuple(
        _upright(bar, LEFT + slot * (index + 0.5), slot, maximum, _value_text(bar, unit, decimals))
        for index, bar in enumerate(values)
    )
    ticks = tuple(
        Tick(_round(_up(value, maximum)), value, _with_unit(value, unit))
        for value in tick_values(maximum)
    )
    return BarChart(WIDTH, HEIGHT, LEFT, right, TOP, base, ticks, bars)


def horizontal_bars(
    values: Sequence[Bar], *, maximum: float, unit: str = "", decimals: int = 1
) -> BarChart:
    """Place bars one below the other; labels stand left of them. Height grows with the rows.

    The place for labels is as wide as the longest, in two lines where it is very long.
    Raises ValueError as `bar_chart` does.
    """
    _check(maximum, values)
    right, top = WIDTH - VALUE_WIDTH, 10.0
    base = top + ROW * len(values)
    left = _label_width([bar.label for bar in values])
    bars = tuple(
        _lying(bar, top + ROW * (index + 0.5), left, maximum, _value_text(bar, unit, decimals))
        for index, bar in enumerate(values)
    )
    ticks = tuple(
        Tick(_round(_along(value, left, maximum)), value, _with_unit(value, unit))
        for value in tick_values(maximum)
    )
    return BarChart(WIDTH, base + 24, left, right, top, base, ticks, bars, is_lying=True)


def tick_values(maximum: float, count: int = 4) -> tuple[float, ...]:
    """Give round values from 0 to at most `maximum`, 1, 2, 2.5 or 5 times a power of ten apart.

    There are `count` steps or fewer, at least one where the axis allows it; one more where only
    that ends at `maximum`, as 0 to 5 does.
    """
    step = _step(maximum, count)
    if not _ends_axis(step, maximum) and _ends_axis(_step(maximum, count + 1), maximum):
        step = _step(maximum, count + 1)
    return tuple(round(index * step, 10) for index in range(int(maximum / step + 1e-9) + 1))


def number_text(value: float) -> str:
    """Write a number without needless zeros: 3.0 as "3", 28.71 as "28.7", 0.25 as "0.25"."""
    decimals = 2 if abs(value) < 1 else 1
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _step(maximum: float, count: int) -> float:
    rough = maximum / count
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.9999)


def _ends_axis(step: float, maximum: float) -> bool:
    return abs(maximum / step - round(maximum / step)) < 1e-6


def _slot(count: int) -> float:
    """How wide the place of each upright bar is."""
    return (WIDTH - RIGHT - LEFT) / max(1, count)


def _label_width(labels: Sequence[str]) -> float:
    longest = max((len(label) for label in labels), default=0) * LETTER + 8
    return _round(min(WIDEST_LABEL, max(LABEL_WIDTH, longest)))


def _lines(label: str, width: float, y: float, *, is_centred: bool) -> tuple[LabelLine, ...]:
    """The label in one line, or in two at the blank nearest its middle where it is too long."""
    blanks = [index for index, letter in enumerate(label) if letter == " "]
    if len(label) * LETTER <= width or not blanks:
        return (LabelLine(label, _round(y)),)
    cut = min(blanks, key=lambda index: abs(index - len(label) / 2))
    first = y - 7 if is_centred else y
    return (LabelLine(label[:cut], _round(first)), LabelLine(label[cut + 1 :], _round(first + 14)))


def _upright(bar: Bar, centre: float, slot: float, maximum: float, text: str) -> PlacedBar:
    width = min(WIDEST_BAR, slot * BAR_SHARE)
    base = HEIGHT - BOTTOM
    top = base if bar.value is None else _up(bar.value, maximum)
    whisker = _upright_whisker(bar, centre, maximum)
    highest = min(top, whisker.end if whisker else top)
    return PlacedBar(
        label=bar.label,
        text=text,
        x=_round(centre - width / 2),
        y=_round(top),
        width=_round(width),
        height=_round(base - top),
        label_lines=_lines(bar.label, slot - GAP, base + 18, is_centred=False),
        label_x=_round(centre),
        text_x=_round(centre),
        text_y=_round(highest - 6),
        whisker=whisker,
        is_defined=bar.value is not None,
    )


def _lying(bar: Bar, middle: float, left: float, maximum: float, text: str) -> PlacedBar:
    end = left if bar.value is None else _along(bar.value, left, maximum)
    whisker = _lying_whisker(bar, middle, left, maximum)
    furthest = max(end, whisker.end if whisker else end)
    return PlacedBar(
        label=bar.label,
        text=text,
        x=left,
        y=_round(middle - THICKNESS / 2),
        width=_round(end - left),
        height=THICKNESS,
        label_lines=_lines(bar.label, left - 8, middle + 4, is_centred=True),
        label_x=left - 8,
        text_x=_round(furthest + 6),
        text_y=_round(middle + 4),
        whisker=whisker,
        is_defined=bar.value is not None,
    )


def _upright_whisker(bar: Bar, centre: float, maximum: float) -> Whisker | None:
    if bar.value is None or bar.low is None or bar.high is None:
        return None
    low, high = _round(_up(bar.low, maximum)), _round(_up(bar.high, maximum))
    x, cap = _plain(centre), _plain(centre - CAP)
    path = f"M{x} {_plain(low)}V{_plain(high)}"
    path += f"M{cap} {_plain(high)}h{_plain(2 * CAP)}M{cap} {_plain(low)}h{_plain(2 * CAP)}"
    return Whisker(low, high, _round(centre), path)


def _lying_whisker(bar: Bar, middle: float, left: float, maximum: float) -> Whisker | None:
    if bar.value is None or bar.low is None or bar.high is None:
        return None
    low, high = (_round(_along(end, left, maximum)) for end in (bar.low, bar.high))
    y, cap = _plain(middle), _plain(middle - CAP)
    path = f"M{_plain(low)} {y}H{_plain(high)}"
    path += f"M{_plain(low)} {cap}v{_plain(2 * CAP)}M{_plain(high)} {cap}v{_plain(2 * CAP)}"
    return Whisker(low, high, _round(middle), path)


def _check(maximum: float, values: Sequence[Bar]) -> None:
    if not isfinite(maximum) or maximum <= 0:
        raise ValueError("maximum must be a positive number")
    numbers = [number for bar in values for number in (bar.value, bar.low, bar.high)]
    if not all(number is None or isfinite(number) for number in numbers):
        raise ValueError("values must be finite; use None for an undefined one")


def _up(value: float, maximum: float) -> float:
    base = HEIGHT - BOTTOM
    return base - (base - TOP) * _share(value, maximum)


def _along(value: float, left: float, maximum: float) -> float:
    return left + (WIDTH - VALUE_WIDTH - left) * _share(value, maximum)


def _share(value: float, maximum: float) -> float:
    return min(1.0, max(0.0, value / maximum))


def _value_text(bar: Bar, unit: str, decimals: int) -> str:
    if bar.value is None:
        return ""
    number = f"{bar.value:z.{decimals}f}".replace("-", "\N{MINUS SIGN}")
    return f"{number} {unit}".rstrip()


def _with_unit(value: float, unit: str) -> str:
    return f"{number_text(value)} {unit}".rstrip()


def _round(value: float) -> float:
    return round(value, 1)


def _plain(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
