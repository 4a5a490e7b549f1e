"""Runs on a board: of both parts of a release, what they cost, and which are not told of."""

from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from endpoints.models import ModelSpec
from evaluation.models import Run, Score
from jobs.enums import JobState
from jobs.models import Job
from leaderboards.queries import board_of
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from submissions.ladder import rounded
from tests.evaluation.builders import asked_uid, make_release, make_run, work_off
from tests.factories import ModelSpecFactory, ProjectFactory
from tests.leaderboards.test_corrected_keys import correct, score_again
from tests.leaderboards.test_pages import BOARD, shown
from tests.shared_rows import made_once
from tests.submissions.builders import take_submissions

pytestmark = pytest.mark.django_db


def make_mixed() -> Release:
    """Forty open and forty closed items, keys A, B, C, D in turn, in two categories."""
    project = ProjectFactory(slug="ti", name="Ti")
    take_submissions(project, is_board_public=True)
    subjects = {"law": "Humanities", "physics": "Science"}
    counts = {"items": 160, "test": 160, "open": 80, "black_box": 80}
    return make_release(
        project, subjects=subjects, tests=80, hidden=40, version="1.0.0", counts=counts
    )


made = made_once(make_mixed)


@pytest.fixture
def mixed(made: Release, db: None) -> Release:
    return deepcopy(made)


def run_of(release: Release, spec: ModelSpec, **settings: Any) -> Run:
    run = make_run(release.project, release, spec=spec, **settings)
    work_off(run)
    return run


def test_a_run_of_both_parts_has_the_gap_its_cost_and_categories(mixed: Release) -> None:
    spec = ModelSpecFactory(
        project=mixed.project, prompt_price=Decimal(2), completion_price=Decimal(4)
    )
    run = run_of(mixed, spec)
    Run.objects.filter(pk=run.pk).update(
        bought_count=160, unmeasured_count=0, prompt_tokens=160_000, completion_tokens=8_000
    )
    row = board_of(mixed, "closed").rows[0]
    assert (row.share, row.n) == (0.25, 80)
    assert row.gap is not None
    assert (row.gap.share, row.gap.low < 0 < row.gap.high) == (0, True)
    assert row.cost == Decimal("2.2")
    assert {name: (each.share, each.n) for name, each in row.categories.items()} == {
        "Humanities": (0.2, 40), "Science": (0.2, 40),
    }  # fmt: skip
    page = shown(columns="categories")
    assert "Open minus hidden" in page
    assert 'data-label="Humanities"' in page
    assert "2.20" in page
    header, line = shown("file").splitlines()
    cells = dict(zip(header.split(","), line.split(","), strict=True))
    assert (cells["gap"], cells["cost"], cells["categories: Science"]) == ("0.0", "2.2", "0.2")


def test_two_entries_are_compared_in_all_and_by_category(mixed: Release) -> None:
    for name, letter in (("weak", "A"), ("strong", "ABCD")):
        spec = ModelSpecFactory(project=mixed.project, name=name)
        run = make_run(mixed.project, mixed, spec=spec)
        work_off(
            run, lambda asked, said=letter: said[int(asked_uid(asked)[-2:].strip("-")) % len(said)]
        )
    page = shown("difference", part="open", first="strong", second="weak")
    assert '<option value="strong">direct</option>' in page
    assert ">Humanities<" in page.replace("\n", "").replace(" ", "")
    url = reverse("api:leaderboard-difference", args=BOARD)
    told = Client().get(url, {"part": "open", "first": "strong", "second": "weak"}).json()
    (whole, *groups) = told["differences"]
    assert (whole["kind"], whole["first"], whole["second"]) == ("all", 1.0, 0.25)
    assert whole["difference"] == 0.75
    assert 0.6 < whole["low"] < 0.75 < whole["high"] < 0.9
    assert [each["name"] for each in groups] == ["Humanities", "Science"]
    unknown = Client().get(url, {"first": "strong", "second": "nobody"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "entry_unknown")


def test_small_categories_of_a_hidden_part_are_not_told(mixed: Release) -> None:
    run_of(mixed, ModelSpecFactory(project=mixed.project))
    take_submissions(mixed.project, is_board_public=True, fewest_in_category=41)
    assert board_of(mixed, "closed").rows[0].categories == {}
    assert set(board_of(mixed, "open").rows[0].categories) == {"Humanities", "Science"}


def test_a_group_is_left_out_if_the_total_would_tell_of_a_smaller_one() -> None:
    project = ProjectFactory()
    take_submissions(project, is_board_public=True, fewest_in_category=30)
    subjects = {"law": "Humanities", "art": "Humanities", "physics": "Science", "tea": "Other"}
    counts = {"items": 160, "test": 160, "black_box": 160, "open": 0}
    release = make_release(
        project, subjects=subjects, tests=40, hidden=40, version="1.0.0", counts=counts
    )
    few = release.items.filter(subject__slug="tea").order_by("pk")[29:]
    physics = release.subjects.get(slug="physics")
    ReleaseItem.objects.filter(pk__in=[each.pk for each in few]).update(subject=physics)
    run_of(release, ModelSpecFactory(project=project))
    (row,) = board_of(release, "closed").rows
    assert {name: figure.n for name, figure in row.categories.items()} == {"Humanities": 80}
    assert [row.n, row.categories["Humanities"].share] == [160, 0.25]


def test_shares_of_a_hidden_part_are_those_of_the_ladder(mixed: Release) -> None:
    wrong = {"law/test-79", "physics/test-44", "physics/test-79"}
    spec = ModelSpecFactory(project=mixed.project)
    run = make_run(mixed.project, mixed, spec=spec)
    work_off(run, lambda request: "B" if asked_uid(request) in wrong else "A")
    (row,) = board_of(mixed, "closed").rows
    assert (row.share, row.n) == (rounded(19, 80), 80)
    assert row.share != 19 / 80
    assert row.categories["Science"].share == rounded(9, 40)
    assert row.gap is not None
    assert row.gap.share == 0.25 - rounded(19, 80)
    (seen,) = board_of(mixed, "open").rows
    assert (seen.share, seen.gap) == (0.25, row.gap)


@pytest.mark.parametrize("state", [JobState.RUNNING, JobState.CANCELLED, JobState.FAILED])
def test_only_runs_that_are_done_are_listed(mixed: Release, state: str) -> None:
    run = run_of(mixed, ModelSpecFactory(project=mixed.project))
    Job.objects.filter(pk=run.job_id).update(state=state)
    assert [board_of(mixed, part).rows for part in ("open", "closed")] == [(), ()]


def test_a_run_with_a_missing_answer_tells_nothing_of_the_hidden_part(mixed: Release) -> None:
    run = run_of(mixed, ModelSpecFactory(project=mixed.project))
    missing = run.responses.filter(release_item__subset=Subset.BLACK_BOX)[:1].get()
    Score.objects.filter(response=missing).delete()
    cache.clear()  # scores are never deleted, so what was counted of them is kept
    (row,) = board_of(mixed, "open").rows
    assert (row.n, row.gap) == (80, None)
    assert board_of(mixed, "closed").rows == ()


def test_imported_runs_are_not_ours_and_lend_no_part_to_a_gap(mixed: Release) -> None:
    spec = ModelSpecFactory(project=mixed.project)
    ours, theirs = (run_of(mixed, spec, is_asked_again=True) for _ in range(2))
    Score.objects.filter(
        response__run=ours, response__release_item__subset=Subset.BLACK_BOX
    ).delete()
    Run.objects.filter(pk=theirs.pk).update(imported_from="csv")
    rows = board_of(mixed, "open").rows
    assert [(row.kind, row.is_verified, row.gap is None) for row in rows] == [
        ("run", True, True), ("imported", False, False),
    ]  # fmt: skip
    assert "imported answers, not verified" in shown(part="open")


def test_a_run_without_prices_or_with_unmeasured_answers_has_no_cost(mixed: Release) -> None:
    run = run_of(mixed, ModelSpecFactory(project=mixed.project))
    assert board_of(mixed, "open").rows[0].cost is None
    ModelSpec.objects.update(prompt_price=1, completion_price=1)
    Run.objects.filter(pk=run.pk).update(bought_count=160, unmeasured_count=1)
    assert board_of(mixed, "open").rows[0].cost is None


@pytest.mark.parametrize("count", [1, 3])
def test_runs_cost_the_same_number_of_queries_for_one_and_for_three(
    mixed: Release, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        run_of(mixed, ModelSpecFactory(project=mixed.project), is_asked_again=True)
    with django_assert_num_queries(10):
        board_of(mixed, "closed")
    with django_assert_num_queries(8):
        assert len(board_of(mixed, "open").rows) == count
    cache.clear()
    with django_assert_num_queries(9):  # what the worker keeps of its runs is counted again
        assert len(board_of(mixed, "open").rows) == count


def test_a_closed_part_with_runs_alone_is_corrected_with_gap_and_categories(mixed: Release) -> None:
    run_of(mixed, ModelSpecFactory(project=mixed.project))
    correct(mixed, 30)
    score_again(mixed)
    (row,) = board_of(mixed, "closed").rows
    assert (row.share, row.was, row.n) == (0.6, 0.25, 80)
    assert {name: each.share for name, each in row.categories.items()} == {
        "Humanities": 1.0, "Science": 0.2,
    }  # fmt: skip
    assert row.gap is not None
    assert row.gap.share == pytest.approx(0.25 - 0.6)
    (seen,) = board_of(mixed, "open").rows
    assert (seen.share, seen.was, seen.gap) == (0.25, None, row.gap)


@pytest.mark.parametrize("count", [1, 3])
def test_corrected_runs_cost_the_same_number_of_queries_for_one_and_for_three(
    mixed: Release, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        run_of(mixed, ModelSpecFactory(project=mixed.project), is_asked_again=True)
    correct(mixed, 10)
    score_again(mixed)
    with django_assert_num_queries(11):  # the job has counted the runs
        board_of(mixed, "closed")
    cache.clear()
    with django_assert_num_queries(13):
        board_of(mixed, "closed")
