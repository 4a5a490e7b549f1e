"""Concern all answers (CAA): the letter that is left when complete option lists are dropped."""

import re
from functools import lru_cache

from evaluation.scorers.base import Extraction, Reading, Scorer, settle

_LONGEST_REMEMBERED = 64


def extract(reading: Reading) -> Extraction:
    """Read all Latin letters in order (none at all: script letters), drop complete sets, settle.

    Source: TLUE algorithms 2 and 4, as published in its scorer. Unlike `direct`, script letters
    never help out when several Latin letters are left; here scorer and README agree. The README
    speaks of four options; the number is the item's own here.
    """
    letters = reading.latin or reading.script
    decide = _decide if len(letters) <= _LONGEST_REMEMBERED else _decide.__wrapped__
    return decide(letters, reading.asked.letters.count)


def drop_complete_sets(letters: str, option_count: int) -> str:
    """The letters that are left of the sequence without its complete option lists, in order.

    The published walk keeps a buffer: holding exactly `option_count` letters, all different, it is
    emptied, for that was a complete list in whatever order; holding one more, all but its last
    `option_count` − 1 letters, which are two, are kept for good; at the end the rest is kept. In
    other words: from the left, a complete list goes, else two letters stay if enough follow them.
    """
    return _step(option_count).sub(rf"\{option_count + 1}", letters)


@lru_cache(maxsize=8)
def _step(option_count: int) -> re.Pattern[str]:
    """Match a complete list, or two letters (the last group) with `option_count` − 1 behind them."""
    parts = ["(.)"]
    for number in range(2, option_count + 1):
        earlier = "|".join(rf"\{group}" for group in range(1, number))
        parts.append(f"(?!{earlier})(.)")
    return re.compile(f"{''.join(parts)}|(..)(?=.{{{option_count - 1}}})")


@lru_cache(maxsize=1 << 14)
def _decide(letters: str, option_count: int) -> Extraction:
    kept = drop_complete_sets(letters, option_count)
    if letters and not kept:
        return Extraction(None, failure="repeater")
    return settle(kept, option_count)


SCORER = Scorer("concern_all", "1", extract, published_name="concern_all_answer")
