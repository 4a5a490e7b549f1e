"""Store files of releases: write them beside, force them to disk, then put them in place at once."""

import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType

from django.conf import settings

from common.private_files import private_files
from releases.files.exporters.output import OutputFolder, sha256_of

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def release_folder(project_slug: str, version: str) -> Path:
    return Path(settings.RELEASE_FOLDER) / project_slug / version


def artifact_path(*, project_slug: str, version: str, name: str) -> Path:
    """Return where the file of an artifact's row is. Never pass a name from a request."""
    return release_folder(project_slug, version).joinpath(*name.split("/"))


@contextmanager
def folder_beside(final: Path) -> Iterator[Path]:
    """Give an empty folder on the same disk as `final`; remove what is left of it at the end.

    Folders that a killed build of the same release left are removed first.
    """
    with private_files():
        final.parent.mkdir(parents=True, exist_ok=True)
    # No version holds “~”: so that of 1.0.0-rc does not begin that of 1.0.0-rc.1.
    prefix = f".building-{final.name}~"
    for leftover in final.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    folder = Path(mkdtemp(prefix=prefix, dir=final.parent))
    try:
        with private_files():
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(folder: Path, final: Path) -> None:
    """Make `folder` the release's and force its names to disk.

    What a killed build left in its place is replaced.
    """
    folder.chmod(0o700)
    _sync_all(Path(place) for place, _folders, _files in os.walk(folder))
    if final.exists():
        shutil.rmtree(final)
    folder.rename(final)
    _sync(final.parent)


def write_archive(folder: OutputFolder, root: str) -> None:
    """Put every file of `folder` in `<root>.zip`, under the folder `root` in it; force all to disk.

    Stored without compression, with one fixed date: compressors differ between machines, and
    the bytes must not.
    """
    name = f"{root}.zip"
    path = folder.path_of(name)
    names = [file.name for file in folder.files]
    write_zip(path, folder.path, names, root=root)
    _sync_all(map(folder.path_of, (*names, name)))
    folder.list_file(
        name, media_type="application/zip", sha256=sha256_of(path), size=path.stat().st_size
    )


def write_zip(
    target: Path,
    folder: Path,
    names: Iterable[str],
    *,
    root: str,
    more: Mapping[str, bytes] = MappingProxyType({}),
) -> None:
    """Write the archive of the files `names` of `folder`: the same files give the same bytes.

    `more` {name: content} are small files that are nowhere on the disk; they come first.
    """
    with target.open("xb") as output, zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(more.items()):
            entry = zipfile.ZipInfo(f"{root}/{name}", date_time=_ZIP_DATE)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, content)
        for name in sorted(names):
            path = folder.joinpath(*name.split("/"))
            entry = zipfile.ZipInfo(f"{root}/{name}", date_time=_ZIP_DATE)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.file_size = path.stat().st_size  # decides whether it needs the large format
            with path.open("rb") as source, archive.open(entry, "w") as written:
                shutil.copyfileobj(source, written, 1024 * 1024)


def _sync_all(paths: Iterable[Path]) -> None:
    """Force files to disk, many at a time: a disk takes about as long for all as for one."""
    with ThreadPoolExecutor(max_workers=16) as pool:
        list(pool.map(_sync, paths))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
