"""`export_terms PROJECT FILE`: write a glossary as CSV or TBX."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.glossary.formats import FORMATS
from annotation.glossary.queries import terms_to_download
from annotation.models import Term
from common.commands import LotsawaCommand, refuse_unwritable
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Write all terms of a project to a file."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--format", choices=FORMATS, default="csv")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        refuse_unwritable(options["file"])
        with options["file"].open("w", encoding="utf-8", newline="") as file:
            file.writelines(terms_to_download(project, options["format"]))
        return {
            "file": str(options["file"]),
            "terms": Term.objects.filter(project=project).count(),
        }
