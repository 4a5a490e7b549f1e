"""Draws shares of several series in groups as bars, in an SVG file that stands alone, as papers print it.

The colours are those of Okabe and Ito, which people with any sight of colours can tell apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Final

WIDTH: Final = 720
COLOURS: Final = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#000000",
)  # fmt: skip
_LETTER: Final = 6.6
_THICKNESS: Final = 12
_GAP: Final = 10
_LINE: Final = 18
_WARNING_LETTERS: Final = 58
"""Of a line; so many ideographs are as wide as the picture."""
_VALUES: Final = 44
_WIDEST_LABEL: Final = 260
_TICKS: Final = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class Share:
    """A share in 0..1 with the ends of its interval, None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A label with a share of each series, in their order; None where a series has none."""

    label: str
    shares: Sequence[Share | None]


def draw_groups(
    title: str, series: Sequence[str], groups: Sequence[Group], *, warning: str = ""
) -> str:
    """Return an SVG document; with one series, its name is left out. `warning` stands at its foot."""
    return "".join(_Picture(title, series, groups, warning).parts())


class _Picture:
    def __init__(
        self, title: str, series: Sequence[str], groups: Sequence[Group], warning: str
    ) -> None:
        self._title, self._series, self._groups = title, series, groups
        self._warning = wrap(warning, _WARNING_LETTERS)
        longest = max((len(group.label) for group in groups), default=0)
        self._left = min(_WIDEST_LABEL, longest * _LETTER + 16)
        self._plot = WIDTH - self._left - _VALUES
        self._top = _LINE * (2 + (len(series) if len(series) > 1 else 0))
        self._bottom = self._top + sum(map(self._height_of, groups))

    def parts(self) -> Iterator[str]:
        foot = self._bottom + 2 * _LINE
        height = foot + len(self._warning) * _LINE
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" font-family="Noto Sans, sans-serif" font-size="12" role="img">\n'
            f'<title>{escape(self._title)}</title>\n<rect width="100%" height="100%" fill="#fff"/>\n'
        )
        yield _text(8, _LINE, self._title, "font-weight='bold'")
        yield from self._legend()
        yield from self._axis()
        top = float(self._top)
        for group in self._groups:
            yield from self._bars(group, top)
            top += self._height_of(group)
        for at, line in enumerate(self._warning):
            yield _text(8, foot + at * _LINE + 4, line)
        yield "</svg>\n"

    def _legend(self) -> Iterator[str]:
        for at, name in enumerate(self._series if len(self._series) > 1 else ()):
            y = _LINE * (at + 1) + 10
            yield f'<rect x="8" y="{y}" width="11" height="11" fill="{_colour(at)}"/>\n'
            yield _text(26, y + 10, name)

    def _axis(self) -> Iterator[str]:
        for tick in _TICKS:
            x = self._along(tick / 100)
            colour = "#bbb" if tick else "#333"
            yield f'<path d="M{x:.1f} {self._top}V{self._bottom:g}" stroke="{colour}" fill="none"/>\n'
            yield _text(x, self._bottom + _LINE, f"{tick} %", "text-anchor='middle'")

    def _bars(self, group: Group, top: float) -> Iterator[str]:
        middle = top + (self._height_of(group) - _GAP) / 2 + 4
        yield _text(self._left - 8, middle, _short(group.label), "text-anchor='end'")
        for at, share in enumerate(group.shares):
            if share is not None and share.value is not None:
                yield from self._bar(share, share.value, top + at * _THICKNESS, _colour(at))

    def _bar(self, share: Share, value: float, y: float, colour: str) -> Iterator[str]:
        start, end, middle = self._along(0), self._along(value), y + _THICKNESS / 2
        yield (
            f'<rect x="{start:.1f}" y="{y:.1f}" width="{end - start:.1f}" height="{_THICKNESS - 2}" '
            f'fill="{colour}"/>\n'
        )
        furthest = end
        if share.low is not None and share.high is not None:
            low, furthest = self._along(share.low), max(end, self._along(share.high))
            yield (
                f'<path d="M{low:.1f} {middle - 1:.1f}H{furthest:.1f}" stroke="#333" stroke-width="1.5" '
                'fill="none"/>\n'
            )
        yield _text(furthest + 4, middle + 3, f"{100 * value:.1f}", "font-size='10'")

    def _along(self, share: float) -> float:
        return self._left + self._plot * min(1.0, max(0.0, share))

    def _height_of(self, group: Group) -> float:
        return len(group.shares) * _THICKNESS + _GAP


def _colour(at: int) -> str:
    return COLOURS[at % len(COLOURS)]


def _short(label: str) -> str:
    most = int((_WIDEST_LABEL - 16) / _LETTER)
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>\n'
