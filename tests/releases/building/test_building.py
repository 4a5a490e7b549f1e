"""The work of a build: what it takes, and that it goes on after failures, stops and kills."""

import threading

import pytest
from django.db import connection

from accounts.models import AuditEvent
from annotation.enums import SplitName
from annotation.models import Item
from jobs.actions import JobNotRunnable
from jobs.enums import JobState
from jobs.progress import JobCancelled, JobInterrupted, Progress
from jobs.worker import run_now
from projects.models import Project, Subject
from releases.building.actions import BuildEnded, cancel_build, resume_build
from releases.building.build import build_release, perform_build
from releases.building.freezing import freeze_items
from releases.enums import ReleaseState, Subset
from releases.files.exporters import DESCRIPTIONS
from releases.files.storage import folder_beside, release_folder
from releases.models import Artifact, Release
from releases.readiness.checks import ItemsUnfit
from tests.factories import ProjectFactory, make_translated_item
from tests.releases.builders import (
    NOW,
    build,
    build_published,
    files_of,
    fill,
    make_approved,
    progress_of,
    sha256_of,
    start,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_build_stores_items_counts_artifacts_and_their_checksums(project: Project) -> None:
    fill(project, subjects=2, tests=8, devs=3)
    release = build(project, dev_per_subject=2, black_box_share=0.25, seed=3)
    assert release.state == ReleaseState.BUILT
    counts = dict(release.counts)
    assert (counts.pop("levels"), counts.pop("option_counts")) == ({}, {"4": 20})
    counts.pop("subjects")
    assert counts.pop("kinds") == {}
    assert counts == {"items": 20, "test": 16, "dev": 4, "open": 16, "black_box": 4}
    recomputed = {
        "items": release.items.count(),
        "test": release.items.filter(split=SplitName.TEST).count(),
        "dev": release.items.filter(split=SplitName.DEV).count(),
        "open": release.items.filter(subset=Subset.OPEN).count(),
        "black_box": release.items.filter(subset=Subset.BLACK_BOX).count(),
    }
    assert recomputed == counts
    assert {file.name for file in release.artifacts.all()} == set(files_of(release))
    for file in release.artifacts.all():
        data = files_of(release)[file.name]
        assert (file.size, file.sha256) == (len(data), sha256_of(data))
    assert release.content_hash == release.artifacts.get(name="manifest.json").sha256


def test_build_takes_only_active_approved_items_with_their_current_text(project: Project) -> None:
    kept = make_approved(project, uid="a/1", question="ཀ")
    make_translated_item(project=project, uid="a/2")
    Item.objects.filter(pk=make_approved(project, uid="a/3").pk).update(state="excluded")
    Item.objects.create(
        project=project,
        source=kept.source,
        subject=kept.subject,
        uid="a/4",
        uid_order="a/014",
        key="A",
        content_hash="0",
        created_at=NOW,
    )
    release = build(project)
    placed = release.items.get()
    assert (placed.item, placed.revision) == (kept, kept.working_translation.current_revision)


@pytest.mark.parametrize(
    ("key", "options"), [("E", None), ("", None), ("AB", None), ("3", []), ("A", ["ཀ"])]
)
def test_build_with_a_key_that_points_nowhere_fails_in_words(
    project: Project, key: str, options: list[str] | None
) -> None:
    make_approved(project, uid="a/1", key=key, options=options)
    release = build(project)
    assert release.state == ReleaseState.FAILED
    assert release.job is not None
    assert (release.job.state, release.job.error_code) == (JobState.FAILED, ItemsUnfit.code)
    assert "a/1" in release.job.error
    assert not release.items.exists()
    assert not release_folder(project.slug, "0.1.0").exists()


def test_start_build_of_a_failed_version_begins_anew(project: Project) -> None:
    item = make_approved(project, uid="a/1", key="E")
    build(project)
    Item.objects.filter(pk=item.pk).update(key="A")
    release = build(project)
    assert release.state == ReleaseState.BUILT
    assert Release.objects.count() == 1


def test_resume_build_of_a_failed_build_goes_on(project: Project) -> None:
    item = make_approved(project, uid="a/1", key="E")
    release = build(project)
    Item.objects.filter(pk=item.pk).update(key="A")
    resume_build(release=release, actor=None, now=NOW)
    assert release.job is not None
    run_now(release.job, perform_build)
    release.refresh_from_db()
    assert release.state == ReleaseState.BUILT


def test_resume_build_of_a_built_release_is_refused(project: Project) -> None:
    fill(project)
    with pytest.raises(JobNotRunnable):
        resume_build(release=build(project), actor=None, now=NOW)


def test_cancel_build_that_waits_fails_the_release_at_once(project: Project) -> None:
    fill(project)
    release = start(project)
    cancel_build(release=release, actor=None, now=NOW)
    release.refresh_from_db()
    assert release.state == ReleaseState.FAILED
    assert release.job is not None
    run_now(release.job, perform_build)
    assert not Artifact.objects.exists()


class StoppingProgress(Progress):
    """Ends the work with `error` once `at` rows are written."""

    def __init__(self, progress: Progress, error: Exception, *, at: int) -> None:
        self.__dict__.update(progress.__dict__)
        self.error, self.at = error, at

    def advance_to(self, done: int) -> None:
        if done >= self.at:
            raise self.error


def test_build_that_is_cancelled_leaves_no_file_and_a_failed_release(project: Project) -> None:
    fill(project)
    release = start(project)
    progress = StoppingProgress(progress_of(release), JobCancelled(), at=2)
    with pytest.raises(JobCancelled):
        build_release(release=release, progress=progress, now=NOW)
    release.refresh_from_db()
    assert release.state == ReleaseState.FAILED
    assert list(release_folder(project.slug, "0.1.0").parent.iterdir()) == []


def test_build_that_is_interrupted_goes_on_with_the_items_chosen_before(project: Project) -> None:
    fill(project, subjects=1, tests=4)
    release = start(project)
    progress = StoppingProgress(progress_of(release), JobInterrupted(), at=2)
    with pytest.raises(JobInterrupted):
        build_release(release=release, progress=progress, now=NOW)
    release.refresh_from_db()
    assert (release.state, release.frozen_at) == (ReleaseState.BUILDING, NOW)
    make_approved(project, subject=Subject.objects.get(slug="s0"), uid="s0/late")
    assert release.job is not None
    run_now(release.job, perform_build)
    release.refresh_from_db()
    assert release.state == ReleaseState.BUILT
    assert files_of(release)["jsonl/test/s0.jsonl"].count(b"\n") == 4


def test_build_after_a_kill_between_files_and_rows_gives_the_same_bytes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project)
    release = start(project, black_box_share=0.3)
    with monkeypatch.context() as patch:
        patch.setattr("releases.building.build._finish", _die)
        with pytest.raises(KeyboardInterrupt):
            build_release(release=release, progress=progress_of(release), now=NOW)
    first = files_of(release)
    release.refresh_from_db()
    assert release.state == ReleaseState.BUILDING
    assert not Artifact.objects.exists()
    build_release(release=release, progress=progress_of(release), now=NOW)
    assert files_of(release) == first
    assert Artifact.objects.count() == len(first)


def _die(*_arguments: object, **_named: object) -> None:
    raise KeyboardInterrupt


STEPS = (
    "releases.building.freezing.check_items",
    "releases.building.freezing._freeze_subjects",
    "releases.building.freezing.insert_rows",
    "releases.building.freezing.check_pairs",
    "releases.building.build.ContentReader.content",
    "releases.files.exporters.listings.listing",
    "releases.files.exporters.data_files.export",
    "releases.files.exporters.listings.LedgerFigures.as_json",
    *(f"releases.files.exporters.DESCRIPTIONS.{place}" for place in range(len(DESCRIPTIONS))),
    "releases.building.build.write_archive",
    "releases.building.build.put_in_place",
    "releases.files.storage.Path.rename",
    "releases.building.build._finish",
    "releases.building.build.Artifact.objects.bulk_create",
    "releases.building.build.record_event",
)


def _die_at(patch: pytest.MonkeyPatch, step: str) -> None:
    owner, _dot, place = step.rpartition(".")
    if owner.endswith("DESCRIPTIONS"):
        before = DESCRIPTIONS[: int(place)]
        patch.setattr(owner, (*before, _die, *DESCRIPTIONS[int(place) + 1 :]))
    else:
        patch.setattr(step, _die)


def test_build_killed_at_every_step_leaves_the_old_release_and_can_be_resumed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project, subjects=1, tests=4, devs=1)
    old = build_published(project, "1.0.0")
    before = files_of(old)
    new = start(project, "1.1.0", black_box_share=0.3, option_order="shuffled")
    for step in STEPS:
        with monkeypatch.context() as patch:
            _die_at(patch, step)
            with pytest.raises(KeyboardInterrupt):
                build_release(release=new, progress=progress_of(new), now=NOW)
        new.refresh_from_db()
        old.refresh_from_db()
        assert (step, old.state, new.state) == (step, "published", "building")
        assert not new.artifacts.exists()
        assert files_of(old) == before
    left = files_of(new)  # put in place before the last three steps
    build_release(release=new, progress=progress_of(new), now=NOW)
    new.refresh_from_db()
    assert (new.state, files_of(new)) == (ReleaseState.BUILT, left)
    folders = {path.name for path in release_folder(project.slug, "1.1.0").parent.iterdir()}
    assert folders == {"1.0.0", "1.1.0"}


def test_build_removes_what_a_killed_build_left_beside(project: Project) -> None:
    fill(project)
    left = release_folder(project.slug, "x").parent / ".building-0.1.0~abc"
    left.mkdir(parents=True)
    (left / "half").write_text("half")
    build(project)
    assert [path.name for path in left.parent.iterdir()] == ["0.1.0"]


def test_build_leaves_alone_what_another_version_is_writing(project: Project) -> None:
    fill(project)
    other = release_folder(project.slug, "0.1.0-rc.1")
    other.parent.mkdir(parents=True)
    with folder_beside(other) as folder:
        (folder / "half").write_text("half")
        build(project, "0.1.0-rc")
        assert (folder / "half").read_text() == "half"


def test_build_that_is_performed_twice_builds_once(project: Project) -> None:
    fill(project)
    release = build(project)
    assert release.job is not None
    again = perform_build(release.job, progress_of(release))
    assert again == {"version": "0.1.0", "content_hash": release.content_hash}
    assert AuditEvent.objects.filter(verb="release.built").count() == 1


def test_freeze_items_twice_is_refused(project: Project) -> None:
    fill(project)
    release = start(project)
    freeze_items(release=release, now=NOW)
    with pytest.raises(BuildEnded):
        freeze_items(release=release, now=NOW)


@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_build_at_once_build_it_once() -> None:
    project = ProjectFactory(slug="ti")
    fill(project)
    release = start(project)
    barrier = threading.Barrier(2)

    def work() -> None:
        try:
            barrier.wait(timeout=120)
            assert release.job is not None
            run_now(release.job, perform_build)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=170)
    release.refresh_from_db()
    assert release.state == ReleaseState.BUILT
    assert AuditEvent.objects.filter(verb="release.built").count() == 1
    assert {file.name for file in release.artifacts.all()} == set(files_of(release))
