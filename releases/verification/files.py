"""Read the files of a release's folder for checking; say why what cannot be read."""

import csv
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from releases.files.exporters.output import sha256_of
from releases.files.ledger_figures import LedgerFigures
from releases.files.manifest import MANIFEST_FORMAT, MANIFEST_NAME

SUMS, LEDGER, HIDDEN, QUALITY = "SHA256SUMS", "ledger.jsonl", "black_box.jsonl", "quality.json"
UNREADABLE = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, ArithmeticError,
    RecursionError, csv.Error,
)  # fmt: skip


class Unreadable(Exception):
    """A file of the release cannot be read; the words say why."""

    def __init__(self, file: str, words: str) -> None:
        self.file, self.words = file, words
        super().__init__(f"{file}: {words}")


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Raise Unreadable about `file` if anything in the block cannot be read."""
    try:
        yield
    except UNREADABLE as error:
        raise Unreadable(file, _why(error)) from error


def _why(error: Exception) -> str:
    """Say why a file cannot be read."""
    for kind, words in _REASONS:
        if isinstance(error, kind):
            return words
    if isinstance(error, OSError) and error.strerror:
        return f"The file cannot be read: {error.strerror}."
    return DAMAGED


NOT_THERE = "The file is not in the folder."
DAMAGED = "The file does not hold what a file of this name holds in a release, or is damaged."
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (FileNotFoundError, NOT_THERE),
    (IsADirectoryError, "This is a folder, but a release has a file here."),
    (NotADirectoryError, "This is a file, but a release has a folder here."),
    (PermissionError, "You may not read this. Change its permissions and check again."),
    (UnicodeDecodeError, "The file is not text in UTF-8, so it is damaged or another file."),
    (json.JSONDecodeError, "The file is not JSON, so it is damaged or cut off."),
)


class ReleaseFiles:
    """The files of a release; each is read when it is first asked for.

    `notes` say what could not be checked, `items` how many lines the ledger has, once it is read.
    """

    def __init__(self, path: Path, content_hash: str, version: str) -> None:
        self.path = path
        self.content_hash = content_hash
        self.version = version
        self.items = 0
        self.notes: list[str] = []
        self.unread: dict[str, str] = {}

    @cached_property
    def sums_found(self) -> dict[str, str]:
        """Return the SHA-256 of every readable file, by name; `unread` has the others."""
        found = {}
        for name in sorted(self._file_names()):
            try:
                with reading(name):
                    path = self.path_of(name)
                    if path.is_file():
                        found[name] = sha256_of(path)
            except Unreadable as error:
                self.unread[name] = error.words
        return found

    def _file_names(self) -> Iterator[str]:
        for folder, _folders, names in os.walk(self.path, onerror=self._note_folder):
            within = Path(folder).relative_to(self.path)
            yield from ((within / name).as_posix() for name in names)

    def _note_folder(self, error: OSError) -> None:
        name = Path(error.filename).relative_to(self.path).as_posix()
        self.unread[name] = _why(error)

    def why_unread(self, name: str) -> str:
        """Say why a file, or a folder that holds it, cannot be read; "" for what is not there."""
        places = (name, *(each.as_posix() for each in PurePosixPath(name).parents))
        return next((self.unread[place] for place in places if place in self.unread), "")

    def path_of(self, name: str) -> Path:
        return self.path.joinpath(*name.split("/"))

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return self.object_of(MANIFEST_NAME)

    @cached_property
    def ledger(self) -> list[dict[str, Any]]:
        found = self.objects_of(LEDGER)
        self.items = len(found)
        return found

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Count the figures of the ledger anew."""
        found = LedgerFigures()
        ledger = self.ledger  # says in its own words which line is no object
        try:
            for line in ledger:
                found.add(line)
            return found.as_json()
        except UNREADABLE as error:  # a line holds something else, and what it says is no reason
            raise Unreadable(LEDGER, DAMAGED) from error

    @property
    def is_of_this_format(self) -> bool:
        """Return whether it has everything that is checked; earlier releases lack some figures."""
        manifest = self.manifest
        with reading(MANIFEST_NAME):
            return bool(manifest["manifest_format"] == MANIFEST_FORMAT)

    @cached_property
    def is_of_first_format(self) -> bool:
        """Return whether its manifest lists the checksums, and not the other way round."""
        try:
            return bool(self.manifest.get("manifest_format") == 1)
        except Unreadable:
            return False

    @property
    def unsummed(self) -> set[str]:
        """Return what SHA256SUMS does not name: itself, the archive, and the manifest that lists it."""
        try:
            archive = {self.archive}
        except Unreadable:
            archive = set()
        return {SUMS} | archive | ({MANIFEST_NAME} if self.is_of_first_format else set())

    @property
    def unlisted(self) -> set[str]:
        """Return what the manifest does not list: itself, the archive, and the checksums of itself."""
        return {MANIFEST_NAME, self.archive} | (set() if self.is_of_first_format else {SUMS})

    @property
    def archive(self) -> str:
        manifest = self.manifest
        with reading(MANIFEST_NAME):
            return f"{manifest['project']}-{manifest['version']}.zip"

    def bytes_of(self, name: str) -> bytes:
        with reading(name):
            return self.path_of(name).read_bytes()

    def object_of(self, name: str) -> dict[str, Any]:
        data = self.bytes_of(name)
        with reading(name):
            return _object(data)

    def objects_of(self, name: str) -> list[dict[str, Any]]:
        """Return the objects of a file that has one in each line."""
        data = self.bytes_of(name)
        with reading(name):
            return [_object(line) for line in data.splitlines()]


def _object(data: bytes) -> dict[str, Any]:
    found = json.loads(data.decode())
    if not isinstance(found, dict):
        raise TypeError("not an object")
    return found
