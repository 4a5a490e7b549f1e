"""`make_items PROJECT word-order|cloze|distractors PATH`: make items of lines, or by a model, and import them."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.imports.reports import Outcome, in_words
from annotation.making.actions import (
    WAYS,
    MakingInvalid,
    MakingSettings,
    make_items,
    read_text,
)
from annotation.making.base import Fault, fault_text
from annotation.making.by_model.actions import MakingJobSettings, estimate_of, start_making_job
from annotation.making.by_model.queries import choose_pairs, results_json
from annotation.making.pairs import WAY as DISTRACTORS
from annotation.management.call_jobs import add_bounds, start_and_report
from common.commands import LotsawaCommand, natural
from endpoints.specs.selectors import get_model
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Make items of a file with one sentence or pair a line, and import them for review."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("way", choices=WAYS)
        parser.add_argument("path", metavar="PATH", type=Path, help="text file in UTF-8")
        parser.add_argument(
            "--question",
            default="",
            help="what each item asks (default: which sentence is correct, or the gap alone); of a "
            "cloze, with %%s for the sentence",
        )
        parser.add_argument(
            "--vocabulary",
            type=Path,
            metavar="CSV",
            help="of a cloze: columns word, part_of_speech",
        )
        parser.add_argument("--seed", type=natural, default=0, metavar="S")
        parser.add_argument("--dry-run", action="store_true", help="make and check, import nothing")
        parser.add_argument(
            "--model",
            metavar="M",
            help="of distractors: the model spec that proposes wrong answers",
        )
        add_bounds(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        if options["model"]:
            return self._have_proposed(options)
        self._refuse_bounds(options)
        making = make_items(
            project=get_project(options["project"]), settings=_settings(options), actor=None,
            now=timezone.now(), is_dry_run=options["dry_run"],
        )  # fmt: skip
        if making.report is None or making.report.outcome == Outcome.REFUSED:
            self.exit_code = 1
        return {
            "made": len(making.made.items),
            "left_out": _in_words(making.made.faults),
            "import": in_words(making.report.as_json()) if making.report else None,
        }

    def _have_proposed(self, options: dict[str, Any]) -> dict[str, Any]:
        """Start a job that asks a model; return what it takes or how it stands, and the lines left out."""
        if options["way"] != DISTRACTORS:
            raise MakingInvalid(fault=_("Only distractors are proposed by a model."))
        project, pairs = get_project(options["project"]), read_text(options["path"])
        settings = MakingJobSettings(
            model=get_model(project, options["model"]), pairs=pairs, seed=options["seed"],
            name=options["path"].stem, budget=options["budget"],
            concurrency=options["concurrency"],
        )  # fmt: skip
        left_out = _in_words(choose_pairs(project, pairs).faults)
        report = start_and_report(
            options, {"project": project, "settings": settings}, name="making_job",
            start=start_making_job, estimate=estimate_of, results=results_json,
        )  # fmt: skip
        return report | {"left_out": left_out}

    def _refuse_bounds(self, options: dict[str, Any]) -> None:
        if options["budget"] is not None or options["wait"]:
            raise MakingInvalid(fault=_("--budget and --wait are for a job: name its --model."))


def _settings(options: dict[str, Any]) -> MakingSettings:
    return MakingSettings(
        way=options["way"],
        sentences=read_text(options["path"]),
        question=options["question"],
        vocabulary=read_text(options["vocabulary"]) if options["vocabulary"] else "",
        seed=options["seed"],
        name=options["path"].stem,
    )


def _in_words(faults: Sequence[Fault]) -> list[dict[str, Any]]:
    return [
        {"line": fault.line, "code": fault.code, "reason": fault_text(fault, _)} for fault in faults
    ]
