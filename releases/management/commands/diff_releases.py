"""`diff_releases PROJECT OLD NEW`: say what changed between two releases, or since the source."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from common.commands import LotsawaCommand
from projects.selectors import get_project
from releases.changes.changelog import as_markdown
from releases.changes.differences import (
    SOURCE,
    NotFrozen,
    ReleaseDifference,
    difference,
    source_difference,
)
from releases.models import Release
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = (
        "Say what changed between two releases: items, texts, keys, splits, subsets, categories. "
        f"OLD may be “{SOURCE}”: the texts and keys as they were imported."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("old", metavar="OLD")
        parser.add_argument("new", metavar="NEW")
        parser.add_argument(
            "--format", choices=["json", "markdown"], default="markdown", dest="shape"
        )
        parser.add_argument(
            "--with-hidden", action="store_true", help="name hidden items too; keep the output safe"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        new = _frozen(get_release(project, options["new"]))
        shown = options["with_hidden"]
        if options["old"] == SOURCE:
            self.found = source_difference(new, shows_hidden=shown)
        else:
            old = _frozen(get_release(project, options["old"]))
            self.found = difference(old, new, shows_hidden=shown)
        options["json"] = options["json"] or options["shape"] == "json"
        return as_json(self.found)

    def text(self, _result: dict[str, Any]) -> str:
        return as_markdown(self.found).rstrip("\n")


def as_json(found: ReleaseDifference) -> dict[str, Any]:
    """Return the difference as plain values; a run of text is [what became of it, text]."""
    return asdict(found)


def _frozen(release: Release) -> Release:
    if release.frozen_at is None:
        raise NotFrozen(version=release.version)
    return release
