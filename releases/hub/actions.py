"""Publish the open part of a release to the Hugging Face Hub, as a job."""

import re
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from projects.locks import lock_project
from releases.enums import ReleaseState
from releases.files.queries import public_files
from releases.files.storage import artifact_path
from releases.hub.client import Hub, HubPlan, HubProblem, LocalFile, read_file
from releases.models import HubPublication, Release
from releases.versions import parse_version

HUB_KIND = "hub-publishing"
LISTED = 200
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,94}/[A-Za-z0-9][\w.-]{0,94}", re.ASCII)


class HubNotConfigured(DomainError):
    code = "hub_not_configured"
    detail = _(
        "This server has no token of the Hugging Face Hub. Ask the administrator to set "
        "LOTSAWA_HUB_TOKEN."
    )


class HubNotPublished(DomainError):
    code = "hub_not_published"
    detail = _(
        "Publish release %(version)s here first. A yanked release cannot be published again."
    )


class HubRepositoryInvalid(DomainError):
    code = "hub_repository_invalid"
    detail = _("Correct the fields below.")
    status = 400


class HubNotLatest(DomainError):
    code = "hub_not_latest"
    detail = _(
        "%(repository)s already has release %(latest)s. The older %(version)s cannot be published "
        "over it: choose another repository."
    )


class HubTagTaken(DomainError):
    code = "hub_tag_taken"
    detail = _(
        "%(repository)s has a tag %(version)s with other files. A published version never "
        "changes: remove the tag there, or build a new version."
    )


class HubFilesChanged(DomainError):
    code = "hub_files_changed"
    detail = _(
        "The file %(name)s on this server is not the one that was built. Restore it from a backup."
    )


class HubTokenWrong(DomainError):
    code = "hub_token_wrong"
    detail = _("The Hub does not accept this server's token. Ask the administrator for a new one.")


class HubNoRight(DomainError):
    code = "hub_no_right"
    detail = _(
        "The token may not write to %(repository)s. Give it the right to write there, then resume."
    )


class HubRepositoryMissing(DomainError):
    code = "hub_repository_missing"
    detail = _("The Hub has no repository %(repository)s, or the token may not see it.")


class HubMoved(DomainError):
    code = "hub_moved"
    detail = _("Somebody changed %(repository)s at the same time. Resume to compare again.")


class HubBusy(DomainError):
    code = "hub_busy"
    detail = _(
        "The Hub is busy or not working. Resume later: what is already uploaded stays there."
    )


class HubAway(DomainError):
    code = "hub_away"
    detail = _("The Hub cannot be reached from this server. Check the network, then resume.")


class HubRefused(DomainError):
    code = "hub_refused"
    detail = _("The Hub refused: %(said)s")


_REFUSALS: dict[str, type[DomainError]] = {
    "token": HubTokenWrong,
    "right": HubNoRight,
    "missing": HubRepositoryMissing,
    "moved": HubMoved,
    "busy": HubBusy,
    "away": HubAway,
    "refused": HubRefused,
}


def start_hub_publishing(
    *,
    release: Release,
    repository: str,
    is_private: bool,
    is_dry_run: bool,
    actor: User | None,
    now: datetime,
) -> Job:
    """Queue a publication, or a look at what it would change.

    Raises HubNotConfigured, HubNotPublished, HubRepositoryInvalid, HubNotLatest.
    """
    check_publication(release=release, repository=repository)
    return create_job(
        kind=HUB_KIND,
        scope=release.project.slug,
        params={
            "version": release.version,
            "repository": repository,
            "private": is_private,
            "dry_run": is_dry_run,
        },
        actor=actor,
        now=now,
    )


def check_publication(*, release: Release, repository: str) -> None:
    """Raise what `start_hub_publishing` raises."""
    if not settings.HUB_TOKEN:
        raise HubNotConfigured
    if not _REPOSITORY.fullmatch(repository):
        words = str(_("Enter the owner and the name, such as my-group/ti-mmlu."))
        raise HubRepositoryInvalid(fields={"repository": [words]})
    if release.state != ReleaseState.PUBLISHED:
        raise HubNotPublished(version=release.version)
    _check_is_latest(release, repository)


def publication_plan(*, release: Release, repository: str) -> HubPlan:
    """Ask the Hub what publishing would change; change nothing.

    Raises as `check_publication`, HubFilesChanged, HubTagTaken and what the Hub refuses.
    """
    check_publication(release=release, repository=repository)
    return _plan(release, repository, _files(release))


def perform_hub_publishing(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of the job. A repeat sends nothing that is there, and finds what it committed."""
    asked = job.params
    rows = Release.objects.select_related("project")
    release = rows.get(project__slug=job.scope, version=asked["version"])
    repository = asked["repository"]
    check_publication(release=release, repository=repository)
    files = _files(release)
    plan = _plan(release, repository, files)
    progress.start(len(plan.added) + len(plan.changed))
    result = plan_json(plan)
    if asked["dry_run"]:
        return {**result, "dry_run": True}
    hub = _hub()
    commit = _push(hub, plan, files, release, is_private=asked["private"], progress=progress)
    _record(release, repository, commit, plan, job, timezone.now())
    url = hub.commit_url(repository, commit)
    return {**result, "dry_run": False, "commit": commit, "url": url}


def plan_json(plan: HubPlan) -> dict[str, Any]:
    """Return the plan with how many files and bytes there are of each kind, and the first names."""
    kinds = {"added": plan.added, "changed": plan.changed, "removed": plan.removed}
    counts = {
        name: {"files": len(found), "bytes": sum(found.values())} for name, found in kinds.items()
    }
    files = [
        {"change": kind, "name": name, "size": size}
        for kind, found in kinds.items()
        for name, size in found.items()
    ]
    return {
        "version": plan.tag,
        "repository": plan.repository,
        "exists": plan.exists,
        "counts": counts,
        "unchanged": plan.unchanged,
        "files": files[:LISTED],
        "has_more": len(files) > LISTED,
    }


def _check_is_latest(release: Release, repository: str) -> None:
    rows = HubPublication.objects.filter(
        release__project=release.project_id, repository=repository
    ).exclude(release=release)
    mine = parse_version(release.version)
    for version in rows.values_list("release__version", flat=True):
        if parse_version(version).precedence > mine.precedence:
            raise HubNotLatest(repository=repository, latest=version, version=release.version)


def _files(release: Release) -> list[LocalFile]:
    """Return the public files, each exactly as built. Raises HubFilesChanged."""
    found = []
    for artifact in public_files(release):
        path = artifact_path(
            project_slug=release.project.slug, version=release.version, name=artifact.name
        )
        try:
            file = read_file(artifact.name, path)
        except OSError as error:
            raise HubFilesChanged(name=artifact.name) from error
        if file.sha256 != artifact.sha256:
            raise HubFilesChanged(name=artifact.name)
        found.append(file)
    return found


def _hub() -> Hub:
    return Hub(settings.HUB_ENDPOINT, settings.HUB_TOKEN)


def _plan(release: Release, repository: str, files: list[LocalFile]) -> HubPlan:
    try:
        plan = _hub().plan(repository, release.version, files)
    except HubProblem as problem:
        raise _refusal(problem, repository) from problem
    if plan.tagged and not plan.is_same:
        raise HubTagTaken(repository=repository, version=release.version)
    return plan


def _push(
    hub: Hub,
    plan: HubPlan,
    files: list[LocalFile],
    release: Release,
    *,
    is_private: bool,
    progress: Progress,
) -> str:
    try:
        return hub.push(
            plan,
            files,
            message=f"{release.project.slug} {release.version}",
            is_private=is_private,
            advance=progress.advance_to,
        )
    except HubProblem as problem:
        raise _refusal(problem, plan.repository) from problem


def _refusal(problem: HubProblem, repository: str) -> DomainError:
    return _REFUSALS[problem.code](repository=repository, said=problem.said)


@transaction.atomic
def _record(
    release: Release, repository: str, commit: str, plan: HubPlan, job: Job, now: datetime
) -> None:
    """Store the commit with the release; write the audit row only if something is new."""
    lock_project(release.project_id)
    found = HubPublication.objects.filter(release=release, repository=repository)
    if found.filter(commit=commit).exists():
        return
    HubPublication.objects.update_or_create(
        release=release,
        repository=repository,
        defaults={"commit": commit, "published_at": now, "published_by": job.requested_by},
    )
    record_event(
        actor=User.objects.filter(email=job.requested_by).first(),
        verb="release.hub_published",
        target=f"release:{release.pk}",
        scope=release.project.slug,
        data={"version": release.version, "repository": repository, "commit": commit},
        now=now,
    )
