"""What of an answer's style may please a judge: its length and its Markdown."""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

FEATURES: Final = ("length", "headings", "lists", "bold")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6} ", re.MULTILINE)
LISTED = re.compile(r"^[^\S\n]*(?:[-*+]|\d{1,3}[.)]) ", re.MULTILINE)
BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")


@dataclass(frozen=True, slots=True)
class Style:
    """Characters, and counts of Markdown outside of blocks of code."""

    length: int
    headings: int
    lists: int
    bold: int


def style_of(text: str) -> Style:
    """Count. Length is in characters, since many scripts put no spaces between words."""
    prose = FENCED.sub("", text)
    counts = (len(each.findall(prose)) for each in (HEADING, LISTED, BOLD))
    return Style(len(text), *counts)


def difference(first: Style, second: Style) -> tuple[float, ...]:
    """Return (a - b) / (a + b) for each of FEATURES, the relative difference of arena-hard's style control."""
    a = np.array([getattr(first, name) for name in FEATURES], dtype=float)
    b = np.array([getattr(second, name) for name in FEATURES], dtype=float)
    total = np.where(a + b == 0, 1.0, a + b)
    return tuple(((a - b) / total).tolist())
