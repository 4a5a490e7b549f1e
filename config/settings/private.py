"""Closing the data folder to everybody but its owner, also one that was open before."""

import stat
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
# What Lotsawa itself puts there; anything else keeps the rights that it has.
FOLDERS = ("cache", "imports", "mail", "releases")
FILES = ("secret_key", "stand_in_port")


def make_private(folder: Path) -> None:
    """Create the folder, readable only by its owner, and close what is already in it.

    A folder that belongs to somebody else stays as it is; `manage.py check` says so.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (folder, *(folder / name for name in FOLDERS)):
        _close(path, 0o700)
    for name in FILES:
        _close(folder / name, 0o600)


def make_database_private(path: Path) -> None:
    """Close an SQLite database and the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        _close(path.with_name(path.name + suffix), 0o600)


def is_open_to_others(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & OTHERS)


def _close(path: Path, mode: int) -> None:
    """Remove the rights of others, except from a folder like /tmp, which is everybody's."""
    with suppress(FileNotFoundError, PermissionError):
        now = path.stat().st_mode
        if now & OTHERS and not now & stat.S_ISVTX:
            path.chmod(mode)
