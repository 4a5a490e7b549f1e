"""The folder that exporters write into: every file is hashed and measured while it is written."""

import hashlib
import io
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from releases.manifest import WrittenFile

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BUFFER_SIZE = 64 * 1024
"""Small enough for the allocator to use the memory of one file again for the next."""
READ_SIZE = 1024 * 1024
HASHED_AT_ONCE = 4 * 1024 * 1024


class OutputFile(io.BufferedWriter):
    """A binary file being written; set `row_count` where the file has rows."""

    row_count: int | None = None


class OutputFolder:
    """Where a release is written; `files` are those that are finished, in the order written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: list[WrittenFile] = []
        self._made: set[Path] = set()

    @property
    def files(self) -> tuple[WrittenFile, ...]:
        return tuple(self._files)

    @contextmanager
    def create(self, name: str, *, media_type: str) -> Iterator[OutputFile]:
        """Give the new file `name` (a path with forward slashes) to write to.

        When the block ends, the file is closed and listed in `files`. Raises FileExistsError if
        two exporters choose the same name.
        """
        path = self._parent_made(self.path_of(name))
        with path.open("xb", buffering=0) as target:
            hashing = _HashingFile(target)
            with OutputFile(hashing, BUFFER_SIZE) as file:
                yield file
                file.flush()
            self._files.append(
                WrittenFile(name, media_type, hashing.sha256, hashing.size, file.row_count)
            )

    def add_bytes(self, name: str, data: bytes, *, media_type: str) -> None:
        """Write a small file at once."""
        with self.create(name, media_type=media_type) as file:
            file.write(data)

    def list_file(self, name: str, *, media_type: str, sha256: str, size: int) -> None:
        """Add a file to `files` that something else wrote here, because it must seek in it."""
        self._files.append(WrittenFile(name, media_type, sha256, size, None))

    def path_of(self, name: str) -> Path:
        return self.path.joinpath(*name.split("/"))

    def _parent_made(self, path: Path) -> Path:
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        return path


class FollowingHash:
    """Hashes a file in a thread of its own while it is written, up to where it will not change.

    The thread ends with the block.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = hashlib.sha256()
        self._at = self._asked = 0
        self._steps: list[Future[None]] = []
        self._pool = ThreadPoolExecutor(max_workers=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def follow_to(self, size: int) -> None:
        """The first `size` bytes stand for good: hash them, once they are worth the change of thread."""
        if size - self._asked >= HASHED_AT_ONCE:
            self._ask(size)

    def finish(self, size: int) -> str:
        """Hash the rest of the file, which has `size` bytes; return its SHA-256. Raises OSError."""
        self._ask(size)
        for step in self._steps:
            step.result()
        return self._digest.hexdigest()

    def _ask(self, size: int) -> None:
        self._asked = size
        self._steps.append(self._pool.submit(self._hash_to, size))

    def _hash_to(self, size: int) -> None:
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._at)
            while data := file.read(min(READ_SIZE, size - self._at)):
                self._digest.update(data)
                self._at += len(data)


class _HashingFile(io.RawIOBase):
    """Passes what is written on to `target` and keeps count of it."""

    def __init__(self, target: io.FileIO) -> None:
        self._target = target
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size

    def write(self, data: "ReadableBuffer", /) -> int:
        view = memoryview(data)
        written = self._target.write(view)
        self._digest.update(view[:written])
        self.size += written
        return written
