"""Opens a file to be imported: what is to be done with it, its rows as a stream, and its checksum."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from annotation.importers.errors import TOO_MUCH_MEMORY, ImportRefused
from annotation.importers.formats import OpenedImport
from annotation.importers.input_files import open_input
from annotation.importers.limits import ImportLimits
from annotation.imports.process import Request, reading
from annotation.imports.reports import reason_of
from common.errors import DomainError


class FileRefused(DomainError):
    """A file that cannot be imported; `reason` is the code of its words and `data` fills them."""

    code = "file_refused"
    status = 400

    def __str__(self) -> str:
        return reason_of(self.params["reason"], self.params.get("data", {}))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The options of reading a file; an empty one is found out from the content or the rows.

    `is_skipping_refused` imports the good rows of a file that has bad ones; otherwise one refused
    row means that nothing is imported. `mapping` names the columns (`importers.mapped`).
    `licence`, `attribution`, `version` and `url` describe the source that the rows come from, be
    they items or translations.
    """

    format: str = ""
    mapping: str = ""
    system: str = ""
    keys: Path | None = None
    is_dry_run: bool = False
    is_skipping_refused: bool = False
    licence: str = ""
    attribution: str = ""
    version: str = ""
    url: str = ""


def go_on() -> None:
    """Watch nothing: nobody can ask this import to end."""


@contextmanager
def open_file(
    path: Path, options: ImportOptions, watch: Callable[[], None] = go_on
) -> Iterator[OpenedImport]:
    """Open a file within the limits of the settings, for as long as the block takes.

    `watch` is called now and then while nothing comes, and may raise. Raises FileRefused, here or
    while reading, for what is wrong with the file, even if it takes more memory than there is.
    """
    limits = ImportLimits(**settings.IMPORT_LIMITS)
    request = Request(path, options.format or None, options.keys, limits, options.mapping)
    try:
        with reading(request, watch) as opened:
            yield opened
    except ImportRefused as refusal:
        raise FileRefused(reason=refusal.code, data=refusal.data) from refusal
    except MemoryError as error:
        raise FileRefused(reason=TOO_MUCH_MEMORY, data={"file": path.name}) from error


def checksum_of(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and checksums of what is read of a folder, in order."""
    if path.is_dir():
        files = open_input(path, ImportLimits(**settings.IMPORT_LIMITS)).files
        lines = [f"{_sha256(file.open())}  {file.name}" for file in files]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return _sha256(path.open("rb"))


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    with file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
