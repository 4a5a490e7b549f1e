"""`publish_release PROJECT VERSION`: show a built release to its readers."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from common.commands import LotsawaCommand
from projects.selectors import get_project
from releases.actions import publish_release
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = "Publish a built release."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        release = get_release(get_project(options["project"]), options["release_version"])
        publish_release(release=release, actor=None, now=timezone.now())
        release.refresh_from_db()
        return {
            "project": release.project.slug,
            "version": release.version,
            "state": release.state,
            "content_hash": release.content_hash,
        }
