"""`make_items PROJECT WAY PATH`: make items of sentences, pairs or prompts, or explanations of items."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.conf import settings as server
from django.core.management import get_commands, load_command_class
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
from annotation.making.by_model import actions as by_model
from annotation.making.by_model import queries as pairs
from annotation.making.from_pool import actions as from_pool
from annotation.making.from_pool import queries as pools
from annotation.making.from_pool.pool import WAY as ARENA_PROMPTS
from annotation.making.known import left_out_json
from annotation.making.pairs import WAY as DISTRACTORS
from annotation.management.call_jobs import LIST, add_bounds, start_and_report
from common.commands import LotsawaCommand, natural, positive
from endpoints.specs.selectors import get_model
from projects.models import Project
from projects.selectors import get_project

EXPLANATIONS: Final = "explanations"


class Command(LotsawaCommand):
    help = (
        "Make items of a file of sentences, pairs or prompts, or have items explained by a model."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("way", choices=(*WAYS, ARENA_PROMPTS, EXPLANATIONS))
        parser.add_argument(
            "path",
            metavar="PATH",
            type=Path,
            help="text file in UTF-8; of explanations, one uid on each line",
        )
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
            help="the model spec that proposes distractors, scores arena-prompts, or explains",
        )
        parser.add_argument(
            "--count",
            type=positive,
            metavar="N",
            help=f"of arena-prompts: how many are drawn (default: {from_pool.DEFAULT_COUNT})",
        )
        add_bounds(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        self._refuse_combinations(options)
        if options["way"] == ARENA_PROMPTS:
            return self._draw(options)
        if options["way"] == EXPLANATIONS:
            return self._explain(options)
        if options["model"]:
            return self._have_proposed(options)
        making = make_items(
            project=get_project(options["project"]), settings=_settings(options), actor=None,
            now=timezone.now(), is_dry_run=options["dry_run"],
        )  # fmt: skip
        if making.report is None or making.report.outcome == Outcome.REFUSED:
            self.exit_code = 1
        return {
            "made": len(making.made.items),
            "left_out": left_out_json(making.made.faults),
            "import": in_words(making.report.as_json()) if making.report else None,
        }

    def _have_proposed(self, options: dict[str, Any]) -> dict[str, Any]:
        """Start a job that asks a model; return what it takes or how it stands, and the lines left out."""
        project, text = get_project(options["project"]), read_text(options["path"])
        settings = by_model.MakingJobSettings(pairs=text, **_asked(project, options))
        left_out = left_out_json(pairs.choose_pairs(project, text).faults)
        report = start_and_report(
            options, {"project": project, "settings": settings}, name="making_job",
            start=by_model.start_making_job, estimate=by_model.estimate_of,
            results=pairs.results_json,
        )  # fmt: skip
        return report | {"left_out": left_out}

    def _draw(self, options: dict[str, Any]) -> dict[str, Any]:
        """Start a job that draws prompts; return what it takes or how it stands, and the lines left out."""
        project, text = get_project(options["project"]), read_text(options["path"])
        settings = from_pool.SamplingSettings(
            pool=text, count=options["count"] or from_pool.DEFAULT_COUNT, **_asked(project, options)
        )
        left_out = left_out_json(pools.choose_prompts(project, text).faults)
        report = start_and_report(
            options, {"project": project, "settings": settings}, name="sampling_job",
            start=from_pool.start_sampling, estimate=from_pool.estimate_of,
            results=pools.results_json,
        )  # fmt: skip
        return report | {"embedding_model": server.EMBEDDING_MODEL, "left_out": left_out}

    def _explain(self, options: dict[str, Any]) -> dict[str, Any]:
        """Do what `explain_items` does with a list; it belongs to review, which is above this app."""
        command: Any = load_command_class(get_commands()["explain_items"], "explain_items")
        found: dict[str, Any] = command.run({**options, "select": [(LIST, str(options["path"]))]})
        return found

    def _refuse_combinations(self, options: dict[str, Any]) -> None:
        way, has_model = options["way"], bool(options["model"])
        if way in {ARENA_PROMPTS, EXPLANATIONS} and not has_model:
            raise MakingInvalid(fault=_("These are made with a model: name it with --model."))
        if has_model and way not in {DISTRACTORS, ARENA_PROMPTS, EXPLANATIONS}:
            words = _("Only distractors, arena-prompts and explanations are made with a model.")
            raise MakingInvalid(fault=words)
        if options["count"] and way != ARENA_PROMPTS:
            raise MakingInvalid(fault=_("--count is for arena-prompts."))
        if not has_model and (options["budget"] is not None or options["wait"]):
            raise MakingInvalid(fault=_("--budget and --wait are for a job: name its --model."))


def _asked(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that all jobs have which ask a model."""
    return {
        "model": get_model(project, options["model"]),
        "seed": options["seed"],
        "name": options["path"].stem,
        "budget": options["budget"],
        "concurrency": options["concurrency"],
    }


def _settings(options: dict[str, Any]) -> MakingSettings:
    return MakingSettings(
        way=options["way"],
        sentences=read_text(options["path"]),
        question=options["question"],
        vocabulary=read_text(options["vocabulary"]) if options["vocabulary"] else "",
        seed=options["seed"],
        name=options["path"].stem,
    )
