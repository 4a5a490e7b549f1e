"""`repair_findings PROJECT --check CODE`: take the certain repairs of what a check found."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from jobs.management.here import work_here
from projects.selectors import get_project
from review.repairs.actions import outcome_of, start_repairs
from review.repairs.forms import RepairForm
from review.repairs.labels import reason_words, repaired_words
from review.repairs.planning import RepairPlan, plan_repairs


class Command(LotsawaCommand):
    help = "Take the certain repairs of one check in all texts that nobody has decided on."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--check", required=True, metavar="CODE", help="code of the check")
        parser.add_argument("--subject", default="", metavar="SLUG")
        parser.add_argument("--system", default="", metavar="NAME")
        parser.add_argument("--dry-run", action="store_true", help="only say what would change")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        said = {"code": options["check"], **{n: options[n] for n in ("subject", "system")}}
        form = RepairForm(said, project=project)
        if not form.is_valid():
            raise CommandError(" ".join(str(w) for words in form.errors.values() for w in words))
        wanted = form.wanted()
        if options["dry_run"]:
            return _planned(plan_repairs(project, wanted, is_whole=True))
        batch = start_repairs(
            project=project,
            wanted=wanted,
            digest=None,
            actor=None,
            now=timezone.now(),
            is_whole=True,
        )
        work_here(batch.job)
        return {"batch": batch.pk, **outcome_of(batch)}

    def text(self, result: dict[str, Any]) -> str:
        if "batch" in result:
            first = _("Batch %(number)s") % {"number": result["batch"]}
            return "\n".join([first, *repaired_words(result)])
        first = _("Texts that would be repaired: %(count)s.") % {"count": len(result["texts"])}
        return "\n".join([first, *result["texts"], *reason_words(result["left"])])


def _planned(plan: RepairPlan) -> dict[str, Any]:
    return {
        "digest": plan.digest,
        "texts": [each.revision.translation.item.uid for each in plan.repairs],
        "left": {str(reason): count for reason, count in plan.left_counts.items()},
    }
