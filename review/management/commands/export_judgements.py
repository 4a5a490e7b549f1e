"""`export_judgements PROJECT --format jsonl|csv`: every judgement, as a stream."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.commands import LotsawaCommand, natural, refuse_unwritable
from projects.criteria import names_of
from projects.models import Project
from projects.selectors import get_project
from review.selectors import get_round
from review.workbench.judgement_rows import FORMATS, round_numbers
from review.workbench.queries import told_judgements


class Command(LotsawaCommand):
    """Writes what a manager may see: panels that are still being judged are left out.

    The file appears when it is complete; until then it has another name beside it.
    """

    help = "Write every judgement of the panels that are decided or closed."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--round", type=natural, metavar="N", help="of this round only")
        parser.add_argument("--format", choices=sorted(FORMATS), required=True)
        parser.add_argument(
            "--output", type=Path, metavar="FILE", help="instead of standard output"
        )

    has_json = False

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        refuse_unwritable(options["output"])
        pieces = _pieces(project, options["round"], options["format"])
        if options["output"]:
            _write(options["output"], pieces)
            return {"file": options["output"]}
        for piece in pieces:
            self.stdout.write(piece, ending="")
        return {}


def _pieces(project: Project, number: int | None, format_: str) -> Iterator[str]:
    rows = told_judgements(project)
    if number is not None:
        rows = rows.filter(panel__round=get_round(project, number))
    write, _media_type = FORMATS[format_]
    return write(rows, round_numbers(project.rounds.all()), names_of(project.criteria))


def _write(path: Path, pieces: Iterator[str]) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
