"""`make_items PROJECT word-order|cloze|distractors PATH`: make items of lines and import them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from annotation.imports.reports import Outcome, in_words
from annotation.making.actions import WAYS, MakingSettings, make_items, read_text
from annotation.making.base import fault_text
from common.commands import LotsawaCommand, natural
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

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        making = make_items(
            project=get_project(options["project"]),
            settings=MakingSettings(
                way=options["way"],
                sentences=read_text(options["path"]),
                question=options["question"],
                vocabulary=read_text(options["vocabulary"]) if options["vocabulary"] else "",
                seed=options["seed"],
                name=options["path"].stem,
            ),
            actor=None,
            now=timezone.now(),
            is_dry_run=options["dry_run"],
        )
        if making.report is None or making.report.outcome == Outcome.REFUSED:
            self.exit_code = 1
        return {
            "made": len(making.made.items),
            "left_out": [
                {"line": fault.line, "code": fault.code, "reason": fault_text(fault, gettext)}
                for fault in making.made.faults
            ],
            "import": in_words(making.report.as_json()) if making.report else None,
        }
