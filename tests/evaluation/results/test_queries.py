"""The figures of a run: every number against hand-made answers, at a fixed number of queries."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models.signals import post_init
from pytest_django import DjangoAssertNumQueries

from common.intervals import repeated_wilson_interval, wilson_interval
from endpoints.providers.base import ChatRequest, EndpointRefused
from evaluation.models import ModelResponse, Run, Score
from evaluation.queries import open_units, subjects_short_of_shots
from evaluation.results.json_values import results_json
from evaluation.results.queries import figures as results_module
from evaluation.results.queries import responses as responses_module
from evaluation.results.queries.figures import run_results
from evaluation.results.queries.responses import ResponseFilter, reading_of, responses_of
from evaluation.results.tables import method_table
from evaluation.runs.actions import resume_run
from evaluation.selectors import get_run
from projects.enums import Role
from projects.models import Project, Subject
from releases.models import ReleaseItem
from scoring.result_files import published_files
from scoring.scorers import SCORERS
from tests.evaluation.builders import NOW, asked_uid, finished_run, make_release, make_run, work_off
from tests.evaluation.runs.test_actions import Counting

pytestmark = pytest.mark.django_db

ANSWERS = {
    "history/test-0": "A",  # right
    "history/test-1": "The answer is C.",  # wrong
    "history/test-2": "A or C",  # several
    "history/test-3": "I do not know",  # none
    "physics/test-0": "A",  # right
    "physics/test-1": "B",  # right
    "physics/test-2": "A B C D",  # repeater
    "physics/test-3": "D",  # right
}


def answer(request: ChatRequest) -> str:
    return ANSWERS[asked_uid(request)]


def test_run_results_of_hand_made_answers_are_these(project: Project) -> None:
    run = finished_run(project, answer, release=make_release(project, tests=4), methods=("direct",))

    results = run_results(run)

    assert (results.item_count, results.question_count) == (8, 8)
    assert (results.answered, results.failed, results.baseline) == (8, 0, 0.25)
    summary = results.methods[0].summary
    history, physics = summary.subjects
    assert (history.subject, history.tally.correct, history.tally.knowledge_error) == (
        "history", 1, 1,
    )  # fmt: skip
    assert (history.tally.no_answer, history.tally.several_answers) == (1, 1)
    assert (physics.tally.correct, physics.tally.repeater) == (3, 1)
    assert (history.rates.accuracy, history.rates.response_rate) == (0.25, 0.5)
    assert history.rates.conditional_accuracy == 0.5
    assert summary.overall.item_weighted.accuracy == 0.5
    assert summary.overall.accuracy_interval == wilson_interval(4, 8)
    assert [(group.name, group.unweighted.accuracy) for group in summary.categories] == [
        ("Humanities", 0.25), ("Science", 0.75),
    ]  # fmt: skip
    assert results.methods[0].epochs.standard_deviation is None


def test_run_results_with_epochs_average_each_item(project: Project) -> None:
    turns: dict[str, int] = {}

    def reply(request: ChatRequest) -> str:
        uid = asked_uid(request)
        turns[uid] = turns.get(uid, 0) + 1
        return "A" if uid.endswith("0") or turns[uid] == 1 else "none of them ཨ"

    release = make_release(project, subjects={"history": "H"}, tests=2)
    run = finished_run(
        project, reply, release=release, epochs=2, methods=("direct",), concurrency=1
    )

    metrics = run_results(run).methods[0]

    assert metrics.summary.overall.tally.n == 4
    assert metrics.epochs.epoch_count == 2
    assert metrics.epochs.mean == 0.5
    expected = repeated_wilson_interval({(2, 2): 1, (0, 2): 1})
    assert metrics.summary.overall.accuracy_interval == expected


def test_failed_questions_are_counted_apart_and_by_subject(project: Project) -> None:
    run = make_run(project, make_release(project, tests=4), methods=("direct",))
    work_off(run, Counting({"history/test-1": EndpointRefused("400")}))

    results = run_results(run)

    assert (results.answered, results.failed) == (7, 1)
    assert [(subject.slug, subject.failed) for subject in results.subjects] == [
        ("history", 1), ("physics", 0),
    ]  # fmt: skip
    assert results.methods[0].summary.overall.tally.n == 7
    assert open_units(run) == 1


def test_subject_without_category_is_named_and_nothing_is_averaged_without_it(
    project: Project,
) -> None:
    release = make_release(project, subjects={"history": "H", "lonely": ""})
    results = run_results(finished_run(project, release=release))

    assert results.without_category == ("lonely",)
    assert results.methods[0].summary.categories == ()
    assert len(results.methods[0].summary.subjects) == 2
    assert not [name for name, _text in published_files(results.report) if "category" in name]


def test_project_without_categories_is_no_error(project: Project) -> None:
    release = make_release(project, subjects={"history": "", "law": ""})
    results = run_results(finished_run(project, release=release))

    assert results.without_category == ()
    table = method_table(results, "direct")
    assert table is not None
    assert [bar.label for bar in table.chart.bars.bars] == ["History", "Law"]


def test_run_without_answers_has_no_figures(project: Project) -> None:
    results = run_results(make_run(project))

    assert (results.answered, results.methods, results.baseline) == (0, (), 0.25)
    assert method_table(results, "direct") is None


def test_newer_version_of_a_method_replaces_the_older_in_the_figures(project: Project) -> None:
    run = finished_run(project, methods=("direct",))
    newer = [
        Score(
            response_id=score.response_id, run=run, method="direct", version=2, letter="A",
            is_valid=True, is_correct=True,
        )
        for score in Score.objects.filter(run=run)
    ]  # fmt: skip
    Score.objects.bulk_create(newer)

    metrics = run_results(run).methods[0]
    overall = metrics.summary.overall
    assert (overall.tally.n, overall.item_weighted.accuracy) == (6, 1.0)
    assert metrics.version == "2"
    assert results_json(run_results(run))["methods"]["direct"]["version"] == "2"
    assert responses_of(run, ResponseFilter("direct", "right")).count() == 6


def test_figures_of_a_method_not_read_anew_carry_the_version_that_was_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished_run(project, methods=("direct",))
    newer = {**SCORERS, "direct": replace(SCORERS["direct"], version="2")}
    monkeypatch.setattr(results_module, "SCORERS", newer)
    monkeypatch.setattr(responses_module, "SCORERS", newer, raising=False)

    metrics = run_results(run).methods[0]

    assert (metrics.summary.overall.tally.n, metrics.version) == (6, "1")
    right = responses_of(run, ResponseFilter("direct", "right"))
    assert right.count() == metrics.summary.overall.tally.correct == 2
    assert [len(response.shown_scores) for response in right] == [1, 1]


def test_subject_answered_between_the_counts_waits_for_the_next_look(project: Project) -> None:
    run = finished_run(project, epochs=2, methods=("direct",))
    cache.clear()
    late = list(Score.objects.filter(response__release_item__subject__slug="physics"))
    Score.objects.filter(pk__in=[score.pk for score in late]).delete()

    def arrive(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if late and "GROUP BY" in sql and 'FROM "evaluation_score"' in sql:
            rows, late[:] = list(late), []
            Score.objects.bulk_create(rows)
        return result

    with connection.execute_wrapper(arrive):
        metrics = run_results(run).methods[0]

    assert not late
    assert [subject.subject for subject in metrics.summary.subjects] == ["history"]
    assert [group.name for group in metrics.summary.categories] == ["Humanities"]
    expected = repeated_wilson_interval({(2, 2): 1, (0, 2): 2})
    assert metrics.summary.overall.accuracy_interval == expected


@pytest.mark.parametrize(("tests", "subjects"), [(1, 1), (5, 4)])
@pytest.mark.parametrize(("epochs", "queries"), [(1, 14), (2, 15)])
def test_run_results_take_a_fixed_number_of_queries(
    project: Project,
    django_assert_num_queries: DjangoAssertNumQueries,
    tests: int,
    subjects: int,
    epochs: int,
    queries: int,
) -> None:
    slugs = {f"s{number}": f"category {number % 2}" for number in range(subjects)}
    run = finished_run(
        project, release=make_release(project, subjects=slugs, tests=tests), epochs=epochs
    )

    run = get_run(run.pk)
    cache.clear()
    with django_assert_num_queries(queries):
        first = run_results(run)
    with django_assert_num_queries(3):
        assert run_results(run) == first


def test_run_results_follow_new_rows_and_keep_the_categories_of_the_release(
    project: Project,
) -> None:
    run = make_run(project, methods=("direct",))
    work_off(run, Counting({"history/test-1": EndpointRefused("400")}))
    assert (run_results(run).answered, run_results(run).failed) == (5, 1)
    resume_run(run=run, actor=None, now=NOW)
    work_off(run)
    Subject.objects.filter(slug="history").update(category="")

    results = run_results(run)

    assert (results.answered, results.failed) == (6, 0)
    assert results.without_category == ()


def test_results_json_holds_no_text_of_any_item(project: Project) -> None:
    run = finished_run(project, answer, release=make_release(project, tests=4, hidden=2))

    body = str(results_json(run_results(run)))

    assert "འདྲི་བ" not in body
    assert "test-0" not in body
    assert results_json(run_results(run))["methods"]["direct"]["overall"]["correct"] == 4


def test_published_files_have_the_published_names_and_columns(project: Project) -> None:
    run = finished_run(project, answer, release=make_release(project, tests=4), methods=("direct",))
    files = dict(published_files(run_results(run).report))

    name = run.model_spec.name
    assert sorted(files) == [
        f"general/{name}_direct_category_averages.csv", f"{name}_direct_metrics_results.csv",
    ]  # fmt: skip
    assert files[f"{name}_direct_metrics_results.csv"].splitlines() == [
        "File Name,Response Rate,Conditional Accuracy,Accuracy",
        "history,50.00%,50.00%,25.00%",
        "physics,75.00%,100.00%,75.00%",
    ]


@pytest.mark.parametrize(
    ("kind", "uids"),
    [
        ("right", {"history/test-0", "physics/test-0", "physics/test-1", "physics/test-3"}),
        ("wrong", {"history/test-1"}),
        ("several", {"history/test-2"}),
        ("none", {"history/test-3"}),
        ("repeater", {"physics/test-2"}),
        ("failed", set()),
        ("", set(ANSWERS)),
    ],
)
def test_responses_of_a_kind_are_these(project: Project, kind: str, uids: set[str]) -> None:
    run = finished_run(project, answer, release=make_release(project, tests=4))
    rows = responses_of(run, ResponseFilter("direct", kind))
    assert {row.release_item.uid for row in rows} == uids


def test_reading_of_a_response_shows_prompt_text_and_reasons(project: Project) -> None:
    run = finished_run(project, lambda request: "<think>A or B</think>C", methods=("direct",))
    response = run.responses.select_related(
        "run", "release_item__subject", "release_item__revision"
    ).first()
    assert response is not None

    reading = reading_of(response)

    assert [message.role for message in reading.messages] == ["system", "user"]
    assert response.release_item.revision.question in reading.messages[1].content
    assert reading.read_text.strip() == "C"
    assert [score.extraction.answer for score in reading.scores] == ["C"]


def test_reading_of_a_response_reads_the_examples_of_its_subject_alone(project: Project) -> None:
    release = make_release(project, devs=3)
    run = finished_run(project, release=release, shots=2)
    response = run.responses.select_related(
        "run", "release_item__subject", "release_item__revision"
    ).get(release_item__uid="physics/test-0")
    loaded: list[ReleaseItem] = []

    def note(instance: ReleaseItem, **_rest: Any) -> None:
        loaded.append(instance)

    post_init.connect(note, sender=ReleaseItem)
    try:
        reading = reading_of(response)
    finally:
        post_init.disconnect(note, sender=ReleaseItem)

    asked = [message.content for message in reading.messages if message.role == "user"]
    assert [text.split()[1] for text in asked] == [
        "physics/dev-0", "physics/dev-1", "physics/test-0",
    ]  # fmt: skip
    assert [placed.uid for placed in loaded] == ["physics/dev-0", "physics/dev-1"]


def test_subjects_short_of_shots_are_named(project: Project) -> None:
    release = make_release(project, devs=2)
    assert subjects_short_of_shots(make_run(project, release, shots=2)) == []
    assert subjects_short_of_shots(make_run(project, release, shots=3)) == ["History", "Physics"]


def test_results_read_only(project: Project) -> None:
    run = finished_run(project)
    with connection.execute_wrapper(_refuse_writes):
        run_results(run)


def _refuse_writes(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
    assert sql.lstrip().upper().startswith("SELECT")
    return execute(sql, params, many, context)


@pytest.mark.parametrize(
    ("is_published", "label"),
    [(True, "Direct (as published: TLUE, DA)"), (False, "Direct (TLUE, DA)")],
)
def test_method_is_named_as_published_only_where_the_run_reads_answers_so(
    project: Project, member: Any, browser_of: Any, is_published: bool, label: str
) -> None:
    run = finished_run(project, methods=("direct",))
    Run.objects.filter(pk=run.pk).update(is_published=is_published)
    run.refresh_from_db()
    table = method_table(run_results(run), "direct")
    assert table is not None and table.label == label
    browser = browser_of(member(Role.MANAGER))
    response = ModelResponse.objects.filter(run=run).earliest("pk")
    for path in ("", "responses/", f"responses/{response.pk}/"):
        page = browser.get(f"/projects/{project.slug}/runs/{run.pk}/{path}").content.decode()
        assert label in page, path
        assert is_published or "as published: TLUE" not in page, path
