"""`import_items PROJECT PATH`: bring published files into a project."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.actions.imports import ImportOptions, Outcome, RowsRefused, import_path
from annotation.importers import FORMATS
from annotation.lookups import get_project
from common.commands import LotsawaCommand


class Command(LotsawaCommand):
    help = "Import items or translations from a file, folder or archive; all of it or nothing."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("path", metavar="PATH", type=Path)
        parser.add_argument("--keys", type=Path, help="second file with the keys")
        parser.add_argument("--format", choices=sorted(FORMATS), default="")
        parser.add_argument("--system", default="", help="name of the translation system")
        parser.add_argument("--licence", default="", help="licence of the source")
        parser.add_argument("--attribution", default="", help="attribution the licence asks for")
        parser.add_argument("--dry-run", action="store_true", help="read and check, write nothing")
        parser.add_argument(
            "--skip-refused",
            action="store_true",
            help="import the good rows although others are refused",
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
            ),
            actor=None,
            now=timezone.now(),
        )
        if report.outcome == Outcome.REFUSED:
            self.exit_code = 1
            self.say(str(RowsRefused(refused=report.refused, read=report.read)))
        else:
            self.say(str(Outcome(report.outcome).label))
        return report.as_json()

    def text(self, result: dict[str, Any]) -> str:
        errors = [
            f"{error['file']}, row {error['row']}: {error['reason']}" for error in result["errors"]
        ]
        counts = [f"{name}: {value}" for name, value in result.items() if name != "errors"]
        return "\n".join([*counts, *errors])
