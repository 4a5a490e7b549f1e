"""`translation_batch PROJECT JOB --out FILE`: ask the calls of a stopped translation job by batch file."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.asking.batch_files import missing_lines, take_answers
from annotation.models import TranslationJob
from annotation.translating.execution import translation_work
from common.commands import LotsawaCommand
from common.errors import DomainError
from endpoints.batch_files import read_answers
from projects.selectors import get_project


class NoSuchTranslation(DomainError):
    code = "no_such_translation"
    detail = _("The project has no translation job %(job)s. translate_items prints the number.")


class Command(LotsawaCommand):
    help = (
        "Write the calls that a stopped translation job lacks as a batch file, or take the answers."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("job", type=int, metavar="JOB", help="number of the translation job")
        ways = parser.add_mutually_exclusive_group(required=True)
        ways.add_argument("--out", type=Path, metavar="FILE", help="write the missing calls")
        ways.add_argument(
            "--answers", type=Path, nargs="+", metavar="FILE", help="output and error files"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        started = TranslationJob.objects.filter(project=project, pk=options["job"]).first()
        if started is None:
            raise NoSuchTranslation(job=options["job"])
        work = translation_work(started)
        if options["out"]:
            lines = list(missing_lines(work))
            options["out"].write_bytes(b"".join(lines))
            return {"requests": len(lines)}
        content = b"\n".join(path.read_bytes() for path in options["answers"])
        answers = read_answers(content.split(b"\n"))
        return asdict(take_answers(work, answers, timezone.now()))
