"""The report of an import: codes and data in the database, words when somebody reads it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.importers.base import Note, RowError
from annotation.importers.formats import FileUse
from annotation.importers.labels import MESSAGES, describe
from annotation.imports.preparation import PreparedItem, PreparedRow
from annotation.items.text_languages import language_of, source_language_of
from annotation.models import Item
from projects.models import Project

ERRORS_KEPT = 5000
FILES_KEPT = 1000
SAMPLES = 10
SAMPLE_CHARACTERS = 2000


class Outcome(TextChoices):
    """The end of an import."""

    IMPORTED = "imported", _("Imported.")
    UNCHANGED = "unchanged", _("Everything in the file is already in the project.")
    DRY_RUN = "dry_run", _("Dry run: nothing was imported.")
    REFUSED = "refused", _("Nothing was imported: some rows were refused.")


@dataclass(slots=True)
class ImportReport:
    """The counts and refusals of an import's rows and files, as they are stored.

    `imported` counts new items and `joined` new translations; a dry run counts what an import
    would write. `errors` holds the first ERRORS_KEPT refused rows as {file, row, code, data}.
    `files` holds the first FILES_KEPT files as {name, format, rows, used, code, data}, those
    that were left out among them. `notes` holds what else to know, as {file, code, data}.
    `samples` holds the first SAMPLES rows that a dry run would import.
    """

    outcome: str = Outcome.UNCHANGED
    format: str = ""
    read: int = 0
    imported: int = 0
    joined: int = 0
    unchanged: int = 0
    with_findings: int = 0
    refused: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)

    def refuse(self, rows: list[RowError]) -> None:
        """Count refused rows, and keep the first."""
        self.refused += len(rows)
        room = ERRORS_KEPT - len(self.errors)
        self.errors += [
            {"file": r.ref.file, "row": r.ref.row, "code": r.code, "data": dict(r.data)}
            for r in rows[:room]
        ]

    def list_files(self, uses: tuple[FileUse, ...], rows: Counter[str]) -> None:
        """Note what became of each file and how many rows were read from it."""
        self.files = [
            {
                "name": use.name,
                "format": use.format,
                "rows": rows[use.name] if use.is_used else 0,
                "used": use.is_used,
                "code": use.code,
                "data": dict(use.data),
            }
            for use in uses[:FILES_KEPT]
        ]

    def add_notes(self, notes: Sequence[Note]) -> None:
        """Add what is to be said of the files that were read."""
        self.notes += [
            {"file": note.file, "code": note.code, "data": dict(note.data)}
            for note in notes[:FILES_KEPT]
        ]

    def show(self, rows: Sequence[PreparedRow], project: Project) -> None:
        """Keep the first rows as they were parsed, for people to look at."""
        items = {row.uid: _item(row) for row in rows if isinstance(row, PreparedItem)}
        for row in rows[: SAMPLES - len(self.samples)]:
            find = source_language_of if isinstance(row, PreparedItem) else language_of
            self.samples.append(
                {
                    "language": find(items.get(row.uid, Item()), "question", project),
                    "uid": row.uid,
                    "system": getattr(row, "system", ""),
                    "question": row.question[:SAMPLE_CHARACTERS],
                    "options": [option[:SAMPLE_CHARACTERS] for option in row.options],
                    "key": row.key,
                }
            )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def _item(row: PreparedItem) -> Item:
    return Item(kind=row.kind, metadata=row.metadata)


def in_words(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored report with a `reason` in the reader's language beside each code."""
    return {
        **report,
        "errors": [worded(error) for error in report.get("errors", [])],
        "files": [worded(file) for file in report.get("files", [])],
        "notes": [worded(note) for note in report.get("notes", [])],
    }


def worded(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a refused row or a file with its reason in words instead of its data."""
    plain = {name: value for name, value in entry.items() if name != "data"}
    return plain | {"reason": reason_of(entry["code"], entry.get("data", {}))}


def reason_of(code: str, data: Mapping[str, str | int]) -> str:
    """Return the sentence of a code, with the file and row if it names neither.

    A code without words, as an old report may have, stands for itself.
    """
    if code not in MESSAGES:
        return code
    reason = describe(code, data, gettext)
    file, row = str(data.get("file", "")), data.get("row")
    if row and file and file not in reason:
        place = gettext("%(file)s, row %(row)s:") % {"file": file, "row": row}
        return f"{place} {reason}"
    return reason


def lines_of(report: Mapping[str, Any], *, with_files: bool) -> Iterator[str]:
    """Yield a worded report as lines for a terminal, with a line a file where they are wanted."""
    for name, value in report.items():
        if name not in {"errors", "files", "notes", "samples"}:
            yield f"{name}: {value}"
    yield f"files read: {sum(file['used'] for file in report['files'])}"
    for file in report["files"]:
        if file["used"] and with_files:
            yield f"read {file['name']} as {file['format']}: {file['rows']} rows"
        elif not file["used"]:
            yield f"not read {file['name']}: {file['reason']}"
    for note in report["notes"]:
        yield f"note on {note['file'] or 'names'}: {note['reason']}"
    for error in report["errors"]:
        yield f"{error['file']}, row {error['row']}: {error['reason']}"
