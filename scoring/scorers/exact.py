"""Exact answers: the last line of a response beside the accepted answers of an open-ended item."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from languages.folding import fold
from languages.numerals import read_number
from scoring.scorers.base import Extraction, Reading, Scorer

_QUOTES: Final = "\"'`*_“”‘’«»「」『』《》"
_MARKS: Final = ".。．,，、;；:：！?？་༌།༎༏༐༑᠂᠃"
LONGEST_ANSWER: Final = 2_000
MOST_LABELS: Final = 4
# `5!` is a factorial, `Yes!` is not.
_ENDS: Final = re.compile(rf"^[\s{_QUOTES}]+|(?:[\s{_QUOTES}{_MARKS}]|(?<!\d)!)+$")
_LABEL: Final = re.compile("[:：]")


def extract(reading: Reading) -> Extraction:
    """Return the last line that is more than marks; `is_key` compares it with the key."""
    lines = [line.strip() for line in reading.text.splitlines() if _bare(line)]
    if not lines:
        return Extraction(None, failure="no_answer")
    return Extraction(lines[-1])


def is_key(answer: str | None, key: str) -> bool:
    """Whether an answer, or what follows one of its colons, is a line of the key.

    Both are folded (`languages.folding`). Case, spaces and marks at the ends do not count. Two
    texts that are one number each are compared by value.
    """
    accepted = [bare for bare in map(_bare, key.splitlines()) if bare]
    return any(_is_same(said, one) for said in _readings(answer or "") for one in accepted)


def _readings(answer: str) -> Iterator[str]:
    """Yield the answer, and what follows its first colons; a longer line is no exact answer."""
    if len(answer) > LONGEST_ANSWER:
        return
    yield _bare(answer)
    for label in islice(_LABEL.finditer(answer), MOST_LABELS):
        yield _bare(answer[label.end() :])


def _bare(text: str) -> str:
    return _ENDS.sub("", " ".join(fold(text).split())).casefold()


def _is_same(said: str, accepted: str) -> bool:
    if said == accepted:
        return True
    number = read_number(accepted)
    return number is not None and read_number(said) == number


SCORER = Scorer("exact", "1", extract, published_name="exact", key_kind="text")
