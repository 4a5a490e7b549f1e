"""Cuts what comes one after another into batches."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")


def batched(values: Iterable[Value], size: int) -> Iterator[tuple[Value, ...]]:
    """Give the values in order, `size` at once; the last batch may have fewer."""
    rest = iter(values)
    while batch := tuple(islice(rest, size)):
        yield batch
