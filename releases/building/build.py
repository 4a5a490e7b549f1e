"""Build a release: freeze it once, write its files, put them in place."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.actions import record_event
from common.db import move
from jobs.models import Job
from jobs.progress import JobInterrupted, Progress
from releases.building.actions import BuildEnded, fail_build
from releases.building.freezing import ReadQuality, freeze_items
from releases.building.queries import project_quality
from releases.enums import RELEASE_TRANSITIONS, ReleaseState
from releases.files.content import ContentReader
from releases.files.exporters import OutputFolder, export_all
from releases.files.manifest import MANIFEST_NAME, WrittenFile
from releases.files.storage import folder_beside, put_in_place, release_folder, write_archive
from releases.models import Artifact, Release


def perform_build(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of a build's job; return {version, content_hash}. A repeat builds nothing again."""
    release = Release.objects.select_related("project").filter(job=job).first()
    if release is None:  # it had failed, and the version was started again since
        raise BuildEnded
    Release.objects.filter(pk=release.pk, state=ReleaseState.FAILED).update(
        state=ReleaseState.BUILDING
    )
    if release.state in (ReleaseState.BUILDING, ReleaseState.FAILED):
        release = build_release(release=release, progress=progress, now=timezone.now())
    return {"version": release.version, "content_hash": release.content_hash}


def build_release(
    *,
    release: Release,
    progress: Progress,
    now: datetime,
    read_quality: ReadQuality = project_quality,
) -> Release:
    """Build `release`: freeze it (once), write the files, put them in place, add their rows.

    The release's state moves to built together with its artifact rows, last. After a kill at any
    point, building again gives the same bytes, because files are made of frozen rows only. Files
    are only ever put in place whole. Raises as `freeze_items` does; the release is then failed.
    """
    with _failing(release):
        if release.frozen_at is None:
            freeze_items(release=release, now=now, read_quality=read_quality)
            release.refresh_from_db()
        final = release_folder(release.project.slug, release.version)
        with folder_beside(final) as folder:
            files = _write_release(release, folder, progress)
            put_in_place(folder, final)
        _finish(release, files, now)
    release.refresh_from_db()
    return release


@contextmanager
def _failing(release: Release) -> Iterator[None]:
    """Mark the release failed if its build ends in an error or is cancelled, not if interrupted."""
    try:
        yield
    except JobInterrupted:
        raise
    except Exception:
        if Release.objects.filter(pk=release.pk, state=ReleaseState.BUILDING).exists():
            fail_build(release)
        raise


def _write_release(release: Release, path: Path, progress: Progress) -> tuple[WrittenFile, ...]:
    folder = OutputFolder(path)
    export_all(ContentReader(release, progress).content(), folder)
    write_archive(folder, f"{release.project.slug}-{release.version}")
    return folder.files


@transaction.atomic
def _finish(release: Release, files: tuple[WrittenFile, ...], now: datetime) -> None:
    manifest = next(file for file in files if file.name == MANIFEST_NAME)
    move(
        Release.objects.filter(pk=release.pk),
        to=ReleaseState.BUILT,
        transitions=RELEASE_TRANSITIONS,
        refusal=BuildEnded,
        built_at=now,
        content_hash=manifest.sha256,
    )
    Artifact.objects.bulk_create(Artifact(release=release, **file._asdict()) for file in files)
    record_event(
        actor=release.created_by,
        verb="release.built",
        target=f"release:{release.pk}",
        scope=release.project.slug,
        data={"version": release.version, "content_hash": manifest.sha256},
        now=now,
    )
