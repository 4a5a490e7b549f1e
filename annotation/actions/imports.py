"""Bringing a file into a project: read and check everything first, then write all of it at once.

Preparing reads the rows as a stream, compares them with what is there, runs the checks and
spools what is new to a temporary file; nothing is written to the database. Applying writes the
spool in one transaction. So memory does not grow with the file, a kill leaves nothing behind,
and a file with one refused row leaves nothing half-imported.
"""

import hashlib
import shutil
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import TextChoices
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.actions.import_rows import Preparation, PreparedRows
from annotation.actions.import_writes import Provenance, write_rows
from annotation.importers import ImportLimits, ImportRefused, Row, RowError, describe, open_import
from annotation.importers.trees import open_tree
from annotation.models import ImportJob, Project
from common.errors import DomainError
from common.jobs import Progress, create_job, register_kind
from common.models import Job

KIND = "import"
register_kind(KIND, task="annotation.tasks.run_import")
ERRORS_KEPT = 5000
BATCH = 500
NAME_BYTES = 120


class FileRefused(DomainError):
    code = "file_refused"
    detail = _("%(reason)s")
    status = 400


class ImportConflict(DomainError):
    code = "import_conflict"
    detail = _(
        "Another import added some of these items meanwhile. Nothing was imported; run it again."
    )


class RowsRefused(DomainError):
    code = "rows_refused"
    detail = _(
        "Nothing was imported: %(refused)s of %(read)s rows were refused. Put them right and "
        "import again, or import the good rows alone: “skip refused rows” on the page, "
        "--skip-refused in the command."
    )


class Outcome(TextChoices):
    """What an import amounts to."""

    IMPORTED = "imported", _("Imported.")
    UNCHANGED = "unchanged", _("Everything in the file is already here; nothing was changed.")
    DRY_RUN = "dry_run", _("Dry run: nothing was written.")
    REFUSED = "refused", _("Nothing was imported: some rows were refused.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How a file is to be read; empty means: found out by content, or by the rows themselves.

    `is_skipping_refused` imports the good rows of a file that has bad ones; otherwise one
    refused row means that nothing is imported.
    """

    format: str = ""
    system: str = ""
    keys: Path | None = None
    is_dry_run: bool = False
    is_skipping_refused: bool = False
    licence: str = ""
    attribution: str = ""


@dataclass(slots=True)
class ImportReport:
    """What happened to the rows of a file; counts of rows, and each refusal in words.

    `imported` counts items, `joined` translations of items; a dry run counts what would be
    written. `errors` holds the first ERRORS_KEPT refusals as {file, row, code, reason}.
    """

    outcome: str = Outcome.UNCHANGED
    read: int = 0
    imported: int = 0
    joined: int = 0
    unchanged: int = 0
    with_findings: int = 0
    refused: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def start_import(
    *,
    project: Project,
    file: BinaryIO,
    name: str,
    options: ImportOptions,
    actor: User,
    now: datetime,
    keys_file: BinaryIO | None = None,
    keys_name: str = "",
) -> ImportJob:
    """Keep an uploaded file and queue its import; the file stays for a look at what was sent."""
    folder = settings.IMPORT_FOLDER / uuid.uuid4().hex
    path = _keep(file, folder, name)
    keys = _keep(keys_file, folder / "keys", keys_name) if keys_file else None
    with transaction.atomic():
        job = create_job(
            kind=KIND,
            scope=project.slug,
            params={
                "skip_refused": options.is_skipping_refused,
                "licence": options.licence,
                "attribution": options.attribution,
            },
            requested_by=actor.email,
            now=now,
        )
        return ImportJob.objects.create(
            project=project,
            job=job,
            requested_by=actor,
            name=name[:255],
            format=options.format,
            system=options.system,
            path=str(path),
            keys_path=str(keys or ""),
            is_dry_run=options.is_dry_run,
            created_at=now,
        )


def run_import_job(job: Job, progress: Progress) -> dict[str, Any]:
    """Do a queued import; taken up again after a kill it finds its rows there or not there at all.

    Raises RowsRefused so that the job fails in words; the report is kept all the same.
    """
    import_job = ImportJob.objects.select_related("project", "requested_by").get(job=job)
    if import_job.report.get("outcome") == Outcome.IMPORTED:
        return dict(import_job.report)
    report = import_path(
        project=import_job.project,
        path=Path(import_job.path),
        options=_options_of(import_job, job),
        actor=import_job.requested_by,
        now=timezone.now(),
        progress=progress,
        import_job=import_job,
    )
    if report.outcome == Outcome.REFUSED:
        raise RowsRefused(refused=report.refused, read=report.read)
    return report.as_json()


def _options_of(import_job: ImportJob, job: Job) -> ImportOptions:
    return ImportOptions(
        format=import_job.format,
        system=import_job.system,
        keys=Path(import_job.keys_path) if import_job.keys_path else None,
        is_dry_run=import_job.is_dry_run,
        is_skipping_refused=bool(job.params.get("skip_refused")),
        licence=str(job.params.get("licence", "")),
        attribution=str(job.params.get("attribution", "")),
    )


def import_path(
    *,
    project: Project,
    path: Path,
    options: ImportOptions,
    actor: User | None,
    now: datetime,
    progress: Progress | None = None,
    import_job: ImportJob | None = None,
) -> ImportReport:
    """Import a file, folder or archive; the same file again changes nothing.

    Keyed by (project, uid) for items and (item, system) for translations. Raises FileRefused
    when the file as a whole can't be read and ImportConflict when another import got in between;
    in both cases, and when any row is refused, nothing is imported.
    """
    report = ImportReport()
    with PreparedRows() as prepared:
        _prepare(project, path, options, prepared, report, progress)
        report.outcome = _outcome(report, prepared, options)
        if report.outcome != Outcome.REFUSED:
            report.imported, report.joined = prepared.items, prepared.translations
        if report.outcome == Outcome.IMPORTED:
            provenance = _provenance(path, options, import_job, now)
            _apply(project, prepared, provenance, actor, report, progress)
    _keep_report(report, import_job)
    return report


def _prepare(
    project: Project,
    path: Path,
    options: ImportOptions,
    prepared: PreparedRows,
    report: ImportReport,
    progress: Progress | None,
) -> None:
    """Read, compare and check every row into `prepared`, counting in `report`."""
    if progress:
        progress.say(gettext("reading"))
    preparation = Preparation(project=project, options_system=options.system)
    for batch in _batches(read_rows(path, options)):
        outcome = preparation.prepare([row for row in batch if not isinstance(row, RowError)])
        prepared.extend(outcome.rows)
        report.read += len(batch)
        report.unchanged += outcome.unchanged
        report.with_findings += outcome.with_findings
        _refuse(report, [row for row in batch if isinstance(row, RowError)] + outcome.refused)
        if progress:
            progress.reach(report.read)
    if progress:
        progress.start(report.read, note=gettext("writing"))


def _outcome(report: ImportReport, prepared: PreparedRows, options: ImportOptions) -> Outcome:
    if options.is_dry_run:
        return Outcome.DRY_RUN
    if report.refused and not options.is_skipping_refused:
        return Outcome.REFUSED
    if prepared.items or prepared.translations:
        return Outcome.IMPORTED
    return Outcome.UNCHANGED


def read_rows(path: Path, options: ImportOptions) -> Iterator[Row]:
    """Yield the rows of a file within the limits of the settings; raises FileRefused in words."""
    limits = ImportLimits(**settings.IMPORT_LIMITS)
    try:
        yield from open_import(
            path, format=options.format or None, keys=options.keys, limits=limits
        )
    except ImportRefused as refusal:
        raise FileRefused(reason=_words_of(refusal)) from refusal
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        reason = describe("not_an_archive", {"file": path.name}, gettext)
        raise FileRefused(reason=reason) from error
    except OSError as error:
        reason = describe("not_readable", {"file": path.name}, gettext)
        raise FileRefused(reason=reason) from error


def _words_of(refusal: ImportRefused) -> str:
    """The refusal in words; where these don't say the file and row, both stand before them."""
    reason = describe(refusal.code, refusal.data, gettext)
    file, row = str(refusal.data.get("file", "")), refusal.data.get("row")
    if row and file and file not in reason:
        place = gettext("%(file)s, row %(row)s:") % {"file": file, "row": row}
        return f"{place} {reason}"
    return reason


def _provenance(
    path: Path, options: ImportOptions, import_job: ImportJob | None, now: datetime
) -> Provenance:
    return Provenance(
        name=import_job.name if import_job else path.name,
        checksum=checksum_of(path),
        licence=options.licence,
        attribution=options.attribution,
        import_job=import_job,
        now=now,
    )


def _batches(rows: Iterator[Row], size: int = BATCH) -> Iterator[list[Row]]:
    while batch := list(islice(rows, size)):
        yield batch


def _refuse(report: ImportReport, rows: list[RowError]) -> None:
    report.refused += len(rows)
    room = ERRORS_KEPT - len(report.errors)
    report.errors += [
        {
            "file": row.ref.file,
            "row": row.ref.row,
            "code": row.code,
            "reason": describe(row.code, row.data, gettext),
        }
        for row in rows[:room]
    ]


def _apply(
    project: Project,
    prepared: PreparedRows,
    provenance: Provenance,
    actor: User | None,
    report: ImportReport,
    progress: Progress | None,
) -> None:
    """Write everything, its audit event and the report in one transaction."""
    try:
        with transaction.atomic():
            write_rows(
                project=project,
                rows=prepared,
                provenance=provenance,
                keep_going=progress.check if progress else _go_on,
            )
            record_event(
                actor=actor,
                verb="items.imported",
                target=f"project:{project.pk}",
                scope=project.slug,
                data={
                    "imported": report.imported,
                    "joined": report.joined,
                    "sha256": provenance.checksum,
                },
                now=provenance.now,
            )
            _keep_report(report, provenance.import_job)
    except IntegrityError as error:
        raise ImportConflict from error


def _go_on() -> None:
    """Nobody can ask a command to stop in the middle."""


def _keep_report(report: ImportReport, import_job: ImportJob | None) -> None:
    if import_job:
        ImportJob.objects.filter(pk=import_job.pk).update(report=report.as_json())


def _keep(file: BinaryIO, folder: Path, name: str) -> Path:
    """Copy an upload under its own name, shortened to what every file system takes."""
    folder.mkdir(parents=True)
    plain = Path(Path(name).name or "upload")
    stem = plain.stem.encode()[:NAME_BYTES].decode(errors="ignore")
    path = folder / f"{stem or 'upload'}{plain.suffix[:20]}"
    with path.open("wb") as kept:
        shutil.copyfileobj(file, kept)
    return path


def checksum_of(path: Path) -> str:
    """SHA-256 of a file, or of the names and checksums of what is read of a folder, in order."""
    if path.is_dir():
        files = open_tree(path, ImportLimits(**settings.IMPORT_LIMITS)).files
        lines = [f"{_sha256(file.open())}  {file.name}" for file in files]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return _sha256(path.open("rb"))


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    with file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
