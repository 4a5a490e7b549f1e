"""The folder that exporters write into; it hashes and measures every file as it is written."""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from releases.files.manifest import WrittenFile

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BUFFER_SIZE = 64 * 1024
"""Small enough for the allocator to use the memory of one file again for the next."""


class OutputFile(io.BufferedWriter):
    """A binary file being written; set `row_count` where the file has rows."""

    row_count: int | None = None


class OutputFolder:
    """The folder of a release being written; `files` are the finished ones, in the order written."""

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
        """Add a file to `files` that something else wrote here."""
        self._files.append(WrittenFile(name, media_type, sha256, size, None))

    def path_of(self, name: str) -> Path:
        return self.path.joinpath(*name.split("/"))

    def _parent_made(self, path: Path) -> Path:
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        return path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _HashingFile(io.RawIOBase):
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
