"""Extraction methods: pure functions that find the answer in a model's response."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluation.scorers import anchored, concern_all, direct, first_option, numeric
from evaluation.scorers.base import AskedItem, Extraction, Reading, Scorer, read_response

SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {
        module.SCORER.name: module.SCORER
        for module in (anchored, direct, concern_all, first_option, numeric)
    }
)
"""Every method by name, in the order in which pages show them. The first is the headline."""


def extract(
    method: str, response: str, asked: AskedItem, excluded: Sequence[str] = ()
) -> Extraction:
    """Return what one method extracts from a response. Raises KeyError for an unknown method."""
    return SCORERS[method].extract(read_response(response, asked, excluded))


__all__ = [
    "SCORERS",
    "AskedItem",
    "Extraction",
    "Reading",
    "Scorer",
    "extract",
    "read_response",
]
