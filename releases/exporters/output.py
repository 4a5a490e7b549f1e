"""The folder that exporters write into: every file is hashed and measured while it is written."""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from releases.manifest import WrittenFile

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BUFFER_SIZE = 256 * 1024


class OutputFile(io.BufferedWriter):
    """A binary file being written; set `row_count` where the file has rows."""

    row_count: int | None = None


class OutputFolder:
    """Where a release is written; `files` are those that are finished, in the order written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: list[WrittenFile] = []

    @property
    def files(self) -> tuple[WrittenFile, ...]:
        return tuple(self._files)

    @contextmanager
    def create(self, name: str, *, media_type: str) -> Iterator[OutputFile]:
        """Give the new file `name` (a path with forward slashes) to write to.

        When the block ends, the file is closed and listed in `files`. Raises FileExistsError if
        two exporters choose the same name.
        """
        path = self.path_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
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

    def list_file(self, name: str, *, media_type: str) -> None:
        """Add a file to `files` that something else wrote here, because it must seek in it."""
        path = self.path_of(name)
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        self._files.append(WrittenFile(name, media_type, sha256, path.stat().st_size, None))

    def path_of(self, name: str) -> Path:
        return self.path.joinpath(*name.split("/"))


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
