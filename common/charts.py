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
VALUE_WIDTH = 50.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A value to draw; None for one that is undefined (a label without a bar)."""

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
class PlacedBar:
    """A rectangle with the place of its label; `text` is the value as it is printed."""

    label: str
    text: str
    x: float
    y: float
    width: float
    height: float
    label_x: float
    label_y: float
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

    @property
    def view_box(self) -> str:
        return f"0 0 {number_text(self.width)} {number_text(self.height)}"


def bar_chart(values: Sequence[Bar], *, maximum: float, unit: str = "") -> BarChart:
    """Place upright bars on an axis from 0 to `maximum`, each with the whisker of its interval.

    Values and whiskers are cut off at the axis' ends. Raises ValueError when `maximum` is not a
    positive number or a value is not finite.
    """
    _check(maximum, values)
    base, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    slot = (right - LEFT) / max(1, len(values))
    bars = tuple(
        _upright(bar, LEFT + slot * (index + 0.5), slot, maximum, unit)
        for index, bar in enumerate(values)
    )
    ticks = tuple(
        Tick(_round(_up(value, maximum)), value, _with_unit(value, unit))
        for value in tick_values(maximum)
    )
    return BarChart(WIDTH, HEIGHT, LEFT, right, TOP, base, ticks, bars)


def horizontal_bars(values: Sequence[Bar], *, maximum: float, unit: str = "") -> BarChart:
    """Place bars one below the other; labels stand left of them. Height grows with the rows.

    Raises ValueError as `bar_chart` does.
    """
    _check(maximum, values)
    right, top = WIDTH - VALUE_WIDTH, 10.0
    base = top + ROW * len(values)
    bars = tuple(
        _lying(bar, top + ROW * (index + 0.5), maximum, unit) for index, bar in enumerate(values)
    )
    ticks = tuple(
        Tick(_round(_along(value, maximum)), value, _with_unit(value, unit))
        for value in tick_values(maximum)
    )
    return BarChart(WIDTH, base + 24, LABEL_WIDTH, right, top, base, ticks, bars)


def tick_values(maximum: float, count: int = 4) -> tuple[float, ...]:
    """Give round values from 0 to at most `maximum`, 1, 2, 2.5 or 5 times a power of ten apart.

    There are `count` steps or fewer, at least one where the axis allows it.
    """
    rough = maximum / count
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.9999)
    return tuple(round(index * step, 10) for index in range(int(maximum / step + 1e-9) + 1))


def number_text(value: float) -> str:
    """Write a number without needless zeros: 3.0 as "3", 28.71 as "28.7", 0.25 as "0.25"."""
    decimals = 2 if abs(value) < 1 else 1
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _upright(bar: Bar, centre: float, slot: float, maximum: float, unit: str) -> PlacedBar:
    width = min(WIDEST_BAR, slot * BAR_SHARE)
    base = HEIGHT - BOTTOM
    top = base if bar.value is None else _up(bar.value, maximum)
    whisker = _upright_whisker(bar, centre, maximum)
    highest = min(top, whisker.end if whisker else top)
    return PlacedBar(
        label=bar.label,
        text="" if bar.value is None else f"{bar.value:.1f} {unit}".rstrip(),
        x=_round(centre - width / 2),
        y=_round(top),
        width=_round(width),
        height=_round(base - top),
        label_x=_round(centre),
        label_y=_round(base + 22),
        text_x=_round(centre),
        text_y=_round(highest - 6),
        whisker=whisker,
        is_defined=bar.value is not None,
    )


def _lying(bar: Bar, middle: float, maximum: float, unit: str) -> PlacedBar:
    end = LABEL_WIDTH if bar.value is None else _along(bar.value, maximum)
    whisker = _lying_whisker(bar, middle, maximum)
    furthest = max(end, whisker.end if whisker else end)
    return PlacedBar(
        label=bar.label,
        text="" if bar.value is None else f"{bar.value:.1f} {unit}".rstrip(),
        x=LABEL_WIDTH,
        y=_round(middle - THICKNESS / 2),
        width=_round(end - LABEL_WIDTH),
        height=THICKNESS,
        label_x=LABEL_WIDTH - 8,
        label_y=_round(middle + 4),
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


def _lying_whisker(bar: Bar, middle: float, maximum: float) -> Whisker | None:
    if bar.value is None or bar.low is None or bar.high is None:
        return None
    low, high = _round(_along(bar.low, maximum)), _round(_along(bar.high, maximum))
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


def _along(value: float, maximum: float) -> float:
    return LABEL_WIDTH + (WIDTH - VALUE_WIDTH - LABEL_WIDTH) * _share(value, maximum)


def _share(value: float, maximum: float) -> float:
    return min(1.0, max(0.0, value / maximum))


def _with_unit(value: float, unit: str) -> str:
    return f"{number_text(value)} {unit}".rstrip()


def _round(value: float) -> float:
    return round(value, 1)


def _plain(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
