"""Extraction methods: pure functions from a model's response to one option letter, or none."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluation.scorers import anchored, concern_all, direct, first_option, numeric
from evaluation.scorers.base import AskedItem, Extraction, Reading, Scorer, read_response

SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {
        module.SCORER.name: module.SCORER
        for module in (direct, concern_all, first_option, anchored, numeric)
    }
)


def extract(
    method: str, response: str, asked: AskedItem, excluded: Sequence[str] = ()
) -> Extraction:
    """What one method takes from one response. KeyError: no such method."""
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
