"""`start_run PROJECT VERSION MODEL`: run a model on a release, in a worker or (--wait) here."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from evaluation.actions import RunSettings, ensure_default_prompts, start_run
from evaluation.actions.runs import DEFAULT_METHODS, RUN_METHODS
from evaluation.management.run_here import result_text, run_here, run_result
from evaluation.models import Run
from evaluation.selectors import get_model, get_prompt
from projects.selectors import get_project
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = "Run a model on a release. Without --wait, a worker does the run."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument("model", metavar="MODEL", help="name of the model spec")
        parser.add_argument("--prompt", default="direct", metavar="P", help="default: direct")
        parser.add_argument("--shots", type=int, default=0, metavar="N")
        parser.add_argument("--epochs", type=int, default=1, metavar="K")
        parser.add_argument(
            "--method",
            action="append",
            default=[],
            metavar="M",
            help=f"one or more, comma-separated: {', '.join(RUN_METHODS)}",
        )
        parser.add_argument("--concurrency", type=int, default=8, metavar="C")
        parser.add_argument(
            "--wait", action="store_true", help="run in this process and print the results"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        run = _start(options)
        if options["wait"]:
            run = run_here(run, self.say)
        return run_result(run)

    def text(self, result: dict[str, Any]) -> str:
        return result_text(result)


def _start(options: dict[str, Any]) -> Run:
    now = timezone.now()
    project = get_project(options["project"])
    ensure_default_prompts(project=project, now=now)
    return start_run(
        release=get_release(project, options["release_version"], must_stand=True),
        model_spec=get_model(project, options["model"]),
        prompt=get_prompt(project, options["prompt"]),
        settings=_settings(options),
        actor=None,
        now=now,
    )


def _settings(options: dict[str, Any]) -> RunSettings:
    names = [name.strip() for text in options["method"] for name in text.split(",")]
    return RunSettings(
        shots=options["shots"],
        epochs=options["epochs"],
        methods=tuple(dict.fromkeys(name for name in names if name)) or DEFAULT_METHODS,
        concurrency=options["concurrency"],
    )
