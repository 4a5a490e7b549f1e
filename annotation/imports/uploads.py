"""The uploaded files of imports: kept while an import may still need them, then removed."""

from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import ImportJob
from common.errors import DomainError
from jobs.enums import ENDED_JOB_STATES
from jobs.uploads import remove_folder

KEPT_FOR = timedelta(days=7)


class UploadRemoved(DomainError):
    code = "upload_removed"
    detail = _("The uploaded file is no longer stored. Upload it again.")


def remove_upload(import_job: ImportJob) -> None:
    """Remove the files of an import that needs them no more; running it again changes nothing.

    The row forgets the path first: a file without a row is swept up later, a row without a file
    would offer a resume that cannot work.
    """
    path = import_job.path
    ImportJob.objects.filter(pk=import_job.pk).update(path="", keys_path="")
    if path:
        remove_folder(Path(path).parent)


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
            remove_folder(folder)
