"""Files of releases on disk: written beside, forced to disk, then put in place at once."""

import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType

from django.conf import settings

from common.private_files import private_files
from releases.exporters.output import FollowingHash, OutputFolder

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
    """Make `folder` the release's and force its names to disk, as `write_archive` forced its files.

    What a killed build left in its place is replaced.
    """
    folder.chmod(0o700)
    with _syncing(Path(place) for place, _folders, _files in os.walk(folder)):
        if final.exists():
            shutil.rmtree(final)
    folder.rename(final)
    _sync(final.parent)


def write_archive(folder: OutputFolder, root: str) -> None:
    """Put every file of `folder` in `<root>.zip`, under the folder `root` in it; force all to disk.

    Stored without compression, with one fixed date: compressors differ between machines, and
    the bytes must not. The files are forced many at a time, at the end: a disk takes about as long
    for all as for one.
    """
    name = f"{root}.zip"
    names = [file.name for file in folder.files]
    path = folder.path_of(name)
    # Meanwhile the disk takes in the files, and a second processor hashes what is written.
    with _syncing(map(folder.path_of, names)), FollowingHash(path) as hashing:
        write_zip(path, folder.path, names, root=root, after_each=hashing.follow_to)
        size = path.stat().st_size
        _sync(path)
        sha256 = hashing.finish(size)
    folder.list_file(name, media_type="application/zip", sha256=sha256, size=size)


def write_zip(
    target: Path,
    folder: Path,
    names: Iterable[str],
    *,
    root: str,
    more: Mapping[str, bytes] = MappingProxyType({}),
    after_each: Callable[[int], object] = lambda _size: None,
) -> None:
    """Write the archive of the files `names` of `folder`: the same files give the same bytes.

    `more` {name: content} are small files that are nowhere on the disk; they come first.
    `after_each` is told after each file how many bytes stand in the archive for good.
    """
    with target.open("xb+") as output, zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
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
            output.flush()
            after_each(output.tell())


@contextmanager
def _syncing(paths: Iterable[Path]) -> Iterator[None]:
    """Force files to disk while the block runs, and wait at its end. Raises OSError."""
    with ThreadPoolExecutor(max_workers=16) as pool:
        done = [pool.submit(_sync, path) for path in paths]
        yield
        for each in done:
            each.result()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
