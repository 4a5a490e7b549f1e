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
_IDLE: Final = f" \t\u00a0\u3000!！{_QUOTES}{_MARKS}"
LONGEST_ANSWER: Final = 2_000
MOST_LABELS: Final = 4
_LABEL: Final = re.compile("[:：]")


def extract(reading: Reading) -> Extraction:
    """Return the last line that is more than marks; `is_key` compares it with the key."""
    lines = [line.strip() for line in reading.text.splitlines() if line.strip(_IDLE)]
    if not lines:
        return Extraction(None, failure="no_answer")
    return Extraction(lines[-1])


def is_key(answer: str | None, key: str) -> bool:
    """Whether an answer, or what follows one of its colons, is a line of the key.

    Both are folded (`languages.folding`). Case, spaces and marks at the ends do not count. Two
    texts that are one number each are compared by value.
    """
    lines = (line for line in key.splitlines() if len(line) <= LONGEST_ANSWER)
    accepted = [bare for bare in map(_bare, lines) if bare]
    return any(_is_same(said, one) for said in _readings(answer or "") for one in accepted)


def _readings(answer: str) -> Iterator[str]:
    """Yield the answer, and what follows its first colons; a longer line is no exact answer."""
    if len(answer) > LONGEST_ANSWER:
        return
    yield _bare(answer)
    for label in islice(_LABEL.finditer(answer), MOST_LABELS):
        yield _bare(answer[label.end() :])


def _bare(text: str) -> str:
    """Return a short text as it is compared. `Yes!` loses its mark, `5!` is a factorial."""
    bare = " ".join(fold(text).split()).casefold().lstrip(f" {_QUOTES}")
    while True:
        bare = bare.rstrip(f" {_QUOTES}{_MARKS}")
        calm = bare.rstrip("!")
        if calm == bare or calm[-1:].isdigit():
            return bare
        bare = calm


def _is_same(said: str, accepted: str) -> bool:
    if said == accepted:
        return True
    number = read_number(accepted)
    return number is not None and read_number(said) == number


SCORER = Scorer("exact", "1", extract, published_name="exact", key_kind="text")
