"""A job as it is shown: its pace, and its words in the language of whoever reads them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.progress import Progress
from tests.factories import JobFactory

NOW = timezone.now()


@pytest.mark.parametrize(
    ("total", "done", "percent", "seconds"),
    [(0, 0, None, None), (10, 0, 0, None), (10, 5, 50, 60), (10, 10, 100, None)],
)
def test_pace_tells_percent_and_seconds_left(
    total: int, done: int, percent: int | None, seconds: int | None
) -> None:
    job = JobFactory.build(
        state="running", total=total, done=done, clock_at=NOW - timedelta(seconds=60)
    )

    assert (job.percent, job.seconds_left(NOW)) == (percent, seconds)


def test_pace_of_a_job_taken_up_again_leaves_out_what_was_done_and_the_time_between() -> None:
    job = JobFactory.build(
        state="running",
        total=100,
        done=60,
        started_at=NOW - timedelta(days=2),
        clock_at=NOW - timedelta(seconds=10),
        clock_done=50,
    )

    assert job.seconds_left(NOW) == 40


def test_pace_of_the_first_moment_is_not_told() -> None:
    job = JobFactory.build(state="running", total=500, done=1, clock_at=NOW - timedelta(seconds=1))

    assert job.seconds_left(NOW) is None
    assert job.seconds_left(NOW + timedelta(seconds=1)) == 998


@pytest.mark.django_db
def test_pace_is_not_known_until_the_work_has_started_its_clock() -> None:
    job = JobFactory(state="running", total=10, done=5)
    progress = Progress(job.pk)

    def left() -> int | None:
        job.refresh_from_db()
        return job.seconds_left((job.clock_at or NOW) + timedelta(seconds=30))

    assert left() is None
    progress.start(10, done=4)
    progress.advance_to(5)
    assert left() == 150
    progress.pause_clock("loading")
    assert (left(), job.note_code, job.done) == (None, "loading", 5)
    progress.start(10, done=5)
    assert left() is None
    job.state = "queued"
    job.save()
    assert left() is None


def test_note_is_told_in_the_words_of_the_kind() -> None:
    assert JobFactory.build(kind="import", note_code="reading").note == "Reading the file"
    assert JobFactory.build(kind="import", note_code="no such note").note == ""
    assert JobFactory.build(kind="of tomorrow", note_code="reading").note == ""


@pytest.mark.parametrize(
    ("code", "data", "words"),
    [
        ("", {}, ""),
        ("rows_refused", {"refused": 2, "read": 7}, "Nothing was imported: 2 of 7 rows"),
        ("rows_refused", {"of": "another version"}, "It failed with the error code “rows_refused”"),
        ("of_tomorrow", {}, "It failed with the error code “of_tomorrow”."),
        ("internal", {"name": "MemoryError"}, "Something went wrong inside Lotsawa (MemoryError)"),
    ],
)
def test_stored_error_is_put_into_words_when_it_is_shown(
    code: str, data: dict[str, object], words: str
) -> None:
    error = JobFactory.build(error_code=code, error_data=data).error

    assert error.startswith(words) and bool(error) == bool(words)
