"""Tables of a closed round: frozen at once where it is small, by a job where it is large."""

from collections.abc import Callable

import pytest

from accounts.models import User
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project
from review.models import Judgement, Round, RoundTables
from review.report import kept
from review.report.actions import tables
from review.report.kept import kept_minutes
from review.report.peer_queries import reviewer_tables
from review.report.queries import report, subject_table
from tests.review.kinds import close

pytestmark = pytest.mark.django_db
Judge = Callable[..., Judgement]


@pytest.fixture
def judged(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]], judge: Judge
) -> Round:
    round_ = opened(2, panel_size=1)
    judge(round_, reviewers(1)[0])
    return Round.objects.get(pk=round_.pk)


def jobs() -> list[Job]:
    return list(Job.objects.filter(kind=tables.TABLES_KIND))


def test_small_round_has_its_tables_when_it_is_closed(judged: Round) -> None:
    close(judged)

    assert (RoundTables.objects.get().round, jobs()) == (judged, [])


def test_round_without_judgements_has_no_tables(opened: Callable[..., Round]) -> None:
    close(opened(1))

    assert (RoundTables.objects.count(), jobs()) == (0, [])


def test_large_round_gets_its_tables_from_a_job_and_the_report_says_the_same_before(
    judged: Round, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "FROZEN_AT_ONCE", 1)
    closed = close(judged)
    assert RoundTables.objects.count() == 0
    before = report(project).as_json(), reviewer_tables(project).as_json()
    (job,) = jobs()

    done = [tables.perform_freezing(job, Progress(job.pk)) for _time in range(2)]

    assert done == [{"round": 1}, {"round": 1}]
    assert RoundTables.objects.get().round == closed
    assert (report(project).as_json(), reviewer_tables(project).as_json()) == before
    assert (job.scope, job.params) == ("ti", {"round": 1})


def test_what_is_told_of_a_large_open_round_is_kept_until_it_closes(
    judged: Round,
    project: Project,
    judge: Judge,
    reviewers: Callable[[int], list[User]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "LARGE_ROUND", 2)

    def told() -> list[int]:
        return [row.figures.items_judged for row in subject_table(project)]

    first = told()
    judge(judged, reviewers(1)[0])
    later = told()
    open_round = Round.objects.get(pk=judged.pk)
    closed = close(open_round)

    assert (first, later, told()) == ([1], [1], [2])
    assert (kept_minutes(open_round), kept_minutes(closed)) == (10, None)


def test_small_round_is_counted_anew_each_time(
    judged: Round, project: Project, judge: Judge, reviewers: Callable[[int], list[User]]
) -> None:
    assert [row.figures.items_judged for row in subject_table(project)] == [1]
    judge(judged, reviewers(1)[0])

    assert [row.figures.items_judged for row in subject_table(project)] == [2]
    assert kept_minutes(judged) is None
    assert kept_minutes(None) is None
