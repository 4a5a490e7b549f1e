"""Reads the next page of rows while the last one is written."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.db import connection, connections
from django.db.models import QuerySet

Page = list[Any]
ReadPages = Callable[[Iterable[QuerySet[Any, Any]]], Iterator[Page]]


@contextmanager
def reading_ahead() -> Iterator[ReadPages]:
    """Give what reads the rows of queries one after the other, in a thread of its own if that pays.

    The thread has a connection of its own, and both end with the block. PostgreSQL answers while
    Python writes the page before. SQLite does its work in this process, so there nothing is won;
    and within a transaction another connection would not see what that has written.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        yield read_pages
        return
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading-ahead") as pool:
        try:
            yield partial(_read_ahead, pool)
        finally:
            pool.submit(connections.close_all)


def read_pages(queries: Iterable[QuerySet[Any, Any]]) -> Iterator[Page]:
    """The rows of each query, read when they are asked for."""
    return map(list, queries)


def _read_ahead(pool: ThreadPoolExecutor, queries: Iterable[QuerySet[Any, Any]]) -> Iterator[Page]:
    """At most one page waits, so that memory does not grow with the release."""
    waiting: Future[Page] | None = None
    for query in queries:
        following = pool.submit(list, query)
        if waiting is not None:
            yield waiting.result()
        waiting = following
    if waiting is not None:
        yield waiting.result()
