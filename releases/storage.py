"""Files of releases on disk: written beside, forced to disk, then put in place at once."""

import hashlib
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from releases.exporters import ExportFile
from releases.manifest import WrittenFile, sha256_of

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def release_folder(project_slug: str, version: str) -> Path:
    return Path(settings.RELEASE_FOLDER) / project_slug / version


def artifact_path(*, project_slug: str, version: str, name: str) -> Path:
    """Where an artifact's row says that its file is; never call it with a name from a request."""
    return release_folder(project_slug, version).joinpath(*name.split("/"))


@contextmanager
def folder_beside(final: Path) -> Iterator[Path]:
    """Give an empty folder on the same disk as `final`; what is left in it at the end is removed.

    Folders that a killed build of the same release left are removed first.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    # No version holds “~”: so that of 1.0.0-rc does not begin that of 1.0.0-rc.1.
    prefix = f".building-{final.name}~"
    for leftover in final.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    folder = Path(mkdtemp(prefix=prefix, dir=final.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(folder: Path, final: Path) -> None:
    """Make `folder` the release's folder; what a killed build had put there is replaced."""
    if final.exists():
        shutil.rmtree(final)
    folder.chmod(0o755)
    _sync(folder)
    folder.rename(final)
    _sync(final.parent)


def write_file(folder: Path, file: ExportFile) -> WrittenFile:
    """Write `file` as UTF-8 and force it to disk."""
    path = folder.joinpath(*file.name.split("/"))
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as handle:
        for piece in file.pieces:
            data = piece.encode()
            handle.write(data)
            digest.update(data)
            size += len(data)
        handle.flush()
        os.fsync(handle.fileno())
    return WrittenFile(file.name, file.media_type, digest.hexdigest(), size, file.row_count)


def write_bytes(folder: Path, name: str, data: bytes, media_type: str) -> WrittenFile:
    path = folder / name
    with path.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    return WrittenFile(name, media_type, sha256_of(data), len(data), None)


def write_zip(folder: Path, root: str, names: Iterable[str]) -> WrittenFile:
    """Put the files `names` of `folder` in `<root>.zip`, under the folder `root` in it.

    Stored without compression, with one fixed date: compressors differ between machines, and
    the bytes must not.
    """
    path = folder / f"{root}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(names):
            entry = zipfile.ZipInfo(f"{root}/{name}", date_time=_ZIP_DATE)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, folder.joinpath(*name.split("/")).read_bytes())
    _sync(path)
    return WrittenFile(path.name, "application/zip", _sha256(path), path.stat().st_size, None)


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
