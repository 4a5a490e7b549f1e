"""The work of a build: choose the items once, write the files beside, put them in place."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.actions import record_event
from annotation.models import Project, Subject
from common.db import move
from common.jobs import JobInterrupted, Progress
from common.models import Job
from releases.actions.checks import NothingApproved, check_items, check_keys
from releases.actions.requests import BuildEnded, fail_build
from releases.content import release_content
from releases.enums import RELEASE_TRANSITIONS, ReleaseState
from releases.exporters import ExportFile, export_all
from releases.manifest import (
    MANIFEST_NAME,
    Counts,
    ReleaseFacts,
    SubjectCount,
    WrittenFile,
    manifest_bytes,
)
from releases.models import Artifact, Release, ReleaseItem
from releases.quality import project_quality
from releases.queries import ChosenText, chosen_texts, earlier_subsets
from releases.splits import (
    BLACK_BOX,
    DEV,
    OPEN,
    TEST,
    Candidate,
    Placement,
    SplitRule,
    place_items,
)
from releases.storage import (
    folder_beside,
    put_in_place,
    release_folder,
    write_bytes,
    write_file,
    write_zip,
)

ReadQuality = Callable[[Project], dict[str, Any]]


def run_build(job: Job, progress: Progress) -> dict[str, Any]:
    """The work of a build's job; returns {version, content_hash}. A repeat builds nothing anew."""
    release = Release.objects.select_related("project").filter(job=job).first()
    if release is None:  # it had failed, and the version was begun anew meanwhile
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
    """Build `release`: items chosen (once), files written and put in place, rows of the files.

    The release's state moves to built together with its artifact rows, last. After a kill at any
    point, building again goes by the same choice: items, revisions, splits, counts and figures
    were stored with it. Keys, subjects, sources, the project's name and languages and the
    software's version are read anew; the bytes are the same where these are. Files are only ever
    put in place whole. Raises NothingApproved, ReleaseBlocked, DisputesOpen, ItemsUnfit,
    BuildEnded; the release is then failed.
    """
    with _failing(release):
        if release.frozen_at is None:
            freeze_items(release=release, quality=read_quality(release.project), now=now)
            release.refresh_from_db()
        final = release_folder(release.project.slug, release.version)
        with folder_beside(final) as folder:
            files = _write_release(release, folder, progress)
            put_in_place(folder, final)
        _finish(release, files, now)
    release.refresh_from_db()
    return release


@transaction.atomic
def freeze_items(*, release: Release, quality: dict[str, Any], now: datetime) -> None:
    """Choose the release's items and revisions and write down counts and figures, once.

    Raises NothingApproved, ReleaseBlocked, DisputesOpen, ItemsUnfit, and BuildEnded if it was
    done meanwhile.
    """
    project = release.project
    check_items(project)
    texts = chosen_texts(project)
    check_keys(texts)
    placements = _place(release, texts)
    if not placements:
        raise NothingApproved
    frozen = Release.objects.filter(
        pk=release.pk, state=ReleaseState.BUILDING, frozen_at__isnull=True
    ).update(
        frozen_at=now,
        counts=asdict(_count(project, placements)),
        quality=quality,
    )
    if not frozen:
        raise BuildEnded
    ReleaseItem.objects.bulk_create(_release_items(release, texts, placements), batch_size=2000)


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


def _place(release: Release, texts: list[ChosenText]) -> tuple[Placement, ...]:
    opened, hidden = earlier_subsets(release.project)
    return place_items(
        (Candidate(text.uid, text.subject, text.is_dev) for text in texts),
        SplitRule(release.dev_per_subject, release.black_box_share, release.seed),
        opened=opened,
        hidden=hidden,
    )


def _count(project: Project, placements: tuple[Placement, ...]) -> Counts:
    subjects = Subject.objects.filter(project=project).order_by("slug")
    present = {place.subject for place in placements}
    places = Counter((place.subject, place.split, place.subset) for place in placements)
    rows = tuple(
        SubjectCount(
            slug=subject.slug,
            name=subject.name,
            category=subject.category,
            test=places[subject.slug, TEST, OPEN] + places[subject.slug, TEST, BLACK_BOX],
            dev=places[subject.slug, DEV, OPEN],
            black_box=places[subject.slug, TEST, BLACK_BOX],
        )
        for subject in subjects
        if subject.slug in present
    )
    hidden = sum(row.black_box for row in rows)
    return Counts(
        items=len(placements),
        test=sum(row.test for row in rows),
        dev=sum(row.dev for row in rows),
        open=len(placements) - hidden,
        black_box=hidden,
        subjects=rows,
    )


def _release_items(
    release: Release, texts: list[ChosenText], placements: tuple[Placement, ...]
) -> list[ReleaseItem]:
    by_uid = {text.uid: text for text in texts}
    return [
        ReleaseItem(
            release=release,
            item_id=by_uid[placement.uid].item_id,
            revision_id=by_uid[placement.uid].revision_id,
            split=placement.split,
            subset=placement.subset,
            position=position,
        )
        for position, placement in enumerate(placements)
    ]


def _write_release(release: Release, folder: Path, progress: Progress) -> list[WrittenFile]:
    content = release_content(release)
    exported = list(export_all(content))
    progress.start(len(exported) + 2)
    files = [*_write_exports(folder, exported, progress)]
    files.append(_write_manifest(folder, content.facts, files))
    root = f"{release.project.slug}-{release.version}"
    files.append(write_zip(folder, root, [file.name for file in files]))
    return files


def _write_exports(
    folder: Path, exported: list[ExportFile], progress: Progress
) -> Iterator[WrittenFile]:
    for number, file in enumerate(exported, 1):
        yield write_file(folder, file)
        progress.reach(number)


def _write_manifest(folder: Path, facts: ReleaseFacts, files: list[WrittenFile]) -> WrittenFile:
    data = manifest_bytes(facts, files)
    return write_bytes(folder, MANIFEST_NAME, data, "application/json")


@transaction.atomic
def _finish(release: Release, files: list[WrittenFile], now: datetime) -> None:
    manifest = next(file for file in files if file.name == MANIFEST_NAME)
    move(
        Release.objects.filter(pk=release.pk),
        to=ReleaseState.BUILT,
        transitions=RELEASE_TRANSITIONS,
        refusal=BuildEnded,
        built_at=now,
        content_hash=manifest.sha256,
    )
    Artifact.objects.bulk_create(Artifact(release=release, **asdict(file)) for file in files)
    record_event(
        actor=release.created_by,
        verb="release.built",
        target=f"release:{release.pk}",
        scope=release.project.slug,
        data={"version": release.version, "content_hash": manifest.sha256},
        now=now,
    )
