"""Runs on a board after keys were corrected: they count as the same answers of a submission do."""

from copy import deepcopy
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.items.keys import correct_key
from evaluation.models import Run, Score
from evaluation.results.queries.subsets import CorrectedKeys, cells_of
from jobs.worker import run_now
from leaderboards.queries import Board, board_of
from releases.models import Release
from submissions.actions.rescoring import start_rescoring
from submissions.ladder import rounded
from submissions.models import Rescoring
from tests.evaluation.builders import make_run, work_off
from tests.factories import UserFactory
from tests.leaderboards.test_boards import make_release
from tests.leaderboards.test_pages import shown
from tests.shared_rows import made_once
from tests.submissions.builders import NOW, join, score, send

pytestmark = pytest.mark.django_db
made = made_once(make_release)


@pytest.fixture
def release(made: Release, db: None) -> Release:
    return deepcopy(made)


def correct(release: Release, count: int, to: str = "A") -> None:
    """Correct the keys of the first hidden items whose key is another."""
    rows = release.items.filter(subset="black-box").exclude(item__key=to).select_related("item")
    for placed in rows.order_by("position")[:count]:
        actor = User.objects.first() or UserFactory()
        correct_key(item=placed.item, key=to, reason="It was wrong.", actor=actor, now=NOW)


def score_again(release: Release) -> Rescoring:
    actor = User.objects.first() or UserFactory()
    found = start_rescoring(release=release, actor=actor, now=NOW)
    assert found.job is not None
    run_now(found.job)
    return found


def told(board: Board) -> list[tuple[Any, ...]]:
    return [(row.kind, row.share, row.was, row.best_rank) for row in board.rows]


def test_a_run_counts_as_a_submission_of_its_answers_does(release: Release) -> None:
    """The run and the dictionary are told the same share, before and after, on every way out."""
    work_off(make_run(release.project, release))
    uids = release.items.values_list("public_id", flat=True)
    score(send(release, join(release.project), [(uid, "A") for uid in uids]))
    assert told(board_of(release, "withheld")) == [
        ("run", 0.2, None, 1), ("submission", 0.2, None, 1),
    ]  # fmt: skip
    correct(release, 10)
    score_again(release)

    assert told(board_of(release, "withheld")) == [
        ("run", 0.5, 0.2, 1), ("submission", 0.5, 0.2, 1),
    ]  # fmt: skip
    assert shown().count("before corrected keys: 20.0 %") == 2
    entries = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").json()["entries"]
    assert [(each["accuracy"], each["before_corrections"]) for each in entries] == [(0.5, 0.2)] * 2
    header, *lines = shown("file").splitlines()
    at = header.split(",").index("before_corrections")
    assert [line.split(",")[at] for line in lines] == ["0.2", "0.2"]
    model = reverse("leaderboards:model", args=["ti", entries[0]["model"]])
    assert "before corrected keys: 20.0 %" in Client().get(model).content.decode()
    compared = shown("difference", first=entries[0]["name"], second=entries[1]["name"])
    assert (compared.count("50.0 %"), "20.0 %" in compared) == (4, False)


def test_a_key_that_was_right_is_right_no_more(release: Release) -> None:
    work_off(make_run(release.project, release))
    rows = release.items.filter(key="A").select_related("item")
    for placed in rows:
        correct_key(item=placed.item, key="B", reason="Wrong.", actor=UserFactory(), now=NOW)
    score_again(release)
    assert told(board_of(release, "withheld")) == [("run", 0.0, 0.2, 1)]


def test_what_is_kept_of_a_run_does_not_outlive_a_rescoring(release: Release) -> None:
    work_off(make_run(release.project, release))
    correct(release, 10)
    assert told(board_of(release, "withheld")) == [("run", 0.2, None, 1)]
    score_again(release)
    assert told(board_of(release, "withheld")) == [("run", 0.5, 0.2, 1)]
    correct(release, 20)
    assert told(board_of(release, "withheld")) == [("run", 0.5, 0.2, 1)], "not yet scored again"
    score_again(release)
    assert told(board_of(release, "withheld")) == [("run", 1.0, 0.2, 1)]


def test_a_rescoring_that_has_not_ended_changes_nothing(release: Release) -> None:
    work_off(make_run(release.project, release))
    correct(release, 10)
    start_rescoring(release=release, actor=UserFactory(), now=NOW)
    assert told(board_of(release, "withheld")) == [("run", 0.2, None, 1)]


def test_numbers_are_compared_by_their_value(release: Release) -> None:
    run = make_run(release.project, release)
    work_off(run)
    release.items.update(kind="number", key="1/2")
    Score.objects.exclude(method=run.headline_method).delete()
    Score.objects.update(method="numeric", letter="0.5", is_correct=True)
    Run.objects.update(headline_method="numeric")
    first, second, third, *_others = release.items.order_by("position")
    Score.objects.filter(response__release_item=third).update(
        letter="", is_valid=False, is_correct=False
    )
    cache.clear()
    Rescoring.objects.create(
        release=release, number=1, started_at=NOW, done_at=NOW,
        keys={str(first.pk): "50/100", str(second.pk): "0.75", str(third.pk): "3"},
    )  # fmt: skip
    (row,) = board_of(release, "withheld").rows
    assert (row.was, row.share) == (1.0, rounded(38, 40))
    keys = CorrectedKeys("here", {first.pk: "50/100", second.pk: "0.75", third.pk: "3"})
    (cell,) = cells_of([Run.objects.get()], keys)[run.pk].values()
    assert (cell.read, cell.right, cell.items) == (40, 38, 40)
