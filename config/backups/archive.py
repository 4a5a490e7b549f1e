"""The file of a backup: a ZIP of the database, the files of `var/`, and a manifest with checksums."""

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.utils.translation import gettext as _

from config.backups.errors import BackupDamaged

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "database"
FILES = "var"
BLOCK = 1 << 20
MANIFEST_BYTES = 256 * BLOCK


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the archive, as it was when it was read."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a backup; `migrations` are the applied ones, as "app.name"."""

    version: str
    created_at: str
    database: str
    migrations: tuple[str, ...]
    members: tuple[Member, ...]

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}


class ArchiveWriter:
    """Writes files into an archive and remembers their checksums."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.members: list[Member] = []

    def add(self, name: str, path: Path) -> None:
        """Copy a file; its checksum is of the copied bytes, even if somebody writes to it meanwhile."""
        with (
            path.open("rb") as source,
            self._archive.open(name, "w", force_zip64=True) as target,
        ):
            size, sha256 = _copy(source, target)
        self.members.append(Member(name, size, sha256))

    def finish(self, manifest: Manifest) -> None:
        text = json.dumps(manifest.as_json(), ensure_ascii=False, indent=1)
        self._archive.writestr(MANIFEST, text)


@contextmanager
def new_archive(path: Path) -> Iterator[ArchiveWriter]:
    """Write an archive that only its owner can read, and give it its name when it is complete.

    It is written beside `path`, flushed to the disk and then renamed; after an error nothing of
    it is left.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with _private(part) as raw:
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
                yield ArchiveWriter(archive)
            raw.flush()
            os.fsync(raw.fileno())
        part.rename(path)
        _flush_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


def read_manifest(path: Path) -> Manifest:
    """Return the manifest. Raises BackupDamaged, or OSError if there is no such file."""
    with _opened(path) as archive:
        return _manifest(path, archive)


def unpack(path: Path, folder: Path) -> Manifest:
    """Write every member below `folder`, readable by its owner alone, and compare the checksums.

    A member that would unpack to more than the manifest says is not unpacked. Raises BackupDamaged.
    """
    with _opened(path) as archive:
        manifest = _manifest(path, archive)
        _compare_names(path, archive.namelist(), manifest.members)
        for member in manifest.members:
            if archive.getinfo(member.name).file_size != member.size:
                raise _wrong(path, member)
            target = folder / member.name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with archive.open(member.name) as source, _private(target) as copy:
                found = _copy(source, copy)
            if found != (member.size, member.sha256):
                raise _wrong(path, member)
    return manifest


def _wrong(path: Path, member: Member) -> BackupDamaged:
    problem = _("the checksum of %(name)s is wrong") % {"name": member.name}
    return BackupDamaged(file=path, problem=problem)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BackupDamaged(file=path, problem=_("it cannot be read to the end")) from error


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        with archive.open(MANIFEST) as file:
            told = json.loads(file.read(MANIFEST_BYTES))  # a longer one ends amid its JSON
        is_ours = told.pop("format") == FORMAT
        members = tuple(Member(**member) for member in told.pop("members"))
        manifest = Manifest(**told | {"migrations": tuple(told["migrations"])}, members=members)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BackupDamaged(file=path, problem=_("it has no readable manifest")) from error
    if not is_ours or not all(_is_inside(member.name) for member in members):
        raise BackupDamaged(file=path, problem=_("its manifest was not made by Lotsawa"))
    return manifest


def _compare_names(path: Path, names: Iterable[str], members: Iterable[Member]) -> None:
    if sorted(names) != sorted([MANIFEST, *(member.name for member in members)]):
        raise BackupDamaged(file=path, problem=_("its manifest does not match the files in it"))


def _is_inside(name: str) -> bool:
    """Return whether a name is that of the database or of a file inside `var`."""
    parts = PurePosixPath(name).parts
    is_file = len(parts) > 1 and parts[0] == FILES and ".." not in parts
    return name == DATABASE or (is_file and "/".join(parts) == name)


def _copy(source: IO[bytes], target: IO[bytes]) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    while block := source.read(BLOCK):
        target.write(block)
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b")


def _flush_folder(folder: Path) -> None:
    """Flush the new name to the disk, if the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
