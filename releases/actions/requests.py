"""Asking for a build, taking it up again and stopping it."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import ANONYMOUS, record_event
from accounts.models import User
from annotation.models import Project
from common.db import move
from common.errors import DomainError
from common.jobs import cancel_job, create_job, register_kind, requeue_job
from common.models import Job
from releases.actions.checks import ReleaseExists, check_items, check_version
from releases.enums import RELEASE_TRANSITIONS, ReleaseState
from releases.exporters import FORMATS
from releases.models import Release

BUILD_KIND = "release"
MAX_DEV, MAX_SEED = 100, 2_147_483_647


class BuildInvalid(DomainError):
    code = "build_invalid"
    detail = _("Some values are not valid.")
    status = 400


class BuildEnded(DomainError):
    code = "build_ended"
    detail = _("This build has ended.")


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What to build; `black_box_share` is of each subject's test items, 0 to below 1."""

    version: str
    dev_per_subject: int = 5
    black_box_share: float = 0.0
    seed: int = 0
    formats: tuple[str, ...] = tuple(sorted(FORMATS))
    notes: str = ""


def start_build(
    *, project: Project, request: BuildRequest, actor: User | None, now: datetime
) -> Release:
    """Take the version and queue its build.

    In one transaction: checks, the release row, its job, an audit row; the worker wakes on
    commit. A failed build of the same version is thrown away and begun anew. Of two callers at
    once one gets the version. Raises BuildInvalid, VersionInvalid, ReleaseExists,
    VersionNotGreater, NothingApproved, ReleaseBlocked, DisputesOpen.
    """
    _check_values(request)
    with transaction.atomic():
        version = str(check_version(project=project, text=request.version))
        check_items(project)
        _discard_failed(project, version)
        job = create_job(
            kind=BUILD_KIND,
            scope=project.slug,
            params={"version": version},
            requested_by=actor.email if actor else ANONYMOUS,
            now=now,
        )
        release = _create(project, version, request, job, actor, now)
        _record(release, "release.started", actor, now)
    return release


@transaction.atomic
def resume_build(*, release: Release, actor: User | None, now: datetime) -> None:
    """Queue a build that failed or was cancelled again; it goes on with the items chosen before.

    Raises BuildEnded when it was built, JobNotRunnable when it waits or runs.
    """
    rows = Release.objects.filter(pk=release.pk)
    if release.job is None:
        raise BuildEnded
    requeue_job(job=release.job, now=now)
    if not rows.filter(state__in=[ReleaseState.FAILED, ReleaseState.BUILDING]).update(
        state=ReleaseState.BUILDING
    ):
        raise BuildEnded
    _record(release, "release.resumed", actor, now)


@transaction.atomic
def cancel_build(*, release: Release, actor: User | None, now: datetime) -> None:
    """Stop a build: at once if it waits, at the next file if it runs.

    Raises BuildEnded, JobNotCancellable.
    """
    if release.job is None:
        raise BuildEnded
    cancel_job(job=release.job, now=now)
    _record(release, "release.cancelled", actor, now)


def fail_build(release: Release) -> None:
    """Say that the build came to nothing."""
    move(
        Release.objects.filter(pk=release.pk),
        to=ReleaseState.FAILED,
        transitions=RELEASE_TRANSITIONS,
        refusal=BuildEnded,
    )


def _fail_build_of(job: Job) -> None:
    for release in Release.objects.filter(job=job, state=ReleaseState.BUILDING):
        fail_build(release)


def _resume_build_of(job: Job, actor: User, now: datetime) -> None:
    resume_build(release=_build_of(job), actor=actor, now=now)


def _cancel_build_of(job: Job, actor: User, now: datetime) -> None:
    cancel_build(release=_build_of(job), actor=actor, now=now)


def _build_of(job: Job) -> Release:
    """Raises BuildEnded when the build had failed and its version was begun anew meanwhile."""
    release: Release | None = Release.objects.filter(job=job).first()
    if release is None:
        raise BuildEnded
    return release


register_kind(
    BUILD_KIND,
    task="releases.tasks.build_release",
    when_cancelled=_fail_build_of,
    resume=_resume_build_of,
    cancel=_cancel_build_of,
)


def _check_values(request: BuildRequest) -> None:
    fields: dict[str, list[str]] = {}
    if not 0 <= request.dev_per_subject <= MAX_DEV:
        fields["dev_per_subject"] = [str(_("Choose a number from 0 to %d.") % MAX_DEV)]
    if not 0 <= request.black_box_share < 1:
        fields["black_box_share"] = [str(_("Choose a share from 0 to below 1."))]
    if not 0 <= request.seed <= MAX_SEED:
        fields["seed"] = [str(_("Choose a number from 0 to %d.") % MAX_SEED)]
    unknown = sorted(set(request.formats) - set(FORMATS))
    if unknown or not request.formats:
        known = ", ".join(sorted(FORMATS))
        fields["formats"] = [str(_("Choose at least one of: %s.") % known)]
    if fields:
        raise BuildInvalid(fields=fields)


def _discard_failed(project: Project, version: str) -> None:
    failed = Release.objects.filter(project=project, version=version, state=ReleaseState.FAILED)
    for release in failed:
        release.items.all().delete()
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
                formats=sorted(set(request.formats)),
                notes=request.notes.strip(),
                job=job,
                created_by=actor,
                created_at=now,
            )
    except IntegrityError as error:
        raise ReleaseExists(version=version) from error
    return release


def _record(release: Release, verb: str, actor: User | None, now: datetime) -> None:
    record_event(
        actor=actor,
        verb=verb,
        target=f"release:{release.pk}",
        scope=release.project.slug,
        data={"version": release.version},
        now=now,
    )
