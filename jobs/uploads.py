"""The uploaded files that jobs read: kept in a folder of their own until the job needs them no more."""

import shutil
import uuid
from pathlib import Path
from typing import BinaryIO, Final

from django.conf import settings

from common.private_files import private_files

NAME_BYTES: Final = 120


def keep_upload(file: BinaryIO, folder: Path, name: str) -> Path:
    """Copy an upload under its own name, shortened to what every file system takes."""
    plain = Path(Path(name).name or "upload")
    stem = plain.stem.encode()[:NAME_BYTES].decode(errors="ignore")
    path = folder / f"{stem or 'upload'}{plain.suffix[:20]}"
    with private_files():
        folder.mkdir(parents=True)
        with path.open("wb") as kept:
            shutil.copyfileobj(file, kept)
    return path


def new_folder() -> Path:
    folder: Path = settings.IMPORT_FOLDER / uuid.uuid4().hex
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder of IMPORT_FOLDER with all that is in it, and nothing outside of it."""
    if folder.parent == settings.IMPORT_FOLDER:
        shutil.rmtree(folder, ignore_errors=True)
