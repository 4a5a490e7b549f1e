"""Looks for two options that have changed places, by what all other texts of the set show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

import numpy as np

from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.catalogue.likeness import length_of, misfit, shared_part
from annotation.checks.catalogue.siblings import OptionsExchanged
from annotation.checks.catalogue.tokens import in_plain_math
from annotation.checks.siblings.association import (
    Association,
    Matrix,
    UnitPair,
    Units,
    compared_units,
    presence,
    shown_unit,
)
from languages import get_language
from languages.letters import letter_of

# How much better an order fits is a sum of three parts. Their weights are those of a logistic
# regression on 474 published Tibetan items, in their own order and with two options exchanged.
_OF_WORDS: Final = 7.0
_OF_LENGTHS: Final = 1.5
_OF_LIKENESS: Final = 5.0
CLEARLY: Final = 3.3
"""From this sum on, two options are reported: at most 1 in 100 of these items reach it as published,
among 100 items or more."""

_FEWEST: Final = 2
_MOST_LETTERS: Final = 1000
_MOST_TERMS: Final = 3
_TELLING: Final = 0.25


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of one text, each with its units, and how well each fits each of the source."""

    source: Sequence[Units]
    target: Sequence[Units]
    source_units: Sequence[str]
    target_units: Sequence[str]
    strengths: Matrix


class Exchanges:
    """Knows which units belong together in the texts of a set and in the terms of a glossary."""

    def __init__(self, texts: Iterable[CheckInput], terms: Iterable[UnitPair] = ()) -> None:
        pairs = chain.from_iterable(map(unit_pairs, texts))
        self._association = Association(chain(pairs, terms))

    def problems(self, given: CheckInput, learned: CheckInput | None) -> Iterator[Problem]:
        """Yield the exchange that would make the options fit much better.

        `learned` is the text as it was learned, which is no evidence here.
        """
        if len(given.options) < _FEWEST:
            return
        own = list(unit_pairs(learned)) if learned else []
        options = self._options(list(unit_pairs(given))[1:], own)
        gains = _gains(given, options)
        best = max(gains, key=gains.__getitem__)
        if gains[best] > CLEARLY:
            yield _problem(best, _terms(options, best))

    def _options(self, pairs: Sequence[UnitPair], own: Sequence[UnitPair]) -> _Options:
        source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        units = sorted(frozenset().union(*source)), sorted(frozenset().union(*target))
        return _Options(source, target, *units, self._association.strengths(*units, own))


def unit_pairs(given: CheckInput) -> Iterator[UnitPair]:
    """Yield the units of the question and of each option, beside those of the translation.

    Of long texts the beginnings are compared, so that no text takes long.
    """
    languages = get_language(given.source_language), get_language(given.target_language)
    most = _MOST_LETTERS // max(len(given.options), 1)
    texts = (given.source_question, *given.source_options), (given.question, *given.options)
    for pair in zip(*texts, strict=True):
        source, target = (
            compared_units(in_plain_math(text)[:most], language)
            for text, language in zip(pair, languages, strict=True)
        )
        yield source, target


def _gains(given: CheckInput, options: _Options) -> Mapping[tuple[int, int], float]:
    """Return how much better the options fit with each two of them exchanged."""
    words = _fits(options)
    likeness, found = _likenesses(options.source), _likenesses(options.target)
    fewer, more = _lengths(given)
    straight = misfit(fewer, more)[0]
    gains = {}
    for one, two in combinations(range(len(options.source)), 2):
        order = _exchanged(len(options.source), one, two)
        by_words = words[one, two] + words[two, one] - words[one, one] - words[two, two]
        by_length = straight - misfit(fewer, [more[at] for at in order])[0]
        by_likeness = _off(likeness, found) - _off(likeness, found[np.ix_(order, order)])
        gains[one, two] = (
            _OF_WORDS * by_words + _OF_LENGTHS * by_length + _OF_LIKENESS * by_likeness
        )
    return gains


def _fits(options: _Options) -> Matrix:
    """Return how well each option of the source (a row) fits each of the translation.

    That is the sum of the closest unit of the other side for each unit, by the root of their number.
    """
    rows = presence(options.source, options.source_units) > 0
    columns = presence(options.target, options.target_units) > 0
    fits = np.zeros((len(rows), len(columns)))
    for row, ours in enumerate(rows):
        for column, theirs in enumerate(columns):
            part = options.strengths[np.ix_(ours, theirs)]
            if part.size:
                fits[row, column] = part.max(0).sum() / part.shape[1] ** 0.5
                fits[row, column] += part.max(1).sum() / part.shape[0] ** 0.5
    return fits


def _likenesses(texts: Sequence[Units]) -> Matrix:
    """Return how much of its units each text shares with each other one."""
    return np.array([[shared_part(one, other) for other in texts] for one in texts])


def _off(wanted: Matrix, found: Matrix) -> float:
    return float(((wanted - found) ** 2).sum()) / 2


def _lengths(given: CheckInput) -> tuple[list[int], list[int]]:
    """Return the lengths of the options on each side, first those of the side with fewer characters.

    A short text varies most, and a syllable is one character in some scripts and five in others.
    """
    source, target = (
        [length_of(in_plain_math(text)) for text in texts]
        for texts in (given.source_options, given.options)
    )
    return (source, target) if sum(source) <= sum(target) else (target, source)


def _exchanged(count: int, one: int, two: int) -> list[int]:
    order = list(range(count))
    order[one], order[two] = two, one
    return order


def _terms(options: _Options, exchange: tuple[int, int]) -> str:
    """Return the closest units that stand in different places of the two options, as one text."""
    one, two = exchange
    found = sorted((*_crossing(options, one, two), *_crossing(options, two, one)), reverse=True)
    chosen: list[tuple[str, str]] = []
    for _strength, _size, source, target in found:
        if not any(source in known and target in theirs for known, theirs in chosen):
            chosen.append((source, target))
    return "; ".join(f"{source} – {target}" for source, target in chosen[:_MOST_TERMS])


def _crossing(options: _Options, one: int, two: int) -> Iterator[tuple[float, int, str, str]]:
    """Yield close units of which only option `one` has the first and only option `two` the other."""
    ours = options.source[one] - options.source[two]
    theirs = options.target[two] - options.target[one]
    for row, column in np.argwhere(options.strengths >= _TELLING):
        source, target = options.source_units[row], options.target_units[column]
        if source in ours and target in theirs:
            strength = float(options.strengths[row, column])
            yield strength, len(source), shown_unit(source), shown_unit(target)


def _problem(exchange: tuple[int, int], terms: str) -> Problem:
    one, other = map(letter_of, exchange)
    data = {"one": one, "other": other, "terms": terms}
    return Problem(OptionsExchanged.code, OptionsExchanged.severity, "item", data=data)
