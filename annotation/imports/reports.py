"""What an import came to: codes and data in the database, words when somebody reads them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.imports.importers import FileUse, RowError, describe
from annotation.imports.importers.labels import MESSAGES

ERRORS_KEPT = 5000
FILES_KEPT = 1000


class Outcome(TextChoices):
    """How an import ended."""

    IMPORTED = "imported", _("Imported.")
    UNCHANGED = "unchanged", _("Everything in the file is already in the project.")
    DRY_RUN = "dry_run", _("Dry run: nothing was imported.")
    REFUSED = "refused", _("Nothing was imported: some rows were refused.")


@dataclass(slots=True)
class ImportReport:
    """What happened to the rows and files of an import, as it is stored.

    `imported` counts new items and `joined` new translations; a dry run counts what an import
    would write. `errors` holds the first ERRORS_KEPT refused rows as {file, row, code, data}.
    `files` holds the first FILES_KEPT files as {name, format, rows, used, code, data}, those
    that were left out among them.
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

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def in_words(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored report with a `reason` in the reader's language beside each code."""
    return {
        **report,
        "errors": [worded(error) for error in report.get("errors", [])],
        "files": [worded(file) for file in report.get("files", [])],
    }


def worded(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a refused row or a file with its reason in words instead of its data."""
    plain = {name: value for name, value in entry.items() if name != "data"}
    return plain | {"reason": reason_of(entry["code"], entry.get("data", {}))}


def reason_of(code: str, data: Mapping[str, str | int]) -> str:
    """The sentence of a code, with the file and row if it names neither.

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


def lines_of(report: Mapping[str, Any]) -> Iterator[str]:
    """A worded report as lines for a terminal."""
    for name, value in report.items():
        if name not in {"errors", "files"}:
            yield f"{name}: {value}"
    for file in report["files"]:
        if file["used"]:
            yield f"read {file['name']} as {file['format']}: {file['rows']} rows"
        else:
            yield f"not read {file['name']}: {file['reason']}"
    for error in report["errors"]:
        yield f"{error['file']}, row {error['row']}: {error['reason']}"
