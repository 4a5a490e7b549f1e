"""`translation_batch PROJECT JOB --out FILE`: ask the calls of a translation job by batch file."""

from argparse import ArgumentParser
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.asking.batch_files import (
    hold_asking,
    missing_lines,
    step_of,
    taken_json,
)
from annotation.management.call_jobs import amount
from annotation.models import TranslationJob
from annotation.translating.actions import TRANSLATION
from annotation.translating.batch_files import take_files
from annotation.translating.execution import translation_work
from common.commands import LotsawaCommand
from common.errors import DomainError
from projects.selectors import get_project


class NoSuchTranslation(DomainError):
    code = "no_such_translation"
    detail = _("The project has no translation job %(job)s. translate_items prints the number.")


class Command(LotsawaCommand):
    help = (
        "Write the calls that a translation job lacks as a batch file, or take the answers. The job "
        "waits for its file from then on."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("job", type=int, metavar="JOB", help="number of the translation job")
        ways = parser.add_mutually_exclusive_group(required=True)
        ways.add_argument("--out", type=Path, metavar="FILE", help="write the missing calls")
        parser.add_argument("--budget", type=amount, metavar="N", help="a new budget, US dollars")
        ways.add_argument(
            "--answers", type=Path, nargs="+", metavar="FILE", help="output and error files"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        started = TranslationJob.objects.filter(project=project, pk=options["job"]).first()
        if started is None:
            raise NoSuchTranslation(job=options["job"])
        if options["out"]:
            return self._write(started, options)
        return self._take(started, options["answers"])

    def _write(self, started: TranslationJob, options: dict[str, Any]) -> dict[str, Any]:
        """Hold the job, and write its next file line by line."""
        held = hold_asking(
            TRANSLATION, started, actor=None, now=timezone.now(), budget=options["budget"]
        )
        work = translation_work(held)
        lines = missing_lines(work, timezone.now())
        with options["out"].open("wb") as file:
            count = sum(1 for line in lines if file.write(line))
        return {"requests": count, **asdict(step_of(work))}

    def _take(self, started: TranslationJob, paths: list[Path]) -> dict[str, Any]:
        with ExitStack() as stack:
            taken = take_files(started, [stack.enter_context(path.open("rb")) for path in paths])
        return taken_json(translation_work(started), taken)
