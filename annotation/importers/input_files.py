"""Opens a file, a folder or a zipped folder as one list of named inputs, within limits."""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from annotation.importers.archives import open_archive, open_member
from annotation.importers.errors import ImportRefused
from annotation.importers.limits import ImportLimits

FILES_TRIED = 20
"""The number of files of one kind in a folder that are opened to recognise a format."""

_Listing = tuple[tuple["InputFile", ...], tuple["UnusedFile", ...]]

SUFFIXES = frozenset({".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".tsv", ".xlsx"})


@dataclass(frozen=True, slots=True)
class InputFile:
    """One readable file; `name` is its path below the imported folder, with forward slashes."""

    name: str
    size: int
    open: Callable[[], BinaryIO]

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file that is not read; `code` names the reason and `data` fills its words."""

    name: str
    code: str
    data: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InputFiles:
    """The files of one import in the order of their names.

    `root` is the name of the file or folder that is imported and `parent` that of the folder
    around it. `unused` are files that no importer reads. `sheet` and `separator` say how tables are
    read, '' for what the content shows.
    """

    root: str
    parent: str
    files: tuple[InputFile, ...]
    limits: ImportLimits = field(default_factory=ImportLimits)
    unused: tuple[UnusedFile, ...] = ()
    sheet: str = ""
    separator: str = ""


def open_input(path: Path, limits: ImportLimits) -> InputFiles:
    """List the files to read; raises ImportRefused when there are none or too many."""
    if not path.exists():
        raise ImportRefused("path_missing", {"file": path.name})
    resolved = path.resolve()
    files, unused = _list_files(resolved, limits)
    inputs = InputFiles(resolved.name, resolved.parent.name, files, limits, unused)
    if not inputs.files:
        raise ImportRefused("nothing_to_read", {"file": path.name})
    if len(inputs.files) > limits.files:
        raise ImportRefused("too_many_files", {"file": path.name, "limit": limits.files})
    if sum(file.size for file in inputs.files) > limits.total_bytes:
        raise ImportRefused("import_too_large", {"file": path.name, "limit": limits.total_bytes})
    return inputs


@contextmanager
def open_seekable(file: InputFile) -> Iterator[BinaryIO]:
    """Open a file that is read in any order, for as long as the block takes.

    A member of an archive is unpacked to a temporary file first: going back in it would unpack
    it from its start each time.
    """
    with file.open() as handle:
        if not isinstance(handle, zipfile.ZipExtFile):
            yield handle
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(handle, copy)
            copy.seek(0)
            yield cast("BinaryIO", copy)


def _list_files(path: Path, limits: ImportLimits) -> _Listing:
    if path.is_dir():
        return _folder_files(path, limits)
    if path.suffix.lower() == ".zip":
        return _archive_files(path, limits)
    if not path.is_file():  # a pipe would be waited for, and can't be read twice
        raise ImportRefused("not_readable", {"file": path.name})
    return (_plain_input(path, path.name),), ()


def _plain_input(path: Path, name: str) -> InputFile:
    def open_file() -> BinaryIO:
        try:
            return path.open("rb")
        except OSError as error:
            raise ImportRefused("not_readable", {"file": name}) from error

    return InputFile(name, path.stat().st_size, open_file)


def _folder_files(path: Path, limits: ImportLimits) -> _Listing:
    found: list[InputFile] = []
    unused: list[UnusedFile] = []
    for child in _walk(path):
        name = child.relative_to(path).as_posix()
        if reason := _why_unused(name):
            unused.append(reason)
            continue
        _guard_link(child, path, name)
        if child.is_file():
            found.append(_plain_input(child, name))
        if len(found) > limits.files:
            break
    return _sorted(found, unused)


def _walk(root: Path) -> Iterator[Path]:
    """Yield every file; a folder that can't be listed is refused, never left out."""

    def refuse(error: OSError) -> None:
        name = Path(error.filename or root).relative_to(root.parent)
        raise ImportRefused("not_readable", {"file": name.as_posix()}) from error

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = sorted(name for name in folders if not _is_hidden(PurePosixPath(name)))
        for name in folders:
            _guard_link(Path(folder, name), root, name)
        yield from (Path(folder, name) for name in names)


def _why_unused(name: str) -> UnusedFile | None:
    path = PurePosixPath(name)
    if _is_hidden(path):
        return UnusedFile(name, "hidden_file")
    if path.suffix.lower() not in SUFFIXES:
        return UnusedFile(name, "unknown_type", {"known": ", ".join(sorted(SUFFIXES))})
    return None


def _sorted(files: list[InputFile], unused: list[UnusedFile]) -> _Listing:
    by_name = sorted(files, key=lambda file: file.name)
    return tuple(by_name), tuple(sorted(unused, key=lambda file: file.name))


def _guard_link(child: Path, root: Path, name: str) -> None:
    """Refuse a link that leads out of the folder or nowhere."""
    if not child.is_symlink():
        return
    if not Path(os.path.realpath(child)).is_relative_to(root):
        raise ImportRefused("path_outside", {"file": name})
    if not child.exists():
        raise ImportRefused("not_readable", {"file": name})


def _is_hidden(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def _archive_files(path: Path, limits: ImportLimits) -> _Listing:
    """List the members of an archive, which stays open for as long as one of them is known.

    Opening it anew for each member would read the list of all members each time.
    """
    archive = open_archive(path.open("rb"), path.name, path.stat().st_size, limits)
    found: list[InputFile] = []
    unused: list[UnusedFile] = []
    for member in archive.infolist():
        if member.filename.endswith("/"):  # a folder; a nameless member has no last character
            continue
        if reason := _why_unused(member.filename):
            unused.append(reason)
        else:
            opens = partial(open_member, archive, member)
            found.append(InputFile(member.filename, member.file_size, opens))
    return _sorted(found, unused)
