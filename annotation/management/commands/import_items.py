"""`import_items PROJECT PATH`: import published files into a project."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.imports.actions import ImportOptions, RowsRefused, import_path
from annotation.imports.importers import FORMATS
from annotation.imports.reports import Outcome, in_words, lines_of
from common.commands import LotsawaCommand
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Import items or translations from a file, folder or archive; all of it or nothing."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("path", metavar="PATH", type=Path)
        parser.add_argument("--keys", type=Path, help="second file with the keys")
        parser.add_argument("--format", choices=sorted(FORMATS), default="")
        parser.add_argument("--system", default="", help="name of the translation system")
        parser.add_argument("--licence", default="", help="licence of the items or translations")
        parser.add_argument("--attribution", default="", help="names that the licence asks for")
        parser.add_argument("--source-version", default="", help="published version or commit")
        parser.add_argument("--source-url", default="", help="where the files were published")
        parser.add_argument("--dry-run", action="store_true", help="read and check, import nothing")
        parser.add_argument(
            "--skip-refused",
            action="store_true",
            help="import the good rows even if others are refused",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        report = import_path(
            project=get_project(options["project"]),
            path=options["path"],
            options=ImportOptions(
                format=options["format"],
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
            now=timezone.now(),
        )
        if report.outcome == Outcome.REFUSED:
            self.exit_code = 1
            self.say(str(RowsRefused(refused=report.refused, read=report.read)))
        else:
            self.say(str(Outcome(report.outcome).label))
        return in_words(report.as_json())

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(lines_of(result))
