"""Measures how alike two texts are, and picks the parts of a text that are worth looking up."""

from collections import Counter
from typing import Final

from annotation.search_text import folded

GRAM: Final = 3
WINDOW: Final = 7
MOST_WINDOWS: Final = 24


def windows(text: str, most: int = MOST_WINDOWS) -> list[str]:
    """Return parts of a folded text that are spread evenly over it, at most `most`.

    A text that is nearly the same shares most of them.
    """
    text = " ".join(folded(text).split())
    if len(text) <= WINDOW:
        return [text] if text else []
    last = len(text) - WINDOW
    count = min(most, last + 1)
    starts = {round(last * number / max(count - 1, 1)) for number in range(count)}
    return list(dict.fromkeys(text[start : start + WINDOW] for start in sorted(starts)))


def likeness(first: Counter[str], second: Counter[str]) -> float:
    """Return the Dice coefficient of two multisets of trigrams: 2 |A ∩ B| / (|A| + |B|), from 0 to 1."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def grams(text: str) -> Counter[str]:
    """Return the trigrams of a folded text, of blanks one; a shorter text is one gram."""
    text = " ".join(folded(text).split())
    if len(text) < GRAM:
        return Counter([text] if text else [])
    return Counter(text[at : at + GRAM] for at in range(len(text) - GRAM + 1))
