"""`import_terms PROJECT FILE`: add the terms of a CSV or TBX file to a glossary."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.glossary.actions import import_terms
from annotation.glossary.formats import read_terms
from annotation.glossary.presenters import problem_rows
from common.commands import LotsawaCommand
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Add and change terms from a file: all of them or none. Other terms stay as they are."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("file", type=Path, metavar="FILE", help="CSV or TBX-Basic")
        parser.add_argument("--dry-run", action="store_true", help="read and check, write nothing")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        read = read_terms(
            options["file"].read_bytes(),
            source_language=project.source_language,
            target_language=project.target_language,
        )
        if read.problems:
            self.exit_code = 1
            rows = [
                dict(zip(("row", "field", "message"), r, strict=True)) for r in problem_rows(read)
            ]
            return {"created": 0, "changed": 0, "unchanged": 0, "problems": rows}
        counts = import_terms(
            project=project,
            read=read,
            dry_run=options["dry_run"],
            actor=None,
            now=timezone.now(),
        )
        return {**asdict(counts), "problems": []}

    def text(self, result: dict[str, Any]) -> str:
        lines = [f"{p['row']}\t{p['field']}\t{p['message']}" for p in result["problems"]]
        totals = "{created} new, {changed} changed, {unchanged} unchanged".format(**result)
        return "\n".join([*lines, totals])
