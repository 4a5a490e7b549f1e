"""Uploaded files go when nobody needs them any more."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.imports.actions import UploadRemoved
from annotation.imports.uploads import KEPT_FOR, sweep_uploads
from jobs.actions import resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.queries import is_worth_resuming
from jobs.worker import run_now
from projects.models import Project
from tests.annotation.imports.test_actions import item_row, start, write_items


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.IMPORT_FOLDER = tmp_path / "imports"
    found: Path = settings.IMPORT_FOLDER
    return found


def test_upload_is_removed_once_it_is_imported(
    project: Project, tmp_path: Path, folder: Path
) -> None:
    started = start(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    assert Path(started.path).is_file()

    run_now(started.job)

    started.refresh_from_db()
    assert (started.path, list(folder.iterdir())) == ("", [])


def test_upload_of_a_failed_import_stays_for_a_week(
    project: Project, tmp_path: Path, folder: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(1, key="Z")])
    started = start(project, path)
    job = run_now(started.job)
    ended = job.finished_at
    assert ended is not None

    assert sweep_uploads(ended + KEPT_FOR - timedelta(minutes=1)) == 0
    assert Path(started.path).is_file()
    assert sweep_uploads(ended + KEPT_FOR + timedelta(minutes=1)) == 1
    assert list(folder.iterdir()) == []


def test_import_taken_up_after_its_upload_was_removed_says_so(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(1, key="Z")])
    started = start(project, path)
    run_now(started.job)
    sweep_uploads(timezone.now() + KEPT_FOR * 2)
    Job.objects.update(state=JobState.QUEUED)

    job = run_now(started.job)

    assert (job.state, job.error_code) == (JobState.FAILED, UploadRemoved.code)


def test_import_whose_upload_was_removed_offers_no_resume_and_refuses_one(
    project: Project, tmp_path: Path
) -> None:
    started = start(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    Job.objects.update(state=JobState.CANCELLED, finished_at=timezone.now())
    started.job.refresh_from_db()
    assert is_worth_resuming(started.job)
    sweep_uploads(timezone.now() + KEPT_FOR * 2)

    assert not is_worth_resuming(started.job)
    with pytest.raises(UploadRemoved):
        resume_job(job=started.job, actor=None, now=timezone.now())
    started.job.refresh_from_db()
    assert started.job.state == JobState.CANCELLED


@pytest.mark.django_db
def test_folder_that_no_import_knows_is_swept_up_when_it_is_old(folder: Path) -> None:
    (folder / "stray").mkdir(parents=True)

    sweep_uploads(timezone.now())
    assert (folder / "stray").is_dir()
    sweep_uploads(timezone.now() + KEPT_FOR * 2)

    assert not (folder / "stray").exists()
