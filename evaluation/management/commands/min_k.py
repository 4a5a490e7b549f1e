"""`min_k RUN --control VERSION`: ask how probable the items of a run are to its model."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.duplicates.dedupe.reference_files import ReferenceUnreadable, reference_texts
from annotation.duplicates.errors import ReferenceRefused
from annotation.enums import TextSide
from common.commands import LotsawaCommand, amount, positive, refuse_unwritable
from common.figure_tables import FORMATS, as_csv, as_json
from evaluation.contamination.actions import MinKSettings, start_min_k
from evaluation.contamination.queries import min_k_figures
from evaluation.contamination.selectors import get_min_k
from evaluation.contamination.tables import comparison_table, min_k_tables, subjects_table
from evaluation.items.selectors import reference_release
from evaluation.models import MinKTest, Run
from evaluation.selectors import get_run
from jobs.management.here import work_here


class Command(LotsawaCommand):
    help = "Compare how probable the items of a run and control texts are to its model (Min-k %)."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=positive, metavar="RUN")
        controls = parser.add_mutually_exclusive_group(required=True)
        controls.add_argument(
            "--control", metavar="VERSION", help="a release, or PROJECT:VERSION of another project"
        )
        controls.add_argument(
            "--reference",
            type=Path,
            metavar="PATH",
            help="texts of the same language, one a line or row: .txt, .jsonl, .csv or .parquet",
        )
        parser.add_argument("--side", choices=TextSide.values, default=TextSide.TARGET.value)
        parser.add_argument("--items", type=positive, default=1000, metavar="N", help="at most")
        parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws the items")
        parser.add_argument("--budget", type=amount, metavar="N", help="US dollars")
        parser.add_argument("--concurrency", type=positive, default=8, metavar="N")
        parser.add_argument("--output", type=Path, metavar="FILE.csv", help="values of each text")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        refuse_unwritable(options["output"])
        run = get_run(options["run"])
        work_here(_started(run, options).job)
        test = get_min_k(run)
        figures = min_k_figures(test)
        table = comparison_table(test, figures)
        of_subjects = subjects_table(figures)
        self.written = FORMATS["markdown"][0]([table, of_subjects])
        if options["output"]:
            options["output"].write_text(as_csv(min_k_tables(test)), encoding="utf-8", newline="")
        return {
            "run": run.pk,
            "texts": figures.texts,
            "answered": figures.answered,
            "unmatched": test.unmatched_count,
            "price": None if figures.price is None else str(figures.price),
            **as_json(table),
            "subjects": as_json(of_subjects),
        }

    def text(self, result: dict[str, Any]) -> str:
        words = "{answered} of {texts} texts answered, {unmatched} items without a control\n\n"
        return words.format(**result) + self.written


def _started(run: Run, options: dict[str, Any]) -> MinKTest:
    name, path = options["control"], options["reference"]
    settings = MinKSettings(
        options["side"], options["items"], options["seed"], options["budget"],
        options["concurrency"],
    )  # fmt: skip
    try:
        return start_min_k(
            run=run,
            control=reference_release(run.release.project, name) if name else None,
            texts=(text for _place, text in reference_texts(path)) if path else (),
            settings=settings,
            actor=None,
            now=timezone.now(),
        )
    except ReferenceUnreadable as error:
        raise ReferenceRefused(reason=error) from error
