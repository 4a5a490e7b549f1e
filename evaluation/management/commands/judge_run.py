"""`judge_run RUN --judge MODEL`: have a model judge the answers of a run to open-ended items."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand, amount, positive
from endpoints.specs.selectors import get_model
from evaluation.audits.queries import audit_json
from evaluation.judging.actions import JudgingSettings, start_judging
from evaluation.judging.estimates import estimate_json, estimate_judging
from evaluation.judging.queries import judging_figures
from evaluation.judging.rubric import RUBRIC
from evaluation.judging.selectors import get_judging
from evaluation.results.json_values import results_json
from evaluation.results.queries.figures import run_results
from evaluation.selectors import get_run
from jobs.management.here import work_here
from scoring.scorers.judge import SCORER


class Command(LotsawaCommand):
    help = "Have a judge model compare the answers of a run with the references of its items."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=positive, metavar="RUN")
        parser.add_argument(
            "--judge", required=True, metavar="MODEL", help="a model of the project"
        )
        parser.add_argument(
            "--rubric", type=Path, metavar="FILE", help="what the judge is told (default: ours)"
        )
        parser.add_argument("--budget", type=amount, metavar="N", help="US dollars")
        parser.add_argument("--concurrency", type=positive, default=8, metavar="N")
        parser.add_argument("--dry-run", action="store_true", help="only say what it would take")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        run, path = get_run(options["run"]), options["rubric"]
        rubric = path.read_text(encoding="utf-8") if path else RUBRIC
        asked: dict[str, Any] = {
            "run": run,
            "judge": get_model(run.release.project, options["judge"]),
            "settings": JudgingSettings(rubric, options["budget"], options["concurrency"]),
        }
        if options["dry_run"]:
            return estimate_json(estimate_judging(**asked))
        started = start_judging(**asked, actor=None, now=timezone.now())
        work_here(started.job)
        figures = judging_figures(get_judging(run))
        read = results_json(run_results(run))["methods"].get(SCORER.name)
        audited = (audit_json(run) or {}).get("methods", {}).get(SCORER.name)
        return {
            "run": run.pk,
            "judge": started.model_spec.name,
            "answers": figures.answers,
            "judged": figures.judged,
            "unreadable": figures.unreadable,
            "price": None if figures.price is None else str(figures.price),
            "results": read,
            "agreement": audited,
        }

    def text(self, result: dict[str, Any]) -> str:
        if "looked_at" in result:
            return super().text(result)
        lines = ["{judged} of {answers} answers judged by {judge}".format(**result)]
        if result["results"]:
            overall = result["results"]["overall"]
            lines.append(f"accuracy {overall['item_weighted']['accuracy']:.1%}")
        agreement = result["agreement"]
        if agreement and agreement["accuracy"] is not None:
            lines.append(
                f"people agree with {agreement['accuracy']:.1%} "
                f"[{agreement['low']:.1%}, {agreement['high']:.1%}] of its verdicts"
            )
        else:
            lines.append("how often people agree with it is not known: start an extraction audit")
        return "\n".join(lines)
