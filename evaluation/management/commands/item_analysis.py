"""`item_analysis PROJECT`: what the answers of models say about each item of a release."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.commands import LotsawaCommand, positive
from common.downloads import csv_lines
from common.errors import DomainError
from evaluation.enums import SuggestionKind
from evaluation.items.actions import start_analysis
from evaluation.items.json_values import FIGURE_COLUMNS, figure_json, suggestion_json
from evaluation.items.labels import power_text
from evaluation.items.queries import suggestions_of
from evaluation.items.selectors import latest_release, reference_release
from evaluation.models import ItemAnalysis, ItemFigure
from jobs.enums import JobState
from jobs.worker import run_now
from projects.selectors import get_project
from releases.selectors import get_release


class AnalysisStopped(DomainError):
    code = "analysis_stopped"
    detail = gettext_lazy("The analysis stopped: %(reason)s")


class Command(LotsawaCommand):
    """Runs the analysis in this process. Prints hidden items too: who may run commands is trusted."""

    help = "Analyse the items of a release by the answers of its finished runs."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--release", metavar="VERSION", help="default: the latest with runs")
        parser.add_argument(
            "--source-release",
            metavar="[PROJECT:]VERSION",
            help="a release of the same items in the source language, joined by uid: also look for "
            "items that are harder in the target language than their other items say",
        )
        parser.add_argument(
            "--format", choices=["text", "csv"], default="text", help="csv has a line for each item"
        )
        parser.add_argument(
            "--top", type=positive, default=20, metavar="N", help="print the N first suggestions"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        version, source = options["release"], options["source_release"]
        release = get_release(project, version) if version else latest_release(project)
        analysis = start_analysis(
            release=release,
            reference=reference_release(project, source) if source else None,
            actor=None,
            now=timezone.now(),
        )
        job = run_now(analysis.job)
        if job.state != JobState.DONE:
            raise AnalysisStopped(reason=job.error or job.get_state_display())
        analysis.refresh_from_db()
        return _result(analysis, options)

    def text(self, result: dict[str, Any]) -> str:
        if "csv" in result:
            return str(result["csv"]).rstrip("\n")
        lines = [
            _("%(release)s: %(items)s items, %(runs)s runs, %(models)s models") % result,
            *result["notes"],
        ]
        for each in result["suggestions"]:
            kind = SuggestionKind(each["kind"]).label
            lines.append(f"{each['strength']:.2f}  {each['uid']}  {kind}: {each['text']}")
        return "\n".join(lines)


def _result(analysis: ItemAnalysis, options: dict[str, Any]) -> dict[str, Any]:
    rows = ItemFigure.objects.filter(analysis=analysis).select_related("placed__subject")
    figures = [figure_json(row) for row in rows.order_by("position")]
    if options["format"] == "csv" and not options["json"]:
        lines = csv_lines(FIGURE_COLUMNS, figures)
        return {"csv": "".join(lines)}
    found = suggestions_of(analysis.release.project).order_by("-strength", "pk")
    return {
        "project": analysis.release.project.slug,
        "release": analysis.release.version,
        **analysis.facts,
        "notes": power_text(analysis.facts),
        "suggestions": [suggestion_json(each) for each in found[: options["top"]]],
        "figures": figures,
    }
