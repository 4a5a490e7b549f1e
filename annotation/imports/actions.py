"""Brings a file into a project: all of it or nothing, without making anybody wait.

An import reads its rows as a stream, compares them with what is there, runs the checks and
writes what is new to an import batch, a few hundred rows in each transaction. Nobody sees these
rows. At the end one statement shows them all; if anything was refused or went wrong they are
removed again. A killed import leaves only hidden rows, and the next one removes them first.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.checks.process import Checker, check_beside
from annotation.importers.base import Row, RowError
from annotation.importers.reading import batches_of
from annotation.imports.batches import (
    ImportConflict,
    TableAnalyser,
    discard_batch,
    open_batch,
    set_pointers,
    show_batch,
)
from annotation.imports.opening import ImportOptions, checksum_of, go_on, open_file
from annotation.imports.preparation import BatchOutcome, Preparation, PreparedItem
from annotation.imports.queries import KIND, has_what_it_needs, is_done
from annotation.imports.reports import ImportReport, Outcome
from annotation.imports.source_script import SourceScript
from annotation.imports.spellings import Spellings
from annotation.imports.uploads import (
    UploadRemoved,
    remove_upload,
    sweep_uploads,
)
from annotation.imports.writes import ImportWriter, Provenance
from annotation.models import ImportJob
from common.address_checks import is_web_address
from common.errors import DomainError
from common.processes import quick_collections
from jobs.actions import create_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import JobInterrupted, Progress
from jobs.uploads import keep_upload, new_folder
from projects.models import Project


class RowsRefused(DomainError):
    code = "rows_refused"
    detail = _(
        "Nothing was imported: %(refused)s of %(read)s rows were refused. Correct them and import "
        "the file again, or import only the good rows: choose “Skip refused rows” on the page, "
        "--skip-refused in the command, or skip_refused in the API."
    )


class ImportRunning(DomainError):
    code = "import_running"
    detail = _("This file is being read right now. Wait until that is done, then try again.")


class SourceAddressInvalid(DomainError):
    code = "source_address_invalid"
    detail = _("The address of a source must begin with https:// or http://.")
    status = 400


SOURCE_OPTIONS = ("licence", "attribution", "version", "url")


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
    """Store an uploaded file and queue its import; files of imports long ended are removed.

    Raises SourceAddressInvalid.
    """
    _check_address(options)
    sweep_uploads(now)
    folder = new_folder()
    path = keep_upload(file, folder, name)
    keys = keep_upload(keys_file, folder / "keys", keys_name) if keys_file else None
    with transaction.atomic():
        return _queue(project, name[:255], path, str(keys or ""), options, actor, now)


def _check_address(options: ImportOptions) -> None:
    if options.url and not is_web_address(options.url):
        raise SourceAddressInvalid(fields={"source_url": [str(SourceAddressInvalid.detail)]})


def _queue(
    project: Project,
    name: str,
    path: Path,
    keys_path: str,
    options: ImportOptions,
    actor: User,
    now: datetime,
) -> ImportJob:
    job = create_job(
        kind=KIND,
        scope=project.slug,
        params={
            "file": name,
            "format": options.format,
            "mapping": options.mapping,
            "system": options.system,
            "dry_run": options.is_dry_run,
            "skip_refused": options.is_skipping_refused,
            **{name: getattr(options, name) for name in SOURCE_OPTIONS},
        },
        actor=actor,
        now=now,
    )
    return ImportJob.objects.create(
        project=project,
        job=job,
        requested_by=actor,
        name=name,
        format=options.format,
        system=options.system,
        path=str(path),
        keys_path=keys_path,
        is_dry_run=options.is_dry_run,
        created_at=now,
    )


def import_kept(
    *, import_job: ImportJob, options: ImportOptions, actor: User, now: datetime
) -> ImportJob:
    """Queue an import of the file of an earlier one that did not import it and is not running.

    The upload moves to the new import, so that the same click twice starts one. `options` replace
    those of the earlier import but for the file of keys. Raises ImportRunning, UploadRemoved and
    SourceAddressInvalid.
    """
    _check_address(options)
    with transaction.atomic():
        found = ImportJob.objects.select_related("job").get(pk=import_job.pk)
        taken = ImportJob.objects.filter(pk=found.pk, path=found.path).exclude(path="")
        if found.job.state == JobState.RUNNING:
            raise ImportRunning
        if not taken.update(path="", keys_path=""):
            raise UploadRemoved
        return _queue(
            found.project, found.name, Path(found.path), found.keys_path, options, actor, now
        )


def options_again(import_job: ImportJob) -> ImportOptions:
    """Return the options of an earlier import, for doing what its dry run only tried."""
    return replace(_options_of(import_job, import_job.job), is_dry_run=False)


def perform_import(job: Job, progress: Progress) -> dict[str, Any]:
    """Do a queued import; run again after its rows were shown, it returns the first report.

    Raises RowsRefused so that the job fails; the report is kept all the same. The upload stays
    for a resume unless the import succeeded, and after a dry run, to be imported from there.
    """
    import_job = ImportJob.objects.select_related("project", "requested_by").get(job=job)
    if is_done(import_job):
        return _finished_before(import_job)
    refuse_without_upload(job)
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
    if not import_job.is_dry_run:
        remove_upload(import_job)
    return report.as_json()


def refuse_without_upload(job: Job) -> None:
    """Before a job is resumed: raise UploadRemoved where there is nothing left to read."""
    if not has_what_it_needs(job):
        raise UploadRemoved


def _finished_before(import_job: ImportJob) -> dict[str, Any]:
    """Do what a kill may have left undone after the rows were shown."""
    for batch in import_job.batches.filter(finished_at__isnull=False, has_pointers=False):
        set_pointers(batch.pk)
    remove_upload(import_job)
    return dict(import_job.report)


def _options_of(import_job: ImportJob, job: Job) -> ImportOptions:
    return ImportOptions(
        format=import_job.format,
        mapping=str(job.params.get("mapping", "")),
        system=import_job.system,
        keys=Path(import_job.keys_path) if import_job.keys_path else None,
        is_dry_run=import_job.is_dry_run,
        is_skipping_refused=bool(job.params.get("skip_refused")),
        **{name: str(job.params.get(name, "")) for name in SOURCE_OPTIONS},
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

    Keyed by (project, uid) for items and (item, system) for translations. Raises FileRefused when
    the file as a whole can't be read and ImportConflict when another import adds the same rows;
    in both cases, and when any row is refused, nothing is imported. Raises SourceAddressInvalid.
    """
    _check_address(options)
    run = _ImportRun(project, path, options, actor, now, progress, import_job)
    report = run.run()
    if import_job and report.outcome != Outcome.IMPORTED:
        _keep_report(report, import_job)
    return report


@dataclass(slots=True)
class _ImportRun:
    """One import from its first row to its end."""

    project: Project
    path: Path
    options: ImportOptions
    actor: User | None
    now: datetime
    progress: Progress | None
    import_job: ImportJob | None
    report: ImportReport = field(default_factory=ImportReport)
    writer: ImportWriter | None = None
    analyser: TableAnalyser = field(default_factory=TableAnalyser)
    spellings: Spellings = field(init=False)
    script: SourceScript = field(init=False)

    def __post_init__(self) -> None:
        self.spellings = Spellings(self.project)
        self.script = SourceScript(self.project.source_language)

    def run(self) -> ImportReport:
        try:
            self._read_and_write()
            self.report.outcome = self._outcome()
            if self.report.outcome == Outcome.IMPORTED:
                self._finish()
            else:
                self._discard()
        except JobInterrupted:
            raise  # a worker that must stop leaves the removal to whoever takes the job up again
        except IntegrityError as error:
            self._discard()
            raise ImportConflict from error
        except BaseException:
            self._discard()
            raise
        return self.report

    def _read_and_write(self) -> None:
        """Read, compare and check every row, and write what is new where nothing is refused."""
        if self.progress:
            self.progress.set_note("reading")
        watch = self.progress.check if self.progress else go_on
        rows: Counter[str] = Counter()
        with (
            quick_collections(),
            check_beside() as checker,
            open_file(self.path, self.options, watch) as opened,
        ):
            self.report.format = opened.format
            for outcome in _checked(self._compared(opened.rows, rows), checker):
                self._count(outcome)
                if self._is_writing and outcome.rows:
                    self._open_writer().write(outcome.rows, timezone.now())
                    self.analyser.note(len(outcome.rows))
                if self.progress:
                    self.progress.advance_to(self.report.read)
            self.report.list_files(opened.files, rows)
            self.report.add_notes((*opened.notes, *self.script.notes, *self.spellings.notes))

    def _compared(self, rows: Iterator[Row], rows_of_file: Counter[str]) -> Iterator[BatchOutcome]:
        """Compare the rows with the project, some at a time, and count them by file."""
        system = self.spellings.of_system(self.options.system)
        preparation = Preparation(project=self.project, options_system=system)
        for batch in batches_of(rows):
            rows_of_file.update(row.ref.file for row in batch)
            read = [row for row in batch if not isinstance(row, RowError)]
            self.script.count(read)
            outcome = preparation.prepare(self.spellings.of_rows(read))
            outcome.refused += [row for row in batch if isinstance(row, RowError)]
            outcome.refused.sort(key=_places(batch))
            outcome.read = len(batch)
            yield outcome

    def _count(self, outcome: BatchOutcome) -> None:
        if self.options.is_dry_run:
            self.report.show(outcome.rows, self.project)
        items = sum(isinstance(row, PreparedItem) for row in outcome.rows)
        self.report.read += outcome.read
        self.report.imported += items
        self.report.joined += len(outcome.rows) - items
        self.report.unchanged += outcome.unchanged
        self.report.with_findings += outcome.with_findings
        self.report.refuse(outcome.refused)

    @property
    def _is_writing(self) -> bool:
        is_refused = self.report.refused and not self.options.is_skipping_refused
        return not self.options.is_dry_run and not is_refused

    def _outcome(self) -> Outcome:
        if self.options.is_dry_run:
            return Outcome.DRY_RUN
        if not self._is_writing:
            self.report.imported = self.report.joined = 0
            return Outcome.REFUSED
        if self.report.imported or self.report.joined:
            return Outcome.IMPORTED
        return Outcome.UNCHANGED

    def _open_writer(self) -> ImportWriter:
        """Return the writer of this import; its batch is opened when the first row is to be written."""
        if self.writer is None:
            self.writer = ImportWriter(
                project=self.project,
                batch=open_batch(
                    project=self.project, import_job=self.import_job, now=timezone.now()
                ),
                provenance=_provenance(self.path, self.options, self.import_job),
                now=self.now,
            )
        return self.writer

    def _finish(self) -> None:
        """Show every row, with the audit event and the report, in one short transaction.

        Where very many items had no translation before, the last of them get theirs under review
        afterwards, a few at a time.
        """
        writer = self._open_writer()
        if self.progress:
            self.progress.start(self.report.read, done=self.report.read, note="finishing")
        self.analyser.finish()
        with transaction.atomic():
            last = show_batch(writer.batch, self.now)
            writer.finish()
            record_event(
                actor=self.actor,
                verb="items.imported",
                target=f"project:{self.project.pk}",
                scope=self.project.slug,
                data={
                    "imported": self.report.imported,
                    "joined": self.report.joined,
                    "sha256": writer.provenance.checksum,
                },
                now=self.now,
            )
            _keep_report(self.report, self.import_job)
        set_pointers(writer.batch.pk, after=last)

    def _discard(self) -> None:
        if self.writer:
            discard_batch(self.writer.batch.pk)


def _places(batch: Sequence[Row]) -> Callable[[RowError], int]:
    """Return a sorting key that puts refusals in the order of their rows in the file."""
    places = {row.ref: place for place, row in enumerate(batch)}
    return lambda refused: places.get(refused.ref, 0)


def _provenance(path: Path, options: ImportOptions, import_job: ImportJob | None) -> Provenance:
    return Provenance(
        name=import_job.name if import_job else path.name,
        checksum=checksum_of(path),
        version=options.version,
        url=options.url,
        licence=options.licence,
        attribution=options.attribution,
    )


def _checked(outcomes: Iterator[BatchOutcome], checker: Checker) -> Iterator[BatchOutcome]:
    """Have the texts of each batch checked while the next is read and the one before is written."""
    waiting: BatchOutcome | None = None
    for outcome in outcomes:
        if waiting:
            waiting.add_problems(checker.receive())
        checker.send(outcome.texts)
        if waiting:
            yield waiting
        waiting = outcome
    if waiting:
        waiting.add_problems(checker.receive())
        yield waiting


def _keep_report(report: ImportReport, import_job: ImportJob | None) -> None:
    if import_job:
        ImportJob.objects.filter(pk=import_job.pk).update(report=report.as_json())
