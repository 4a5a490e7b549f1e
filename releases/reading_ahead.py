"""Reads in a thread of its own: the next page while the last is written, and beside a transaction."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

from django.db import connection, connections
from django.db.models import QuerySet

from common.db import consistent_transaction, shared_snapshot

Page = list[Any]
ReadPages = Callable[[Iterable[QuerySet[Any, Any]]], Iterator[Page]]
Given = ParamSpec("Given")
Result = TypeVar("Result")


class ReadBeside(Protocol):
    """Has `read` done with its arguments, and returns what waits for its result or raises its error."""

    def __call__(
        self, read: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs
    ) -> Callable[[], Result]: ...


@contextmanager
def reading_beside() -> Iterator[ReadBeside]:
    """Give what reads while a consistent transaction goes on, in a thread of its own if that pays.

    It sees the database as the transaction does, but nothing that the transaction writes. The thread
    has a connection of its own, and both end with the block. PostgreSQL answers it while it takes in
    what is written; SQLite does one thing at a time, so there everything is read at once.
    """
    snapshot = shared_snapshot()
    if not snapshot:
        yield _read_at_once
        return
    with _thread("reading-beside") as pool:
        yield partial(_read_beside, pool, snapshot)


def _read_beside(
    pool: ThreadPoolExecutor,
    snapshot: str,
    read: Callable[Given, Result],
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Callable[[], Result]:
    return pool.submit(consistent_transaction(snapshot)(read), *args, **kwargs).result


def _read_at_once(
    read: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs
) -> Callable[[], Result]:
    result = read(*args, **kwargs)
    return lambda: result


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
    with _thread("reading-ahead") as pool:
        yield partial(_read_ahead, pool)


@contextmanager
def _thread(name: str) -> Iterator[ThreadPoolExecutor]:
    """One thread, which ends what it has begun and closes its connection."""
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
    try:
        yield pool
    finally:
        pool.submit(connections.close_all)
        pool.shutdown()


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
