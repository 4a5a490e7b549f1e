"""Extraction methods: pure functions that find the answer in a model's response."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from scoring.scorers import (
    anchored,
    concern_all,
    direct,
    exact,
    first_option,
    judge,
    likelihood,
    numeric,
    tmlu,
    translation,
)
from scoring.scorers.base import AskedItem, Extraction, Reading, Scorer, read_response

SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {
        scorer.name: scorer
        for scorer in (
            anchored.SCORER,
            direct.SCORER,
            concern_all.SCORER,
            first_option.SCORER,
            tmlu.DIRECT,
            tmlu.REASONED,
            numeric.SCORER,
            exact.SCORER,
            judge.SCORER,
            translation.SCORER,
            likelihood.LETTER,
            likelihood.TEXT,
            likelihood.NORMALISED,
        )
    }
)
"""Every method by name, in the order in which pages show them. The first is the headline."""
RUN_METHODS = tuple(name for name, each in SCORERS.items() if each.reads != "verdicts")
"""Those that score an answer by itself; a judge is asked about it, by a job of its own."""
TEXT_METHODS = tuple(name for name, each in SCORERS.items() if each.reads == "text")
GRADED_METHODS = tuple(name for name, each in SCORERS.items() if each.is_graded)
"""Those that say of an answer whether it is right."""
FILE_METHODS = tuple(name for name in TEXT_METHODS if name in GRADED_METHODS)
"""Those that score a file of responses with keys."""
TRANSLATION = translation.SCORER.name


def are_likelihoods(methods: Iterable[str]) -> bool:
    """Return whether methods read likelihoods of options. Those of one run all do, or none does."""
    return any(SCORERS[name].reads == "likelihoods" for name in methods)


def extract(
    method: str,
    response: str,
    asked: AskedItem,
    excluded: Sequence[str] = (),
    *,
    is_published: bool = False,
) -> Extraction:
    """Return what one method extracts from a response. Raises KeyError for an unknown method."""
    reading = read_response(response, asked, excluded, is_published=is_published)
    return SCORERS[method].extract(reading)


__all__ = [
    "FILE_METHODS",
    "GRADED_METHODS",
    "RUN_METHODS",
    "SCORERS",
    "TEXT_METHODS",
    "TRANSLATION",
    "AskedItem",
    "Extraction",
    "Reading",
    "Scorer",
    "are_likelihoods",
    "extract",
    "read_response",
]
