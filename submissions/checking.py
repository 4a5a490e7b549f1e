"""Read the answers that somebody sends, and check all of them before any is scored."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from languages.letters import letters_of, plain_letter
from languages.numerals import read_number, write_number
from scoring.scorers.numeric import parse_key

MOST_NAMED = 100
LONGEST_ANSWER = 40
MOST_EPOCHS = 20
MOST_BYTES = 3_000_000
"""20 answers to each of 10,000 items, with the ids of hidden items, as `json.dumps` writes them, fit."""
Pairs = list[tuple[str, Any]]


class Unreadable(Exception):
    """The file is not what it should be; the words say why."""


class NotAnObject(Unreadable):
    def __init__(self) -> None:
        super().__init__("The file is not a JSON object of ids and answers.")


class NotTwoColumns(Unreadable):
    def __init__(self, line: int) -> None:
        super().__init__(f"Line {line} does not have two columns: id and answer.")


class NotText(Unreadable):
    def __init__(self) -> None:
        super().__init__("The file is neither JSON nor CSV in UTF-8.")


class TooManyEpochs(Exception):
    """Most items have more answers than are taken."""

    def __init__(self, epochs: int) -> None:
        super().__init__(f"{epochs} answers to each item")
        self.epochs = epochs


@dataclass(frozen=True, slots=True)
class Asked:
    """The items of a part in their order: id → number of options, 0 if a number is asked for.

    `unscored` are ids of the part that nobody's answers are scored on. `script` are the letters
    that the language uses for options besides A, B, ….
    """

    option_counts: Mapping[str, int]
    unscored: frozenset[str] = frozenset()
    script: str = ""


@dataclass(frozen=True, slots=True)
class Faults:
    """The ids that are wrong, each list shortened to MOST_NAMED; `counts` are whole."""

    unknown: tuple[str, ...]
    missing: tuple[str, ...]
    doubled: tuple[str, ...]
    no_option: tuple[str, ...]
    uneven: tuple[str, ...]
    counts: Mapping[str, int]

    def __bool__(self) -> bool:
        return any(self.counts.values())


def read_file(data: bytes) -> Pairs:
    """Return the pairs of a JSON object or of a CSV file with id and answer, doubled ones included.

    Raises Unreadable.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText from error
    return read_json(text) if text.lstrip().startswith(("{", "[")) else read_csv(text)


def read_json(text: str) -> Pairs:
    """Return the pairs of a JSON object. Raises Unreadable."""
    try:
        found = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise NotAnObject from error
    if not isinstance(found, list) or not all(isinstance(each, tuple) for each in found):
        raise NotAnObject
    if not text.isascii() or "\\u" in text:
        _refuse_half_pairs(found)
    return found


def _refuse_half_pairs(found: object) -> None:
    """Raise NotAnObject if a text has half of a surrogate pair, which nobody can write or store."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError) as error:
        raise NotAnObject from error


def read_csv(text: str) -> Pairs:
    """Return the pairs of a CSV file; a first line `id,answer` is a header. Raises Unreadable."""
    found: Pairs = []
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text)), 1):
            if not row or (
                number == 1 and [cell.strip().lower() for cell in row] == ["id", "answer"]
            ):
                continue
            if len(row) != 2:
                raise NotTwoColumns(number)
            found.append((row[0].strip(), row[1]))
    except csv.Error as error:
        raise NotText from error
    return found


def check(pairs: Pairs, asked: Asked) -> tuple[list[str], Faults]:
    """Return the answers in the order of the items, and all that is wrong with them.

    An empty answer, or null, is one that the model did not give. A list has an answer for each
    epoch, as many for each item; the answers of an epoch follow those of the one before. Raises
    TooManyEpochs.
    """
    counts = Counter(uid for uid, _answer in pairs)
    given = {uid: answer if isinstance(answer, list) else [answer] for uid, answer in pairs}
    epochs = _epochs(given)
    if epochs > MOST_EPOCHS:
        raise TooManyEpochs(epochs)
    read = {
        uid: [_read(answer, count, asked.script) for answer in given[uid]]
        for uid, count in asked.option_counts.items()
        if len(given.get(uid, ())) == epochs
    }
    known = asked.option_counts.keys() | asked.unscored
    faults = _faults(
        unknown=[uid for uid in counts if uid not in known],
        missing=[uid for uid in asked.option_counts if uid not in given],
        doubled=[uid for uid, count in counts.items() if count > 1],
        no_option=[uid for uid, answers in read.items() if None in answers],
        uneven=[uid for uid, answers in given.items() if uid in known and len(answers) != epochs],
    )
    if faults:
        return [], faults
    return [
        read[uid][epoch] or "" for epoch in range(epochs) for uid in asked.option_counts
    ], faults


def _epochs(given: Mapping[str, Sequence[Any]]) -> int:
    """Return how many answers most items have, 1 at least."""
    lengths = Counter(map(len, given.values()))
    return max(lengths, key=lambda length: lengths[length], default=1) or 1


def _faults(**lists: Sequence[str]) -> Faults:
    return Faults(
        **{name: tuple(_short(ids)) for name, ids in lists.items()},
        counts={name: len(ids) for name, ids in lists.items()},
    )


def _short(ids: Iterable[str]) -> Iterable[str]:
    return [uid[:MOST_NAMED] for uid in list(ids)[:MOST_NAMED]]


def _read(answer: Any, option_count: int, script: str) -> str | None:
    """Return the answer as it is kept, "" if there is none, None if it is not an answer."""
    if answer is None:
        return ""
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return None
    text = str(answer).strip()
    if not text:
        return ""
    if not option_count:
        return _number(text)
    return _letter(text, option_count, script) if len(text) == 1 else None


@lru_cache(maxsize=1024)  # few letters come ten thousand times
def _letter(sign: str, option_count: int, script: str) -> str | None:
    letters = letters_of(option_count)
    own = script[:option_count].find(sign)
    letter = letters[own] if own >= 0 else plain_letter(sign)
    return letter if letter in letters else None


def number_of(text: str) -> Fraction | None:
    """Return the value of an answer that is one number, None of any other."""
    if len(text) > LONGEST_ANSWER:
        return None
    value = read_number(text)
    found = parse_key(text) if value is None else value
    return None if found is None else Fraction(found)


def one_spelling(value: Fraction | Decimal) -> str | None:
    """Return the spelling in which equal numbers are kept, so that they do not count as different.

    None if it is longer than an answer may be.
    """
    exact = Fraction(value)
    if max(abs(exact.numerator), exact.denominator) >= 10**LONGEST_ANSWER:
        return None
    written = write_number(exact)
    return written if len(written) <= LONGEST_ANSWER else None


def _number(text: str) -> str | None:
    value = number_of(text)
    return None if value is None else one_spelling(value)
