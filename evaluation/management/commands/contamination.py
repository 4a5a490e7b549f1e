"""`contamination PROJECT VERSION --reference PATH`: look for the items of a release in other texts."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.duplicates.dedupe.reference_files import ReferenceUnreadable, reference_texts
from annotation.duplicates.errors import ReferenceRefused
from annotation.enums import TextSide
from common.commands import LotsawaCommand, positive, refuse_unwritable
from evaluation.contamination.overlap import contamination_of
from projects.selectors import get_project
from releases.files.manifest import canary_string
from releases.models import Release
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = "Look for the items of a release, and for its canary, in texts that a model may know."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument(
            "--reference",
            type=Path,
            required=True,
            metavar="PATH",
            help="a file or folder of .txt, .jsonl, .json, .csv, .tsv or .parquet, also gzipped",
        )
        parser.add_argument(
            "--side",
            choices=TextSide.values,
            default=TextSide.TARGET.value,
            help="which texts to look for",
        )
        parser.add_argument(
            "--size", type=positive, default=0, help="length of an n-gram: words or characters"
        )
        parser.add_argument(
            "--output", type=Path, metavar="FILE.jsonl", help="write the items found"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        refuse_unwritable(options["output"])
        release = get_release(get_project(options["project"]), options["release_version"])
        try:
            found = contamination_of(
                release, reference_texts(options["reference"]), canary=_canary(release),
                side=options["side"], size=options["size"],
            ).as_json()  # fmt: skip
        except ReferenceUnreadable as error:
            raise ReferenceRefused(reason=error) from error
        if options["output"]:
            lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in found["items"])
            options["output"].write_text("".join(lines), encoding="utf-8")
            found["items"] = []
        return found

    def text(self, result: dict[str, Any]) -> str:
        overall = result["overall"]
        lines = [
            f"{result['texts']} texts read, n-grams of {result['size']} {result['unit']}",
            f"{overall['flagged']} of {overall['n']} items overlap; {result['too_short']} are too short",
        ]
        lines += [f"canary: {place}" for place in result["canaries"]]
        lines += [_model_line(model, result["published"]) for model in result["models"]]
        lines += [
            f"{item['id']}\t{item['share']:.0%}\t{item['hits'][0]['place']}"
            for item in result["items"]
        ]
        return "\n".join(lines)


def _model_line(model: dict[str, Any], published: str) -> str:
    if model["may_have_seen"] is None:
        return f"model {model['name']}: the end of its training data is not stated"
    stated = f"model {model['name']}, trained on texts until {model['cutoff']}"
    if not published:
        return f"{stated}: the release is not published"
    seen = "may have been seen" if model["may_have_seen"] else "was published later"
    return f"{stated}: the release of {published} {seen}"


def _canary(release: Release) -> str:
    """Return the part of the canary string that no other release has."""
    canary = canary_string(project=release.project.slug, version=release.version, seed=release.seed)
    return canary.rpartition(" ")[2]
