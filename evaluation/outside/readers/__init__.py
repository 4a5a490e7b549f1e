"""Reads the answers that other programs stored: one module for each format."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from evaluation.outside.readers import answer_table, inspect_logs, lm_eval, openai_batch, tlue
from evaluation.outside.readers.base import OutsideAnswer

Reader = Callable[[Path], Iterator[OutsideAnswer]]

READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "tlue": tlue.read,
        "lm_eval": lm_eval.read,
        "inspect": inspect_logs.read,
        "openai_batch": openai_batch.read,
        "csv": answer_table.read,
    }
)
"""By name of the format; each raises AnswersUnreadable."""
