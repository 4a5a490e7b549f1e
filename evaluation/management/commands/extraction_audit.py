"""`extraction_audit RUN`: how well each method reads the responses of a run, as people read them."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from common.commands import LotsawaCommand, positive
from common.downloads import csv_lines
from evaluation.audits.actions import AGREED, DOUBTFUL, start_audit
from evaluation.audits.queries import EXPORT_COLUMNS, audit_figures, export_rows, figures_json
from evaluation.audits.selectors import get_audit
from evaluation.selectors import get_run
from jobs.worker import run_now


class Command(LotsawaCommand):
    help = "Draw the responses of a run that people read, or say how well each method reads them."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=positive, metavar="RUN")
        parser.add_argument("--start", action="store_true", help="draw the responses first")
        parser.add_argument("--doubtful", type=positive, default=DOUBTFUL, metavar="N")
        parser.add_argument("--agreed", type=positive, default=AGREED, metavar="N")
        parser.add_argument("--seed", type=int, metavar="N", help="default: a random one")
        parser.add_argument(
            "--format", choices=["text", "csv"], default="text", help="csv has a line a response"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        run = get_run(options["run"])
        if options["start"]:
            seed = secrets.randbelow(2**31) if options["seed"] is None else options["seed"]
            started = start_audit(
                run=run, doubtful=options["doubtful"], agreed=options["agreed"], seed=seed,
                actor=None, now=timezone.now(),
            )  # fmt: skip
            run_now(started.job)
        audit = get_audit(run)
        if options["format"] == "csv" and not options["json"]:
            return {"csv": "".join(csv_lines(EXPORT_COLUMNS, export_rows(audit)))}
        return {"run": run.pk, **figures_json(audit_figures(audit))}

    def text(self, result: dict[str, Any]) -> str:
        if "csv" in result:
            return str(result["csv"]).rstrip("\n")
        kappa = result["kappa"]["value"]
        lines = [
            _("%(drawn)s responses drawn, %(read)s read by two people, who agree on %(settled)s")
            % result,
            "κ –" if kappa is None else f"κ {kappa:.3f}",
        ]
        for name, each in result["methods"].items():
            share = "–"
            if each["accuracy"] is not None:
                share = f"{each['accuracy']:.1%} [{each['low']:.1%}, {each['high']:.1%}]"
            lines.append(f"{name} v{each['version']}: {share}  ({each['right']}/{each['read']})")
        return "\n".join(lines)
