"""`build_release PROJECT VERSION`: build a release in this process."""

import shutil
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.commands import LotsawaCommand
from common.errors import DomainError
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project
from projects.selectors import get_project
from releases.building.actions import BuildRequest, start_build
from releases.building.queries import unfinished_build
from releases.enums import DevSource, HiddenPart, OptionOrder, ReleaseState
from releases.files.exporters import FORMATS
from releases.files.storage import artifact_path
from releases.management.readiness_lines import readiness_lines
from releases.models import Release
from releases.publishing.actions import publish_release
from releases.readiness.checks import REFUSALS
from releases.readiness.report import readiness
from releases.readiness.waivers import WaiverRequest
from releases.splits import SplitRule

POLL_SECONDS = 0.2


class BuildFailed(DomainError):
    code = "build_failed"
    detail = _("The build failed: %(reason)s")


class ReleaseBeingBuilt(DomainError):
    code = "release_being_built"
    detail = _(
        "Another process is building release %(version)s. If it was killed, repeat the command in "
        "two minutes: it continues the same build."
    )


class WaiverReasonMissing(DomainError):
    code = "waiver_reason_missing"
    detail = _("Give one --reason for each --waive, in the same order.")
    status = 400


class Command(LotsawaCommand):
    help = "Build a release of the approved items. Add --publish to publish it as well."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION", help="a semantic version")
        _add_items(parser)
        _add_waivers(parser)
        parser.add_argument(
            "--formats",
            default=",".join(sorted(FORMATS)),
            help=f"comma-separated (default: all): {', '.join(sorted(FORMATS))}",
        )
        parser.add_argument("--notes", default="", help="what is new, shown in the README")
        parser.add_argument("--output", type=Path, metavar="DIR", help="copy the files to DIR")
        parser.add_argument("--publish", action="store_true", help="publish it when it is built")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        request = _build_request(options)
        if options["output"]:  # fail before the version is used up
            options["output"].mkdir(parents=True, exist_ok=True)
        release = _take_up(project, request) or _build_here(self._start(project, request))
        if options["publish"]:
            publish_release(release=release, actor=None, now=timezone.now())
            release.refresh_from_db()
        if options["output"]:
            _copy(release, options["output"])
            self.say(gettext("The files are in %s.") % options["output"])
        return _result(release)

    def _start(self, project: Project, request: BuildRequest) -> Release:
        """Start the build; if something is in the way, say all of it, not only the first."""
        try:
            return start_build(project=project, request=request, actor=None, now=timezone.now())
        except REFUSALS:
            found = readiness(
                project,
                black_box_share=request.black_box_share,
                hidden_part=request.hidden_part,
            )
            for line in readiness_lines(found.as_json()):
                self.say(line)
            raise

    def text(self, result: dict[str, Any]) -> str:
        files = [f"  {a['sha256']}  {a['size']:>10}  {a['name']}" for a in result["artifacts"]]
        lines = [f"{name}: {value}" for name, value in result.items() if name != "artifacts"]
        return "\n".join([*lines, gettext("artifacts:"), *files])


def _add_items(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dev", type=int, default=5, metavar="N", help="dev items per subject (default: 5)"
    )
    parser.add_argument(
        "--dev-from",
        choices=DevSource.values,
        default=DevSource.SOURCE.value,
        help="take the source's dev items, carve some from its test items, or both",
    )
    parser.add_argument(
        "--black-box",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="share of the test items to hide, from 0 to 1; 1 hides all of them",
    )
    parser.add_argument(
        "--hidden-part",
        choices=HiddenPart.values,
        default=HiddenPart.CLOSED.value,
        help="publish nothing of hidden items, or their texts and withhold the answers",
    )
    parser.add_argument(
        "--prefer-experts",
        action="store_true",
        help="hide first what experts wrote or changed, and what no public source holds",
    )
    parser.add_argument(
        "--option-order",
        choices=OptionOrder.values,
        default=OptionOrder.KEPT.value,
        help="keep the order of the options, or shuffle them with keys balanced",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="seed of all random choices (default: 0)",
    )


def _add_waivers(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--waive",
        action="append",
        default=[],
        metavar="CODE",
        help="waive a problem by its code, as check_release prints it; may be repeated",
    )
    parser.add_argument(
        "--reason",
        action="append",
        default=[],
        metavar="TEXT",
        help="why; one for each --waive, in the same order",
    )


def _build_request(options: dict[str, Any]) -> BuildRequest:
    formats = [name.strip() for name in options["formats"].split(",")]
    return BuildRequest(
        version=options["release_version"],
        dev_per_subject=options["dev"],
        black_box_share=options["black_box"],
        seed=options["seed"],
        formats=tuple(name for name in formats if name),
        notes=options["notes"],
        prefers_experts=options["prefer_experts"],
        option_order=options["option_order"],
        dev_from=options["dev_from"],
        hidden_part=options["hidden_part"],
        waivers=_waivers(options["waive"], options["reason"]),
    )


def _waivers(codes: list[str], reasons: list[str]) -> tuple[WaiverRequest, ...]:
    if len(codes) != len(reasons):
        raise WaiverReasonMissing
    return tuple(map(WaiverRequest, codes, reasons))


def _take_up(project: Project, request: BuildRequest) -> Release | None:
    """Finish a build with the same parameters whose process died or that no worker has started.

    Raises ReleaseBeingBuilt while another process is building it.
    """
    rule = SplitRule(
        request.dev_per_subject, request.black_box_share, request.seed, request.dev_from
    )
    release = unfinished_build(
        project, version=request.version, rule=rule, formats=request.formats, notes=request.notes
    )
    if release is None or release.job is None:
        return None
    if not _is_same_request(release, request):
        return None
    job = run_now(release.job)
    if not job.has_ended:
        raise ReleaseBeingBuilt(version=release.version)
    return _ended(release, job)


def _is_same_request(release: Release, request: BuildRequest) -> bool:
    """Return whether the settings that `unfinished_build` does not compare are the same too."""
    names = ("prefers_experts", "option_order", "hidden_part")
    asked = {(each.code, each.reason.strip()) for each in request.waivers}
    waived = set(release.waivers.values_list("code", "reason"))
    return asked == waived and all(getattr(release, n) == getattr(request, n) for n in names)


def _build_here(release: Release) -> Release:
    """Run the job in this process; if a worker was faster, wait for it, or replace it if it died.

    Raises BuildFailed with the job's words.
    """
    assert release.job is not None  # noqa: S101  start_build makes both
    job: Job = run_now(release.job)
    while not job.has_ended:
        time.sleep(POLL_SECONDS)
        job = run_now(job)
    return _ended(release, job)


def _ended(release: Release, job: Job) -> Release:
    release.refresh_from_db()
    if release.state == ReleaseState.FAILED or not release.content_hash:
        raise BuildFailed(reason=job.error or job.get_state_display())
    return release


def _copy(release: Release, folder: Path) -> None:
    for name in release.artifacts.order_by("name").values_list("name", flat=True):
        target = folder.joinpath(*name.split("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        source = artifact_path(
            project_slug=release.project.slug, version=release.version, name=name
        )
        shutil.copyfile(source, target)


def _result(release: Release) -> dict[str, Any]:
    counts = release.counts
    files = release.artifacts.order_by("name").values("name", "sha256", "size")
    return {
        "project": release.project.slug,
        "version": release.version,
        "state": release.state,
        **{name: counts[name] for name in ("items", "test", "dev", "open", "black_box")},
        "seed": release.seed,
        "content_hash": release.content_hash,
        "artifacts": list(files),
    }
