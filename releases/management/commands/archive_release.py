"""`archive_release PROJECT VERSION --output DIR`: write one archive for Zenodo, and its metadata."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from common.commands import LotsawaCommand
from projects.selectors import get_project
from releases.files.archiving import archive_name, metadata_of, write_archive_of
from releases.files.exporters.zenodo import ZENODO_NAME
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = (
        "Write the open part of a release as one ZIP file with metadata for Zenodo in it, and "
        f"beside it the same metadata as {ZENODO_NAME}. The same release gives the same bytes."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument("--output", type=Path, required=True, metavar="DIR")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        release = get_release(get_project(options["project"]), options["release_version"])
        metadata = metadata_of(release)
        folder: Path = options["output"]
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / archive_name(release)
        target.unlink(missing_ok=True)
        sha256 = write_archive_of(release, target)
        (folder / ZENODO_NAME).write_bytes(metadata)
        return {
            "project": release.project.slug,
            "version": release.version,
            "archive": str(target),
            "metadata": str(folder / ZENODO_NAME),
            "size": target.stat().st_size,
            "sha256": sha256,
        }
