"""`find_overlap PROJECT --reference PATH`: look for the active items of a project in other texts."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotation.duplicates.dedupe.overlap import search_overlap
from annotation.duplicates.dedupe.reference_files import ReferenceUnreadable, reference_texts
from annotation.duplicates.errors import ReferenceRefused
from annotation.models import Item
from common.commands import LotsawaCommand, positive
from projects.models import Project
from projects.selectors import get_project

SOURCE, TARGET = "source", "target"


class Command(LotsawaCommand):
    help = "Look for the active items in texts that a model may know, or in another benchmark."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "--reference",
            type=Path,
            required=True,
            metavar="PATH",
            help="a file or folder of .txt, .jsonl, .json, .csv, .tsv or .parquet, also gzipped",
        )
        parser.add_argument(
            "--side", choices=[SOURCE, TARGET], default=SOURCE, help="which texts to look for"
        )
        parser.add_argument(
            "--size", type=positive, default=0, help="length of an n-gram: words or characters"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        side = options["side"]
        rows = list(_texts(project, side))
        language = project.source_language if side == SOURCE else project.target_language
        try:
            found = search_overlap(
                [text for _uid, text in rows], reference_texts(options["reference"]),
                language=language, size=options["size"],
            )  # fmt: skip
        except ReferenceUnreadable as error:
            raise ReferenceRefused(reason=error) from error
        overlapping = [
            {"uid": uid, "share": overlap.share, "hits": [asdict(hit) for hit in overlap.hits]}
            for (uid, _text), overlap in zip(rows, found, strict=True)
            if overlap.matched
        ]
        return {
            "side": side,
            "items": len(rows),
            "too_short": sum(not overlap.total for overlap in found),
            "overlapping": sorted(overlapping, key=lambda each: (-each["share"], each["uid"])),
        }

    def text(self, result: dict[str, Any]) -> str:
        found = result["overlapping"]
        lines = [
            f"{each['uid']}\t{each['share']:.0%}\t{each['hits'][0]['place']}" for each in found
        ]
        total = (
            f"{len(found)} of {result['items']} items overlap; {result['too_short']} are too short"
        )
        return "\n".join([*lines, total])


def _texts(project: Project, side: str) -> list[tuple[str, str]]:
    """Return uid and text of the items; those without a translation have no target text."""
    there = "" if side == SOURCE else "working_translation__current_revision__"
    rows = Item.objects.filter(project=project).active().order_by("uid_order", "pk")
    columns = rows.values_list("uid", f"{there}question", f"{there}options")
    return [(uid, " ".join([text, *options])) for uid, text, options in columns if text is not None]
