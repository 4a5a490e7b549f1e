"""`publish_release PROJECT VERSION`: show a built release to its readers, here or on the Hub."""

import time
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.commands import LotsawaCommand
from common.errors import DomainError
from jobs.enums import JobState
from jobs.worker import run_now
from projects.selectors import get_project
from releases.hub.actions import plan_json, publication_plan, start_hub_publishing
from releases.models import Release
from releases.publishing.actions import publish_release
from releases.selectors import get_release

POLL_SECONDS = 0.2


class HubOptionsInvalid(DomainError):
    code = "hub_options_invalid"
    detail = _("--dry-run and --private go together with --repository.")
    status = 400


class PublishingFailed(DomainError):
    code = "publishing_failed"
    detail = _("Publishing failed: %(reason)s")


class Command(LotsawaCommand):
    help = (
        "Publish a built release. With --repository, publish the open part of a published "
        "release on the Hugging Face Hub."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument("--repository", default="", metavar="OWNER/NAME")
        parser.add_argument("--dry-run", action="store_true", help="only say what would change")
        parser.add_argument("--private", action="store_true", help="if the repository must be made")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        release = get_release(get_project(options["project"]), options["release_version"])
        if options["repository"]:
            return _to_hub(release, options)
        if options["dry_run"] or options["private"]:
            raise HubOptionsInvalid
        publish_release(release=release, actor=None, now=timezone.now())
        release.refresh_from_db()
        return {
            "project": release.project.slug,
            "version": release.version,
            "state": release.state,
            "content_hash": release.content_hash,
        }

    def text(self, result: dict[str, Any]) -> str:
        if "files" not in result:
            return super().text(result)
        lines = [
            f"{each['change']:>8} {each['size']:>12} {each['name']}" for each in result["files"]
        ]
        counts = {name: each["files"] for name, each in result["counts"].items()}
        words = gettext("%(added)s to add, %(changed)s to change, %(removed)s to remove.")
        if result["dry_run"]:
            return "\n".join([*lines, words % counts])
        return "\n".join([*lines, words % counts, result["url"]])


def _to_hub(release: Release, options: dict[str, Any]) -> dict[str, Any]:
    """Show the plan, or do the job in this process unless a worker was faster."""
    repository = options["repository"]
    if options["dry_run"]:
        plan = publication_plan(release=release, repository=repository)
        return {**plan_json(plan), "dry_run": True}
    job = run_now(
        start_hub_publishing(
            release=release,
            repository=repository,
            is_private=options["private"],
            is_dry_run=False,
            actor=None,
            now=timezone.now(),
        )
    )
    while not job.has_ended:
        time.sleep(POLL_SECONDS)
        job = run_now(job)
    if job.state != JobState.DONE:
        raise PublishingFailed(reason=job.error or job.get_state_display())
    return dict(job.result)
