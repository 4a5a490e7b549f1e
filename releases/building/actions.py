"""Request, resume and cancel a build."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import move
from common.errors import DomainError
from jobs.actions import cancel_job, create_job, resume_job
from jobs.models import Job
from projects.models import Project
from releases.enums import (
    RELEASE_TRANSITIONS,
    DevSource,
    HiddenPart,
    OptionOrder,
    ReleaseState,
)
from releases.files.exporters import FORMATS
from releases.models import Release
from releases.readiness.actions import add_waivers, covered_by, matters_to_waive
from releases.readiness.checks import (
    ReleaseExists,
    check_hidden_part,
    check_items,
    check_version,
)
from releases.readiness.waivers import WaiverRequest
from releases.splits import EVERYTHING

BUILD_KIND = "release"
MAX_DEV, MAX_SEED = 100, 2_147_483_647


class BuildInvalid(DomainError):
    code = "build_invalid"
    detail = _("Correct the fields below.")
    status = 400


class BuildEnded(DomainError):
    code = "build_ended"
    detail = _("This build has already ended.")


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """The settings of a build; `black_box_share` is the share of each subject's test items to hide, 0 to 1.

    `prefers_experts` hides first what looking up in a public source gives least of. `waivers` let
    pass what is there under their codes now, in this version. `option_order` is one of OptionOrder,
    `dev_from` of DevSource, `hidden_part` of HiddenPart.
    """

    version: str
    dev_per_subject: int = 5
    black_box_share: float = 0.0
    seed: int = 0
    formats: tuple[str, ...] = tuple(sorted(FORMATS))
    notes: str = ""
    prefers_experts: bool = False
    waivers: tuple[WaiverRequest, ...] = ()
    option_order: str = OptionOrder.KEPT
    dev_from: str = DevSource.SOURCE
    hidden_part: str = HiddenPart.CLOSED


def start_build(
    *, project: Project, request: BuildRequest, actor: User | None, now: datetime
) -> Release:
    """Take the version and queue its build.

    In one transaction: checks, the release row, its job, its waivers, audit rows; the worker
    wakes on commit. A failed build of the same version is thrown away and begun anew. Of two
    callers at once one gets the version. Raises BuildInvalid, VersionInvalid, ReleaseExists,
    VersionNotGreater, NotWaivable, TextsPublished, and what `check_items` raises.
    """
    _check_values(request)
    with transaction.atomic():
        version = str(check_version(project=project, text=request.version))
        waived = matters_to_waive(
            project,
            request.waivers,
            black_box_share=request.black_box_share,
            hidden_part=request.hidden_part,
        )
        check_items(project, covered_by(waived))
        check_hidden_part(project, request.black_box_share, request.hidden_part)
        _discard_failed(project, version)
        job = create_job(
            kind=BUILD_KIND,
            scope=project.slug,
            params={"version": version},
            actor=actor,
            now=now,
        )
        release = _create(project, version, request, job, actor, now)
        add_waivers(release=release, requests=request.waivers, matters=waived, actor=actor, now=now)
        return release


def resume_build(*, release: Release, actor: User | None, now: datetime) -> None:
    """Queue a build that failed or was cancelled again; it goes on with the items chosen before.

    Raises BuildEnded when it was built, JobNotRunnable when it waits or runs.
    """
    if release.job is None:
        raise BuildEnded
    resume_job(job=release.job, actor=actor, now=now)


def cancel_build(*, release: Release, actor: User | None, now: datetime) -> None:
    """Stop a build: at once if it is queued, within a few thousand rows if it is running.

    Raises BuildEnded, JobNotCancellable.
    """
    if release.job is None:
        raise BuildEnded
    cancel_job(job=release.job, actor=actor, now=now)


def fail_build(release: Release) -> None:
    """Mark the build as failed."""
    move(
        Release.objects.filter(pk=release.pk),
        to=ReleaseState.FAILED,
        transitions=RELEASE_TRANSITIONS,
        refusal=BuildEnded,
    )


def fail_build_of(job: Job) -> None:
    """Mark the release of a stopped job as failed; its work may have done so already."""
    for release in Release.objects.filter(job=job, state=ReleaseState.BUILDING):
        fail_build(release)


def reopen_build_of(job: Job) -> None:
    """Let the release of a resumed job be built again.

    Raises BuildEnded when it was built, or when its version was started over meanwhile.
    """
    rows = Release.objects.filter(job=job, state__in=[ReleaseState.FAILED, ReleaseState.BUILDING])
    if not rows.update(state=ReleaseState.BUILDING):
        raise BuildEnded


def _check_values(request: BuildRequest) -> None:
    fields: dict[str, list[str]] = {}
    if not 0 <= request.dev_per_subject <= MAX_DEV:
        fields["dev_per_subject"] = [str(_("Enter a number from 0 to %d.") % MAX_DEV)]
    if not 0 <= request.black_box_share <= EVERYTHING:
        fields["black_box_share"] = [str(_("Enter a share from 0 to 1."))]
    if not 0 <= request.seed <= MAX_SEED:
        fields["seed"] = [str(_("Enter a number from 0 to %d.") % MAX_SEED)]
    unknown = sorted(set(request.formats) - set(FORMATS))
    if unknown or not request.formats:
        known = ", ".join(sorted(FORMATS))
        fields["formats"] = [str(_("Choose at least one of: %s.") % known)]
    for name, choices in (
        ("option_order", OptionOrder),
        ("dev_from", DevSource),
        ("hidden_part", HiddenPart),
    ):
        if getattr(request, name) not in choices.values:
            fields[name] = [str(_("Choose one of: %s.") % ", ".join(choices.values))]
    if fields:
        raise BuildInvalid(fields=fields)


def _discard_failed(project: Project, version: str) -> None:
    failed = Release.objects.filter(project=project, version=version, state=ReleaseState.FAILED)
    # Locked: one that somebody resumes at this moment is not failed any more.
    for release in failed.select_for_update():
        release.items.all().delete()
        release.subjects.all().delete()
        release.waivers.all().delete()
        release.delete()


def _create(
    project: Project,
    version: str,
    request: BuildRequest,
    job: Job,
    actor: User | None,
    now: datetime,
) -> Release:
    try:
        with transaction.atomic():
            release: Release = Release.objects.create(
                project=project,
                version=version,
                dev_per_subject=request.dev_per_subject,
                black_box_share=request.black_box_share,
                seed=request.seed,
                prefers_experts=request.prefers_experts,
                option_order=request.option_order,
                dev_from=request.dev_from,
                hidden_part=request.hidden_part,
                formats=sorted(set(request.formats)),
                notes=request.notes.strip(),
                job=job,
                created_by=actor,
                created_at=now,
            )
    except IntegrityError as error:
        raise ReleaseExists(version=version) from error
    return release
