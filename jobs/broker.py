"""The embedded broker: a kombu filesystem transport that loses no message when a process is killed.

Wiring in Celery's settings::

    broker_url = "filesystem://"
    broker_transport = "jobs.broker:Transport"
    broker_transport_options = {
        "data_folder_in": F,
        "data_folder_out": F,  # the same folder: waiting messages
        "processed_folder": P,  # claimed messages; same file system as F
        "polling_interval": 0.05,  # seconds between looks of an idle worker
    }
    worker_enable_remote_control = False  # and --without-gossip --without-mingle

What the files mean:

- `F/<time_ns>-<uuid>.<queue>.msg` waits. It is written under a hidden name and renamed, so nobody
  reads half of it. Names sort by the time of publishing: first in, first out.
- `P/worker-<pid>-<uuid>/` belongs to one consuming channel, which holds a lock on its `.lock`. A
  claim is a rename into it (one consumer wins), an acknowledgement removes the file, a rejection
  with requeue renames it back under its own name, so it keeps its place.
- The kernel frees the lock when the last process of a worker ends, however it ends. Every consumer
  sweeps at its start and each `SWEEP_SECONDS`: what lies in a folder with a free lock goes back.
- `P/corrupt/` holds files that are no message; they are logged and left for a person.
- `P/exchanges/` holds the routing tables, replaced by rename.

Delivery is at least once. There is no fsync: a power cut can lose a message, a kill cannot.
"""

import fcntl
import os
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any, TextIO
from urllib.parse import quote

import structlog
from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 5.0
LISTING_SECONDS = 0.5
LEFTOVER_SECONDS = 3600.0
MESSAGE_SUFFIX = ".msg"
WORKER_PREFIX = "worker-"
LOCK_NAME = ".lock"

_last_stamp = [0]
_stamp_lock = threading.Lock()


class QoS(virtual.QoS):
    """Settles the claim's file along with the delivery."""

    def ack(self, delivery_tag: str) -> None:
        super().ack(delivery_tag)
        self.channel.drop_claim(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        super().reject(delivery_tag, requeue=False)
        if requeue:
            self.channel.return_claim(delivery_tag)
        else:
            self.channel.drop_claim(delivery_tag)


class Channel(filesystem.Channel):
    """One connection's view of the folders; a claim's delivery tag is its file's name."""

    QoS = QoS
    do_restore = False  # kombu would publish unacknowledged messages a second time at exit

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting = Path(self.data_folder_in)
        self._outgoing = Path(self.data_folder_out)
        self._processed = Path(self.processed_folder)
        for folder in (self._waiting, self._outgoing, self._processed, self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._claims: Path | None = None
        self._claimer = 0
        self._lock: TextIO | None = None
        self._swept_at = float("-inf")
        self._listed_at: dict[str, float] = {}
        self._listing: dict[str, deque[str]] = {}

    @property
    def control_folder(self) -> Path:
        return Path(self.transport_options.get("control_folder") or self._processed / "exchanges")

    def drop_claim(self, tag: str) -> None:
        """Remove a claimed message for good; nothing happens if it is no longer claimed here."""
        if self._claims is not None:
            (self._claims / tag).unlink(missing_ok=True)

    def return_claim(self, tag: str) -> None:
        """Put a claimed message back in its place in the queue."""
        if self._claims is not None:
            with suppress(FileNotFoundError):
                (self._claims / tag).rename(self._waiting / tag)

    def basic_consume(
        self,
        queue: str,
        no_ack: bool,
        callback: Callable[[Any], Any],
        consumer_tag: str,
        **kwargs: Any,
    ) -> None:
        """Deliver to `callback`; with `no_ack` the message is settled before it is called."""

        def settle_first(message: Any) -> Any:
            self.drop_claim(message.delivery_tag)
            return callback(message)

        chosen = settle_first if no_ack else callback
        super().basic_consume(queue, no_ack, chosen, consumer_tag, **kwargs)

    def basic_get(self, queue: str, no_ack: bool = False, **kwargs: Any) -> Any:
        message = super().basic_get(queue, no_ack=no_ack, **kwargs)
        if message is not None and no_ack:
            self.drop_claim(message.delivery_tag)
        return message

    def close(self) -> None:
        """Give back what is unacknowledged at once, then close.

        A fork's copy of the channel closes without touching its parent's claims.
        """
        if self._claims is not None and self._lock is not None and self._claimer == os.getpid():
            _empty_folder(self._claims, into=self._waiting)
            self._lock.close()
            self._claims = self._lock = None
        super().close()

    def get_table(self, exchange: str) -> list[Any]:
        """Return the exchange's bindings; never half of a table that is being written."""
        try:
            rows = loads(self._exchange_file(exchange).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        return [filesystem.exchange_queue_t(*row) for row in rows]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._table_lock():
            table = self.get_table(exchange)
            if binding not in table:
                self._write_table(exchange, [binding, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *_a: Any, **_k: Any
    ) -> None:
        self._purge(queue)
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._table_lock():
            table = self.get_table(exchange)
            if binding in table:
                self._write_table(exchange, [row for row in table if row != binding])

    def _write_table(self, exchange: str, table: list[Any]) -> None:
        _publish(self._exchange_file(exchange), dumps(table))

    @contextmanager
    def _table_lock(self) -> Iterator[None]:
        with (self.control_folder / LOCK_NAME).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _put(  # type: ignore[override]  # kombu's own classes disagree on the names
        self, queue: str, message: dict[str, Any], **_kwargs: Any
    ) -> None:
        name = f"{_next_stamp():020d}-{uuid.uuid4().hex}{_suffix(queue)}"
        _publish(self._outgoing / name, dumps(message))

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        claims = self._claim_folder()
        self._sweep_when_due()
        while (name := self._next_name(queue)) is not None:
            try:
                (self._waiting / name).rename(claims / name)
            except FileNotFoundError:  # another consumer has it
                continue
            payload = self._read(claims / name)
            if payload is not None:
                return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        return sum(_remove(self._waiting / name) for name in self._names(queue))

    def _names(self, queue: str) -> list[str]:
        """Names of waiting messages, oldest first; the part before the first dot has no dot."""
        suffix = _suffix(queue)
        names = (entry for entry in os.listdir(self._waiting) if not entry.startswith("."))
        return sorted(name for name in names if name[name.find(".") :] == suffix)

    def _next_name(self, queue: str) -> str | None:
        """Take the next name of a listing; list anew when it is used up or no longer fresh."""
        now = time.monotonic()
        left = self._listing.get(queue)
        if not left or now - self._listed_at[queue] > LISTING_SECONDS:
            left = self._listing[queue] = deque(self._names(queue))
            self._listed_at[queue] = now
        return left.popleft() if left else None

    def _read(self, path: Path) -> dict[str, Any] | None:
        """Return the claimed message with its file as delivery tag; set aside what is none."""
        try:
            payload = loads(path.read_text(encoding="utf-8"))
            properties = payload["properties"]
            self.decode_body(payload.get("body"), properties.get("body_encoding"))
            properties["delivery_tag"] = path.name
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self._set_aside(path, error)
            return None
        return dict(payload)

    def _set_aside(self, path: Path, error: Exception) -> None:
        corrupt = self._processed / "corrupt"
        corrupt.mkdir(exist_ok=True)
        path.rename(corrupt / path.name)
        log.error("broker.corrupt_message", file=path.name, error=repr(error))

    def _claim_folder(self) -> Path:
        """Make this channel's folder: locked first, then shown, so no sweep sees it unlocked."""
        if self._claims is None:
            name = f"{WORKER_PREFIX}{os.getpid()}-{uuid.uuid4().hex}"
            hidden = self._processed / f".{name}"
            hidden.mkdir()
            self._lock = (hidden / LOCK_NAME).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self._claimer = os.getpid()
            self._claims = hidden.rename(self._processed / name)
        return self._claims

    def _sweep_when_due(self) -> None:
        now = time.monotonic()
        if now - self._swept_at > SWEEP_SECONDS:
            self._swept_at = now
            for folder in _worker_folders(self._processed):
                if folder != self._claims:
                    _return_dead_claims(folder, into=self._waiting)
            _remove_leftovers(self._outgoing)


class Transport(filesystem.Transport):
    """Name this as `broker_transport`; see the module for the options."""

    Channel = Channel


def _suffix(queue: str) -> str:
    return f".{quote(queue, safe='')}{MESSAGE_SUFFIX}"


def _next_stamp() -> int:
    """Nanoseconds since the epoch; later in one process is always larger."""
    with _stamp_lock:
        _last_stamp[0] = max(time.time_ns(), _last_stamp[0] + 1)
        return _last_stamp[0]


def _publish(path: Path, text: str) -> None:
    hidden = path.with_name(f".{uuid.uuid4().hex}.{path.name}")
    hidden.touch(mode=0o600, exist_ok=False)
    hidden.write_text(text, encoding="utf-8")
    hidden.rename(path)


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def _worker_folders(processed: Path) -> list[Path]:
    try:
        names = os.listdir(processed)
    except FileNotFoundError:
        return []
    return [processed / name for name in sorted(names) if name.startswith(WORKER_PREFIX)]


def _return_dead_claims(folder: Path, *, into: Path) -> None:
    """Move a dead worker's messages back and remove its folder; leave a live worker's alone."""
    try:
        with (folder / LOCK_NAME).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            returned = _empty_folder(folder, into=into)
    except BlockingIOError:  # its worker lives, or another consumer sweeps it
        return
    except FileNotFoundError:  # swept by another, who may have died before the last step
        with suppress(OSError):
            folder.rmdir()
        return
    log.warning("broker.messages_returned", worker=folder.name, count=returned)


def _empty_folder(folder: Path, *, into: Path) -> int:
    """Return the folder's messages to `into`, remove the folder (lock last), count them."""
    names = [name for name in os.listdir(folder) if name.endswith(MESSAGE_SUFFIX)]
    for name in names:
        (folder / name).rename(into / name)
    (folder / LOCK_NAME).unlink()
    folder.rmdir()
    return len(names)


def _remove_leftovers(folder: Path) -> None:
    """Remove hidden files of publishers that died while writing, once they are old."""
    horizon = time.time() - LEFTOVER_SECONDS
    for entry in os.scandir(folder):
        if entry.name.startswith("."):
            with suppress(FileNotFoundError):
                if entry.stat().st_mtime < horizon:
                    _remove(Path(entry.path))
