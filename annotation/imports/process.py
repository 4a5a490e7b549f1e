"""Reads the file of an import in a process of its own, whose memory is bounded.

Libraries that read workbooks or Parquet take what a file asks for. Here that costs no more than
the file: the process runs out of memory, crashes or hangs by itself, and the file is refused. It
also reads and parses while this process compares and writes. The child keeps nothing, so it may
be killed at any time.
"""

import gc
import os
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from annotation.importers.base import Row
from annotation.importers.errors import ImportRefused, too_much_memory
from annotation.importers.formats import OpenedImport, look_at, open_import
from annotation.importers.input_files import open_input
from annotation.importers.limits import ImportLimits
from annotation.importers.reading import batches_of
from common.processes import give_way

SMALL_BYTES: Final = 1_000_000
STALL_SECONDS = 120.0
_LOOK_SECONDS: Final = 0.5
_PLAIN_TEXT: Final = frozenset({".csv", ".json", ".jsonl", ".ndjson", ".tsv"})
_ROOT: Final = Path(__file__).resolve().parents[2]
_LENGTH: Final = struct.Struct("<Q")
_STACK_BYTES: Final = 256 * 1024
# One heap of the C library for Python and Arrow, and no threads with heaps of their own: else
# what is set aside, which the limit counts, would be many times what is used.
_ENVIRONMENT: Final = {
    "PYTHONPATH": str(_ROOT),
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be read: the arguments of `open_import`, or those of `look_at`."""

    path: Path
    format: str | None
    keys: Path | None
    limits: ImportLimits
    mapping: str = ""
    look: tuple[str, str] | None = None


@contextmanager
def reading(request: Request, watch: Callable[[], None]) -> Iterator[OpenedImport]:
    """Open the file as `open_import` does; its rows can be read until the block ends.

    It is read in a child process, unless it is a small text file, which can't do harm. `watch` is
    called twice a second while there is nothing to read; what it raises ends the reading. Raises
    ImportRefused, here or while reading, for anything that is wrong with the file.
    """
    if _is_small_text(request):
        with refusals_of(request.path):
            opened = _open(request)
        yield replace(opened, rows=_guarded(opened.rows, request.path))
        return
    child = _Child(request, watch)
    try:
        yield child.opened()
    finally:
        child.close()


@contextmanager
def refusals_of(path: Path) -> Iterator[None]:
    """Raise ImportRefused for whatever is wrong with a file as a whole."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ImportRefused("not_an_archive", {"file": path.name}) from error
    except OSError as error:
        raise ImportRefused("not_readable", {"file": path.name}) from error
    except MemoryError as error:
        raise too_much_memory(path.name) from error


def _guarded(rows: Iterator[Row], path: Path) -> Iterator[Row]:
    with refusals_of(path):
        yield from rows


def _is_small_text(request: Request) -> bool:
    """Whether the files are text that Python reads line by line, and too little of it to matter."""
    size = 0
    for path in (request.path, request.keys):
        if path is None:
            continue
        if path.suffix.lower() == ".zip":
            return False
        with refusals_of(path):
            files = open_input(path, request.limits).files
        if not all(file.suffix in _PLAIN_TEXT for file in files):
            return False
        size += sum(file.size for file in files)
    return size <= SMALL_BYTES


def _open(request: Request) -> OpenedImport:
    if request.look:
        return look_at(request.path, *request.look, request.limits)
    return open_import(
        request.path, request.format, request.keys, request.limits, mapping=request.mapping
    )


class _Child:
    """The process that reads; every message from it is a tuple that begins with a word."""

    def __init__(self, request: Request, watch: Callable[[], None]) -> None:
        self._name = request.path.name
        self._watch = watch
        self._process = subprocess.Popen(
            [sys.executable, "-m", "annotation.imports.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=_ROOT,
            env={**os.environ, **_ENVIRONMENT},
            start_new_session=True,  # so that Ctrl-C asks only the parent
        )
        assert self._process.stdin  # noqa: S101
        assert self._process.stdout  # noqa: S101
        self._answers = self._process.stdout
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        # The pipe stays open: the child ends when it is closed, even by the death of this process.
        self._process.stdin.write(pickle.dumps(_absolute(request)))

    def opened(self) -> OpenedImport:
        """Return the import, whose rows come from the process. Raises ImportRefused."""
        _word, format_name, files, notes = self._receive()
        return OpenedImport(format_name, files, self.rows(), notes)

    def rows(self) -> Iterator[Row]:
        """Yield the rows. Raises ImportRefused."""
        while (message := self._receive())[0] == "rows":
            yield from message[1]

    def close(self) -> None:
        """End the child, whatever it is doing."""
        self._process.kill()
        self._process.communicate()

    def _receive(self) -> tuple[Any, ...]:
        (size,) = _LENGTH.unpack(self._read(_LENGTH.size))
        message: tuple[Any, ...] = pickle.loads(self._read(size))  # noqa: S301 - of our own child
        if message[0] == "refused":
            raise ImportRefused(message[1], message[2])
        return message

    def _read(self, size: int) -> bytearray:
        content = bytearray(size)
        rest = memoryview(content)
        while rest:
            self._wait()
            count = _read_into(self._answers, rest)
            if not count:
                raise self._death()
            rest = rest[count:]
        return content

    def _wait(self) -> None:
        began = time.monotonic()
        while not self._poll.poll(_LOOK_SECONDS * 1000):
            self._watch()
            if time.monotonic() - began > STALL_SECONDS:
                data: dict[str, str | int] = {"file": self._name, "limit": int(STALL_SECONDS)}
                raise ImportRefused("reading_stalled", data)

    def _death(self) -> ImportRefused:
        """Return the refusal of a file that the child died of; the log has what it said."""
        if self._process.wait() == -signal.SIGKILL:  # the system was out of memory
            return too_much_memory(self._name)
        return ImportRefused("reading_failed", {"file": self._name})


def _read_into(pipe: IO[bytes], content: memoryview) -> int:
    return os.readv(pipe.fileno(), [content])


def _absolute(request: Request) -> Request:
    keys = request.keys.absolute() if request.keys else None
    return replace(request, path=request.path.absolute(), keys=keys)


def answer(request: Request, answers: BinaryIO) -> None:
    """What the child does: send how the file is read, its rows in batches, and a last word."""
    try:
        with refusals_of(request.path):
            opened = _open(request)
            _send(answers, ("opened", opened.format, opened.files, opened.notes))
            for batch in batches_of(opened.rows):
                _send(answers, ("rows", batch))
        _send(answers, ("end",))
    except ImportRefused as refusal:
        _send(answers, ("refused", refusal.code, refusal.data))


def _send(answers: BinaryIO, message: tuple[Any, ...]) -> None:
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    answers.write(_LENGTH.pack(len(content)))
    answers.write(content)
    answers.flush()


def _bound_memory(size: int) -> None:
    """Have every request for memory beyond `size` bytes fail, in any library; 0 for no limit."""
    if size:
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _end_with_parent() -> None:
    """Wait until the parent closes the pipe, or dies, and end at once."""
    os.read(0, 1)
    os._exit(1)


def main() -> None:
    """Read what the parent asks for; nothing but messages may reach its end of the pipe."""
    give_way()
    with suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        request: Request = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent
        threading.stack_size(_STACK_BYTES)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        _bound_memory(request.limits.memory_bytes)
        gc.freeze()
        answer(request, answers)


if __name__ == "__main__":
    main()
