"""`import_run PROJECT VERSION PATH [--format F]`: import answers of another program as a run."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from common.errors import DomainError
from evaluation.management.run_here import result_text, run_result
from evaluation.models import Run
from evaluation.outside.actions import OutsideOptions, queue_run_import
from evaluation.outside.readers import READERS
from evaluation.runs.actions import DEFAULT_METHODS
from evaluation.selectors import get_run
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.selectors import get_project
from releases.selectors import get_release
from scoring.scorers import RUN_METHODS


class ImportStopped(DomainError):
    code = "import_stopped"
    detail = "%(reason)s"


class Command(LotsawaCommand):
    help = "Import answers that another program asked for as a run of a release, and score them."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument("path", metavar="PATH", type=Path, help="a file, or a folder of files")
        parser.add_argument(
            "--format", default="", choices=sorted(READERS), help="default: as the content says"
        )
        parser.add_argument(
            "--model", default="", help="the model's name; default: as the file says"
        )
        parser.add_argument(
            "--method",
            "--methods",
            action="append",
            default=[],
            metavar="M",
            help=f"one or more, comma-separated: {', '.join(RUN_METHODS)}",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        names = [name.strip() for text in options["method"] for name in text.split(",")]
        how = OutsideOptions(
            format=options["format"],
            methods=tuple(dict.fromkeys(name for name in names if name)) or DEFAULT_METHODS,
            model=options["model"],
        )
        release = get_release(get_project(options["project"]), options["release_version"])
        job = queue_run_import(
            release=release, path=options["path"].resolve(), options=how, actor=None,
            now=timezone.now(),
        )  # fmt: skip
        run = _done(run_now(job))
        return run_result(run) | {"import": run.import_report}

    def text(self, result: dict[str, Any]) -> str:
        report = result["import"]
        lines = [
            "joined: {joined}, not joined: {unjoined}, doubled: {doubled}".format_map(report),
        ]
        lines += [
            f"not joined: {each['file']}, row {each['row']}: {each['id']}"
            for each in report["unjoined_rows"]
        ]
        lines += [
            f"the file's own {each['measure']}: {each['mean']:.4f} (n = {each['n']})"
            for each in report["own_figures"]
        ]
        return "\n".join([*lines, result_text(result)])


def _done(job: Job) -> Run:
    if job.state != JobState.DONE:
        raise ImportStopped(reason=job.error or job.get_state_display())
    return get_run(job.result["run"])
