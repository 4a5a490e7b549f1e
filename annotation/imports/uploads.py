"""The uploaded files of imports: kept while an import may still need them, then removed."""

import shutil
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import ImportJob
from common.errors import DomainError
from common.private_files import private_files
from jobs.enums import ENDED_JOB_STATES

KEPT_FOR = timedelta(days=7)
NAME_BYTES = 120


class UploadRemoved(DomainError):
    code = "upload_removed"
    detail = _("The uploaded file is no longer stored. Upload it again.")


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


def remove_upload(import_job: ImportJob) -> None:
    """Remove the files of an import that needs them no more; running it again changes nothing.

    The row forgets the path first: a file without a row is swept up later, a row without a file
    would offer a resume that cannot work.
    """
    path = import_job.path
    ImportJob.objects.filter(pk=import_job.pk).update(path="", keys_path="")
    if path:
        _remove_folder(Path(path).parent)


def sweep_uploads(now: datetime) -> int:
    """Remove the files of imports that failed or were cancelled long ago; return how many.

    Folders that no row knows are removed too, once they are as old: a process died between
    storing the file and storing the row.
    """
    old = _over(now)
    for import_job in old:
        remove_upload(import_job)
    _remove_strays(now)
    return len(old)


def _over(now: datetime) -> QuerySet[ImportJob]:
    return ImportJob.objects.exclude(path="").filter(
        job__state__in=ENDED_JOB_STATES, job__finished_at__lt=now - KEPT_FOR
    )


def _remove_strays(now: datetime) -> None:
    root: Path = settings.IMPORT_FOLDER
    if not root.is_dir():
        return
    limit = (now - KEPT_FOR).timestamp()
    stale = [folder for folder in root.iterdir() if folder.stat().st_mtime < limit]
    paths = ImportJob.objects.exclude(path="").values_list("path", flat=True) if stale else ()
    known = {Path(path).parent.name for path in paths}
    for folder in stale:
        if folder.name not in known:
            _remove_folder(folder)


def _remove_folder(folder: Path) -> None:
    """Remove a folder of IMPORT_FOLDER with all that is in it, and nothing outside of it."""
    if folder.parent == settings.IMPORT_FOLDER:
        shutil.rmtree(folder, ignore_errors=True)
