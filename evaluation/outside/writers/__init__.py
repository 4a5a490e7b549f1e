"""Writes the answers of a run as other programs store theirs: one module for each program."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from evaluation.outside.writers import inspect_logs, lm_eval
from evaluation.outside.writers.base import AskedQuestion, RunFacts


@dataclass(frozen=True, slots=True)
class Writer:
    """A kind of file: what it is called, its media type, and its pieces in order."""

    name: Callable[[RunFacts], str]
    media_type: str
    pieces: Callable[[RunFacts, Iterable[AskedQuestion]], Iterator[str]]


WRITERS: Final[Mapping[str, Writer]] = MappingProxyType(
    {
        "lm_eval": Writer(lm_eval.samples_name, "application/jsonl", lm_eval.samples),
        "lm_eval_results": Writer(lm_eval.results_name, "application/json", lm_eval.results),
        "inspect": Writer(inspect_logs.log_name, "application/json", inspect_logs.log),
    }
)
"""By name of the file."""

FORMATS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"lm_eval": ("lm_eval", "lm_eval_results"), "inspect": ("inspect",)}
)
"""By name of the program: the files that it writes for a run."""
