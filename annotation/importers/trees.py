"""Opens a file, a folder or a zipped folder as one list of named inputs, within limits."""

import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from annotation.importers.errors import ImportRefused

FILES_TRIED = 20
"""How many files are looked into to recognise a format."""

SUFFIXES = frozenset({".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"})


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Sizes in bytes; `archive_ratio` is unpacked size over packed size.

    `json_bytes` bounds files that can only be read as a whole.
    """

    row_bytes: int = 1_000_000
    file_bytes: int = 200_000_000
    json_bytes: int = 50_000_000
    total_bytes: int = 1_000_000_000
    archive_ratio: int = 100
    files: int = 10_000


@dataclass(frozen=True, slots=True)
class InputFile:
    """One readable file; `name` is its path below the tree's root, with forward slashes."""

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
class Tree:
    """All inputs of one import in the order of their names; `root` and `parent` name the place."""

    root: str
    parent: str
    files: tuple[InputFile, ...]
    limits: ImportLimits = field(default_factory=ImportLimits)


def open_tree(path: Path, limits: ImportLimits) -> Tree:
    """List what is to be read; raises ImportRefused when there is nothing or too much."""
    if not path.exists():
        raise ImportRefused("path_missing", {"file": path.name})
    resolved = path.resolve()
    tree = Tree(resolved.name, resolved.parent.name, _inputs(resolved, limits), limits)
    if not tree.files:
        raise ImportRefused("nothing_to_read", {"file": path.name})
    if len(tree.files) > limits.files:
        raise ImportRefused("too_many_files", {"file": path.name, "limit": limits.files})
    if sum(file.size for file in tree.files) > limits.total_bytes:
        raise ImportRefused("import_too_large", {"file": path.name, "limit": limits.total_bytes})
    return tree


def _inputs(path: Path, limits: ImportLimits) -> tuple[InputFile, ...]:
    if path.is_dir():
        return _folder_inputs(path, limits)
    if path.suffix.lower() == ".zip":
        return _archive_inputs(path, limits)
    if not path.is_file():  # a pipe would be waited for, and can't be read twice
        raise ImportRefused("not_readable", {"file": path.name})
    return (_plain_input(path, path.name),)


def _plain_input(path: Path, name: str) -> InputFile:
    def open_file() -> BinaryIO:
        try:
            return path.open("rb")
        except OSError as error:
            raise ImportRefused("not_readable", {"file": name}) from error

    return InputFile(name, path.stat().st_size, open_file)


def _folder_inputs(path: Path, limits: ImportLimits) -> tuple[InputFile, ...]:
    found: list[InputFile] = []
    for child in _wanted_files(path):
        name = child.relative_to(path).as_posix()
        _guard_link(child, path, name)
        if child.is_file():
            found.append(_plain_input(child, name))
        if len(found) > limits.files:
            break
    return tuple(sorted(found, key=lambda file: file.name))


def _wanted_files(root: Path) -> Iterator[Path]:
    """Yield what may be read; a folder that can't be listed is refused, never left out."""

    def refuse(error: OSError) -> None:
        name = Path(error.filename or root).relative_to(root.parent)
        raise ImportRefused("not_readable", {"file": name.as_posix()}) from error

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = sorted(name for name in folders if not _is_hidden(PurePosixPath(name)))
        for name in folders:
            _guard_link(Path(folder, name), root, name)
        for name in names:
            child = Path(folder, name)
            if child.suffix.lower() in SUFFIXES and not _is_hidden(PurePosixPath(name)):
                yield child


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


def _archive_inputs(path: Path, limits: ImportLimits) -> tuple[InputFile, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise ImportRefused("not_an_archive", {"file": path.name}) from error
    guard_archive(members, path.name, path.stat().st_size, limits)
    inputs = [_member_input(path, member) for member in members if _is_wanted(member)]
    return tuple(sorted(inputs, key=lambda file: file.name))


def _is_wanted(member: zipfile.ZipInfo) -> bool:
    name = PurePosixPath(member.filename)
    return not member.is_dir() and name.suffix.lower() in SUFFIXES and not _is_hidden(name)


def guard_archive(
    members: list[zipfile.ZipInfo], name: str, packed: int, limits: ImportLimits
) -> None:
    """Refuse members that lead out of the archive, are locked, or unpack to far too much."""
    if len(members) > limits.files:
        raise ImportRefused("too_many_files", {"file": name, "limit": limits.files})
    for member in members:
        inside = PurePosixPath(member.filename.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts:
            raise ImportRefused("path_outside", {"file": f"{name}: {member.filename}"})
        if member.flag_bits & 1:
            raise ImportRefused("archive_locked", {"file": name})
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.total_bytes or unpacked > limits.archive_ratio * max(packed, 1):
        raise ImportRefused("archive_bomb", {"file": name, "limit": limits.archive_ratio})


def _member_input(path: Path, member: zipfile.ZipInfo) -> InputFile:
    def open_member() -> BinaryIO:
        try:
            with zipfile.ZipFile(path) as archive:
                return cast("BinaryIO", archive.open(member))
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise ImportRefused("not_an_archive", {"file": member.filename}) from error

    return InputFile(member.filename, member.file_size, open_member)
