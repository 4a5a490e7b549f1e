"""Opens ZIP archives without trusting what they say of themselves."""

import sys
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import IO, Any, BinaryIO, Final, cast

from annotation.importers.errors import ImportRefused
from annotation.importers.limits import ImportLimits

_ENTRY_BYTES: Final = 500
_UNREADABLE: Final = (zipfile.BadZipFile, NotImplementedError)


def open_archive(handle: BinaryIO, name: str, size: int, limits: ImportLimits) -> zipfile.ZipFile:
    """Open an archive of `size` bytes; it reads from `handle` for as long as it is open.

    Raises ImportRefused where it is none, or has members that lead out of it, are locked, are too
    many, or unpack to far too much.
    """
    bounded = _BoundedFile(handle, limits.files * _ENTRY_BYTES)
    try:
        archive = zipfile.ZipFile(cast("IO[bytes]", bounded))
    except _TooManyBytesError as error:
        raise _too_many(name, limits) from error
    except (*_UNREADABLE, OSError, ValueError) as error:
        raise ImportRefused("not_an_archive", {"file": name}) from error
    bounded.most = sys.maxsize
    _guard_members(archive.infolist(), name, size, limits)
    return archive


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    """Open a member to read it from its start; raises ImportRefused."""
    try:
        return cast("BinaryIO", archive.open(member))
    except _UNREADABLE as error:
        raise ImportRefused("not_an_archive", {"file": member.filename}) from error


class _TooManyBytesError(Exception):
    pass


class _BoundedFile:
    """A file that refuses to read more than `most` bytes at once.

    The list of the members is read in one piece, whatever its size, before anybody could count
    them: each takes ten times as much memory as there.
    """

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self.most = most

    def read(self, size: int = -1) -> bytes:
        if size > self.most:
            raise _TooManyBytesError
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _guard_members(
    members: Sequence[zipfile.ZipInfo], name: str, packed: int, limits: ImportLimits
) -> None:
    if len(members) > limits.files:
        raise _too_many(name, limits)
    for member in members:
        inside = PurePosixPath(member.filename.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts:
            raise ImportRefused("path_outside", {"file": f"{name}: {member.filename}"})
        if member.flag_bits & 1:
            raise ImportRefused("archive_locked", {"file": name})
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.total_bytes or unpacked > limits.archive_ratio * max(packed, 1):
        raise ImportRefused("archive_bomb", {"file": name, "limit": limits.archive_ratio})


def _too_many(name: str, limits: ImportLimits) -> ImportRefused:
    return ImportRefused("too_many_files", {"file": name, "limit": limits.files})
