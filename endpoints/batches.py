"""A batch of calls to one endpoint: draw what is missing, ask it, store it raw, and conclude.

An app that calls endpoints says what to ask and where the answers go; stopping, resuming, retries
and the rate limit are the same for all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet

from endpoints import engine
from endpoints.actions import may_quote
from endpoints.connections import connect as connect_to
from endpoints.connections import limiter_of
from endpoints.engine import Key
from endpoints.models import Endpoint
from endpoints.places import places_at
from endpoints.providers.base import ChatProvider, ChatRequest
from endpoints.rate_limits import Places, RateLimiter
from endpoints.stops import (
    SAID_LENGTH,
    EndpointAsksToWait,
    EndpointFailing,
    EndpointRefusesAll,
    EndpointStopped,
)
from jobs.progress import JobCancelled, JobInterrupted, Progress

Row = TypeVar("Row", bound=Model)
STOPS: Mapping[engine.Outcome, type[EndpointStopped]] = {
    engine.Outcome.ENDPOINT_FAILING: EndpointFailing,
    engine.Outcome.ASKED_TO_WAIT: EndpointAsksToWait,
    engine.Outcome.DENIED: EndpointRefusesAll,
}
Connect = Callable[[Endpoint], ChatProvider]


class Calls(Protocol[Key]):
    """What a batch asks. A key is whatever is asked once, such as (item, epoch)."""

    def missing(self) -> Iterator[Sequence[Key]]:
        """Yield the keys that have no answer yet, in chunks that fit into memory."""
        ...

    def request(self, key: Key) -> ChatRequest:
        """Return the question of a key of the last chunk, without touching the database."""
        ...

    def store(self, results: list[engine.Result[Key]]) -> None:
        """Keep raw results. It may be called again with the same ones; see `insert_missing`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """How the endpoint is called: tests bring their own `connect` and `limits`.

    Without a `limiter`, the calls share the limit of the address with all other work.
    """

    endpoint: Endpoint
    concurrency: int
    connect: Connect = connect_to
    limits: engine.Limits = engine.DEFAULT_LIMITS
    limiter: RateLimiter | None = None


def perform_batch(calls: Calls[Key], line: Line, *, progress: Progress, done: int = 0) -> None:
    """Ask all that is missing and store each result; `done` is how much was stored before.

    No request is made inside a transaction. Running this again after a stop asks nothing twice, if
    `calls.missing` leaves out what is stored. Raises JobCancelled, JobInterrupted, EndpointFailing,
    EndpointAsksToWait, EndpointRefusesAll, KeyMissing, EndpointNotAllowed; what was answered is stored by then.
    Raises TurnOver when the job has had its turn at the worker and another project waits.
    """
    with places_at(line.endpoint.base_url, line.concurrency) as places:
        batch = _Batch(calls, line, places, progress, done)
        for keys in calls.missing():
            progress.check()
            if keys:
                batch.ask(keys)


def insert_missing(rows: Sequence[Row], *, stored: QuerySet[Row], key: Sequence[str]) -> None:
    """Insert the rows whose `key` columns are not among those of `stored`.

    So a batch may be stored twice, also by two workers at once, if a constraint holds the key.
    """
    try:
        _insert(rows, stored, key)
    except IntegrityError:  # another worker, assuming this one is dead, has just stored some
        _insert(rows, stored, key)


@transaction.atomic
def _insert(rows: Sequence[Row], stored: QuerySet[Row], key: Sequence[str]) -> None:
    there = set(stored.values_list(*key))
    new = [row for row in rows if tuple(getattr(row, name) for name in key) not in there]
    stored.bulk_create(new)


class _Batch:
    """One attempt: how many results are stored, and who wants it to stop."""

    def __init__(
        self, calls: Calls[Any], line: Line, places: Places, progress: Progress, done: int
    ) -> None:
        self._calls, self._line, self._places = calls, line, places
        self._progress, self._done = progress, done
        self._stopped_by: type[Exception] | None = None

    def ask(self, keys: Sequence[Any]) -> None:
        """Ask one chunk. Raises the error that ends the job, if any."""
        summary = engine.run(
            (engine.Unit(key, self._calls.request(key)) for key in keys),
            provider=self._line.connect(self._line.endpoint),
            concurrency=self._line.concurrency,
            store=self._store,
            is_cancelled=self._should_stop,
            limits=self._line.limits,
            limiter=self._line.limiter or limiter_of(self._line.endpoint),
            places=self._places,
        )
        self._conclude(summary)

    def _store(self, results: list[engine.Result[Any]]) -> None:
        self._calls.store(results)
        self._done += len(results)

    def _should_stop(self) -> bool:
        """Report progress; remember who wants the work to stop, to raise it at the end."""
        try:
            self._progress.advance_to(self._done)
            self._progress.check_turn()
        except (JobCancelled, JobInterrupted) as error:
            self._stopped_by = type(error)
            return True
        return False

    def _conclude(self, summary: engine.Summary) -> None:
        if summary.outcome is engine.Outcome.TERMINATED:
            raise JobInterrupted
        if summary.outcome is engine.Outcome.CANCELLED:
            raise self._stopped_by or JobCancelled
        if stop := STOPS.get(summary.outcome):
            raise stop(error=summary.detail, said=self._quoted(summary.said))

    def _quoted(self, said: str) -> str:
        return said[:SAID_LENGTH] if may_quote(self._line.endpoint) else ""
