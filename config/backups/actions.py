"""Taking a backup and restoring one."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from common.commands import FileFailed, refuse_unwritable
from config.backups import databases
from config.backups.archive import DATABASE, FILES, Manifest, new_archive, read_manifest, unpack
from config.backups.errors import (
    BackupOfOtherDatabase,
    BackupTooNew,
    BackupTooOld,
    RestoreTargetNotEmpty,
)
from config.upgrades import OLDEST, is_too_old, replacements

# Made anew when it is missing: the broker holds nothing that is not in the database.
NOT_KEPT = {"backups", "cache", "fonts", "static"}
# Every start makes these, so that they say nothing about whether somebody works here.
MADE_AT_START = {"secret_key", "stand_in_port"}


def create_backup(*, file: Path, now: datetime) -> Manifest:
    """Write the database and the kept files of `var/` into one new file.

    The database comes first: a file that a row of the copy names was there before it. Files that
    go away meanwhile are left out. Raises FileFailed if the file is there already or cannot be
    written, DatabaseProgramMissing, DatabaseProgramFailed.
    """
    _refuse_place(file)
    with (
        tempfile.TemporaryDirectory(prefix=".backup-", dir=file.parent) as folder,
        new_archive(file) as archive,
    ):
        migrations = databases.applied_migrations()
        copy = Path(folder) / DATABASE
        databases.dump(copy)
        archive.add(DATABASE, copy)
        copy.unlink()
        for path in kept_files():
            with suppress(FileNotFoundError):
                archive.add(f"{FILES}/{path.relative_to(settings.VAR)}", path)
        manifest = Manifest(
            version=settings.VERSION,
            created_at=now.isoformat(),
            database=databases.kind(),
            migrations=migrations,
            members=tuple(archive.members),
        )
        archive.finish(manifest)
    return manifest


def restore_backup(*, file: Path, is_replacing: bool) -> Manifest:
    """Put the database and the files of a backup in place.

    1. Refuse: a damaged file, another kind of database, a newer version or one before 0.4.0, an
       installation that is not empty (unless `is_replacing`).
    2. Unpack into `var/`, compare every checksum and have SQLite check its database.
    3. Put the database in place in one transaction, then swap the files. If this is broken off
       between the two, restoring again with `is_replacing` completes it.

    Raises BackupDamaged, BackupOfOtherDatabase, BackupTooNew, BackupTooOld,
    RestoreTargetNotEmpty, DatabaseProgramMissing, DatabaseProgramFailed.
    """
    _refuse_unfit(read_manifest(file))
    if not is_replacing:
        _refuse_to_replace()
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=settings.VAR) as name:
        folder = Path(name)
        manifest = unpack(file, folder)
        databases.check(folder / DATABASE, archive=file)
        databases.load(folder / DATABASE)
        _swap_files(folder / FILES, folder / "replaced")
    return manifest


def is_behind(manifest: Manifest) -> bool:
    """Return whether the backup's database lacks migrations of this version."""
    return bool(replacements().keys() - set(manifest.migrations))


def kept_files() -> Iterator[Path]:
    """Return the plain files of `var/` that a backup contains, in order."""
    for entry in kept_entries():
        if entry.is_symlink():
            continue
        if entry.is_file():
            yield entry
        for folder, folders, names in os.walk(entry):
            folders.sort()
            paths = [Path(folder) / name for name in sorted(names)]
            yield from (path for path in paths if path.is_file() and not path.is_symlink())


def kept_entries() -> list[Path]:
    """Return the entries of `var/` itself, without the database and what can be made again."""
    left_out = NOT_KEPT | _database_names()
    return [
        path
        for path in sorted(Path(settings.VAR).iterdir())
        if path.name not in left_out and not path.name.startswith(".")
    ]


def _refuse_place(file: Path) -> None:
    """Refuse a place where the backup would overwrite something or contain itself (FileFailed)."""
    refuse_unwritable(file)
    if file.exists():
        raise FileFailed(file=file, problem=_("this file already exists"))
    inside = Path(settings.VAR).resolve()
    if inside in file.resolve().parents and file.resolve().parent != inside / "backups":
        raise FileFailed(file=file, problem=_("choose a folder outside var/, or var/backups/"))


def _database_names() -> set[str]:
    name = Path(str(connection.settings_dict["NAME"])).name
    return {f"{name}{end}" for end in ("", "-wal", "-shm", "-journal")}


def _refuse_unfit(manifest: Manifest) -> None:
    if manifest.database != databases.kind():
        raise BackupOfOtherDatabase(kind=manifest.database, here=databases.kind())
    known = replacements()
    unknown = sorted(set(manifest.migrations).difference(known, *known.values()))
    if unknown:
        raise BackupTooNew(version=manifest.version, migration=unknown[0])
    if is_too_old(manifest.migrations):
        raise BackupTooOld(version=manifest.version, oldest=OLDEST)


def _refuse_to_replace() -> None:
    if table := databases.first_table_with_rows():
        raise RestoreTargetNotEmpty(what=_("the table %(name)s has rows") % {"name": table})
    for path in kept_files():
        if path.name not in MADE_AT_START:
            name = path.relative_to(settings.VAR)
            raise RestoreTargetNotEmpty(what=_("there is a file var/%(name)s") % {"name": name})


def _swap_files(unpacked: Path, replaced: Path) -> None:
    """Replace the current files by the unpacked ones, by renames on one disk."""
    replaced.mkdir()
    for entry in kept_entries():
        entry.rename(replaced / entry.name)
    for entry in sorted(unpacked.iterdir()) if unpacked.is_dir() else ():
        shutil.move(entry, Path(settings.VAR) / entry.name)
