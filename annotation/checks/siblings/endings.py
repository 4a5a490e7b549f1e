"""Looks for questions that stop before their end, by how the other questions of the set end.

Three facts are weighed: the length beside the source, whether a mark ends the text, and its last
word or syllable, which other questions have at their end or within them. Each is a logarithm of
likelihood: of a text that was cut, beside one that is whole.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import regex

from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.catalogue.cuts import TELLING, cut_by_length
from annotation.checks.catalogue.likeness import length_of, log_ratio
from annotation.checks.catalogue.siblings import QuestionCut
from annotation.checks.catalogue.tokens import in_plain_math
from languages import get_language
from languages.units import units_of

CLEARLY: Final = 3.5
"""From this sum on, a question is reported: fewer than 1 in 100 published questions reach it."""

_LEAST_DEVIATION: Final = 0.1
_TO_DEVIATION: Final = 1.4826  # of a normal distribution: standard by median absolute deviation
_VARIANCE_OF_SHORT: Final = 0.25
_DOUBT: Final = 5.0
_OF_LAST: Final = 0.4  # a mark and a last word often say the same, and words are many
_MARKS: Final = regex.compile(r"[[\p{P}\p{S}]--[\u0f0b]]+", regex.V1)
_TSHEG: Final = "་"


@dataclass(frozen=True, slots=True)
class _Question:
    """What one question shows; `ratio` is the logarithm of its length by that of its source."""

    ratio: float
    source_length: int
    last: str
    inner: Counter[str]
    is_marked: bool
    inner_marks: int


class Endings:
    """How long the questions of a set are beside their sources, and how they end."""

    def __init__(self, texts: Iterable[CheckInput]) -> None:
        questions = list(map(_read, texts))
        ratios = np.array([question.ratio for question in questions])
        self._ratio = float(np.median(ratios))
        deviation = _TO_DEVIATION * float(np.median(abs(ratios - self._ratio)))
        self._deviation = max(_LEAST_DEVIATION, deviation)
        self._count = len(questions)
        self._last = Counter(question.last for question in questions)
        self._inner = Counter(unit for question in questions for unit in question.inner.elements())
        self._marked = sum(question.is_marked for question in questions)
        self._inner_marks = sum(question.inner_marks for question in questions)

    def problems(self, given: CheckInput, learned: CheckInput | None) -> Iterator[Problem]:
        """Yield the question if it was probably cut; `learned` is no evidence here."""
        question, own = _read(given), _read(learned) if learned else None
        if not given.question.strip() or not given.source_question.strip():
            return
        by_length = self._by_length(question)
        by_end = self._by_mark(question, own) + _OF_LAST * self._by_last(question, own)
        if by_length + by_end > CLEARLY:
            signs = {"short": by_length > TELLING, "open": by_end > TELLING}
            reason = "_and_".join(name for name, is_there in signs.items() if is_there)
            end = len(given.question)
            data = {"reason": reason}
            yield Problem(QuestionCut.code, QuestionCut.severity, "question", 0, end, data)

    def _by_length(self, question: _Question) -> float:
        short = _VARIANCE_OF_SHORT / max(question.source_length, 1)
        deviation = math.sqrt(self._deviation**2 + short)
        return cut_by_length(question.ratio - self._ratio, deviation)

    def _by_mark(self, question: _Question, own: _Question | None) -> float:
        """Compare how often a mark follows a unit within a question and at its end."""
        ends, marked = self._count, self._marked
        units, marks = self._inner.total(), self._inner_marks
        if own:
            ends, marked = ends - 1, marked - own.is_marked
            units, marks = units - own.inner.total(), marks - own.inner_marks
        if not question.is_marked:
            marked, marks = ends - marked, max(units - marks, 0)
        return math.log((marks + 1) / (units + 2)) - math.log((marked + 1) / (ends + 2))

    def _by_last(self, question: _Question, own: _Question | None) -> float:
        """Compare how often the last unit is within other questions and at their ends."""
        unit, ends, units = question.last, self._count, self._inner.total()
        last, inner = self._last[unit], self._inner[unit]
        if own:
            ends, units = ends - 1, units - own.inner.total()
            last, inner = last - (own.last == unit), inner - own.inner[unit]
        share = _DOUBT * (last + inner + 1) / (ends + units + 1)
        return math.log((inner + share) / (units + _DOUBT)) - math.log(
            (last + share) / (ends + _DOUBT)
        )


def _read(given: CheckInput) -> _Question:
    text = given.question.rstrip()
    units = units_of(text, get_language(given.target_language))
    lengths = [length_of(in_plain_math(each)) for each in (given.source_question, text)]
    body = text.rstrip(_TSHEG)
    marks = [match.end() for match in _MARKS.finditer(body)]
    is_marked = bool(marks) and marks[-1] == len(body)
    return _Question(
        ratio=log_ratio(*lengths),
        source_length=lengths[0],
        last=units[-1] if units else "",
        inner=Counter(units[:-1]),
        is_marked=is_marked,
        inner_marks=len(marks) - is_marked,
    )
