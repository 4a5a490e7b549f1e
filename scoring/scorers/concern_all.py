"""Concern all answers (CAA): the only letter left after dropping complete lists of options."""

import re
from functools import lru_cache

from scoring.scorers.base import Extraction, Reading, Scorer, settle

_LONGEST_REMEMBERED = 32


def extract(reading: Reading) -> Extraction:
    """Drop complete sets from the Latin letters in order, or the script letters if there are none.

    Source: TLUE algorithms 2 and 4, as published in its scorer, which removes less reasoning before
    (see `answer_text`). Unlike in `direct`, script letters
    don't decide between several Latin letters; scorer and README agree on this. The README assumes
    four options; this function uses the item's own number.
    """
    letters, option_letters = reading.latin or reading.script, reading.asked.letters
    if len(letters) <= _LONGEST_REMEMBERED:
        return _decide(letters, option_letters.count)
    kept = _kept_for_good(letters[:_LONGEST_REMEMBERED], option_letters.count)
    if kept.issuperset(option_letters.latin):
        return settle(option_letters.latin, option_letters.count)
    return _decide.__wrapped__(letters, option_letters.count)


def drop_complete_sets(letters: str, option_count: int) -> str:
    """Return the letters that are left of a sequence after dropping its complete option lists.

    The published algorithm fills a buffer. When the buffer has exactly `option_count` letters and
    all are different, it is a complete list and is emptied. When it has one letter more, its first
    two letters are kept for good. At the end the rest of the buffer is kept. In other words, going
    from left to right: drop a complete list, or else keep two letters if enough letters follow.
    """
    return _step(option_count).sub(rf"\{option_count + 1}", letters)


def _kept_for_good(beginning: str, option_count: int) -> set[str]:
    """Return the letters that are kept whatever follows this beginning of a sequence.

    Prose soon keeps every letter, so that the rest of the sequence does not matter.
    """
    steps = _step(option_count).finditer(beginning)
    return set().union(*(step[option_count + 1] or "" for step in steps))


@lru_cache(maxsize=8)
def _step(option_count: int) -> re.Pattern[str]:
    """Match a complete list, or two letters (the last group) before `option_count` − 1 others."""
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


SCORER = Scorer(
    "concern_all", "1", extract, published_name="concern_all_answer", reads_letters=True
)
