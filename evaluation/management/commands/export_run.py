"""`export_run PROJECT RUN --format F --output FOLDER`: write a run's answers for another program."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from common.commands import LotsawaCommand, positive
from evaluation.outside.exporting import exported_file
from evaluation.outside.writers import FORMATS
from evaluation.selectors import RunUnknown, get_run
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Write the answers of a run as lm-evaluation-harness or Inspect store them."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("run", type=positive, metavar="RUN")
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument(
            "--output", required=True, type=Path, metavar="FOLDER", help="made if it is missing"
        )
        parser.add_argument(
            "--hidden",
            action="store_true",
            help="also write hidden items, with their texts and keys; keep such files to yourself",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project, run = get_project(options["project"]), get_run(options["run"])
        if run.release.project_id != project.pk:
            raise RunUnknown(pk=run.pk)
        files = [
            exported_file(run, file, with_hidden=options["hidden"])
            for file in FORMATS[options["format"]]
        ]
        options["output"].mkdir(parents=True, exist_ok=True)
        paths = [options["output"] / name for name, _media_type, _pieces in files]
        for path, (_name, _media_type, pieces) in zip(paths, files, strict=True):
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
        return {"run": run.pk, "files": [str(path) for path in paths]}

    def text(self, result: dict[str, Any]) -> str:
        return "\n".join(result["files"])
