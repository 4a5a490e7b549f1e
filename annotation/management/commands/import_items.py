"""`import_items PROJECT PATH`: import published files into a project."""

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.importers.formats import FORMATS
from annotation.imports.actions import RowsRefused, import_path
from annotation.imports.mappings import keep_mapping, mapping_of
from annotation.imports.opening import ImportOptions
from annotation.imports.reports import ImportReport, Outcome, in_words, lines_of
from common.commands import LotsawaCommand
from projects.models import Project
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Import items or translations from a file, folder or archive; all of it or nothing."

    is_verbose = False

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("path", metavar="PATH", type=Path)
        parser.add_argument("--keys", type=Path, help="second file with the keys")
        parser.add_argument("--format", choices=sorted(FORMATS), default="")
        parser.add_argument(
            "--map",
            default="",
            metavar="FIELD=COLUMN,…",
            help="the columns of any other table, such as question=frage,options=a1:a4,key=loesung; "
            "with key_as=letter, zero, one or text, kind, sheet and separator; or the name of "
            "columns that are kept",
        )
        parser.add_argument("--keep-map", default="", help="keep these columns under a name")
        parser.add_argument("--system", default="", help="name of the translation system")
        parser.add_argument("--licence", default="", help="licence of the items or translations")
        parser.add_argument("--attribution", default="", help="names that the licence asks for")
        parser.add_argument("--source-version", default="", help="published version or commit")
        parser.add_argument("--source-url", default="", help="where the files were published")
        parser.add_argument("--verbose", action="store_true", help="print a line per file")
        parser.add_argument("--dry-run", action="store_true", help="read and check, import nothing")
        parser.add_argument(
            "--skip-refused",
            action="store_true",
            help="import the good rows even if others are refused",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project, now = get_project(options["project"]), timezone.now()
        report = import_path(
            project=project,
            path=options["path"],
            options=ImportOptions(
                format=options["format"],
                mapping=_mapping(project, options, now),
                system=options["system"],
                keys=options["keys"],
                is_dry_run=options["dry_run"],
                is_skipping_refused=options["skip_refused"],
                licence=options["licence"],
                attribution=options["attribution"],
                version=options["source_version"],
                url=options["source_url"],
            ),
            actor=None,
            now=now,
        )
        self.is_verbose = bool(options["verbose"])
        if report.outcome == Outcome.REFUSED:
            self.exit_code = 1
            self.say(str(RowsRefused(refused=report.refused, read=report.read)))
        else:
            self.say(str(Outcome(report.outcome).label))
        if report.outcome == Outcome.DRY_RUN and _would_be_refused(report, options):
            self.exit_code = 1
        return in_words(report.as_json())

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(lines_of(result, with_files=self.is_verbose))


def _mapping(project: Project, options: dict[str, Any], now: datetime) -> str:
    """Return the mapping of the options, and keep it where they name it."""
    mapping = mapping_of(project, options["map"])
    if options["keep_map"]:
        keep_mapping(
            project=project, name=options["keep_map"], mapping=mapping, actor=None, now=now
        )
    return mapping


def _would_be_refused(report: ImportReport, options: dict[str, Any]) -> bool:
    """Whether the import after this dry run would write nothing because of refused rows."""
    is_none_left = report.refused == report.read
    return bool(report.refused) and (is_none_left or not options["skip_refused"])
