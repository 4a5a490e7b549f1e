"""Comparisons of runs by API, page and command: the figures, who sees them, what is refused."""

import csv
import json
from collections.abc import Callable
from decimal import Decimal
from io import StringIO
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import User
from annotation.models import Item
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from evaluation.comparisons.catalogue import TABLES
from evaluation.comparisons.queries import compare, flips, sizes_of
from evaluation.models import Run
from jobs.models import Job
from projects.enums import Role
from projects.models import Project
from prompts.models import PromptTemplate
from releases.models import Release, ReleaseItem
from tests.evaluation.builders import asked_uid, finished_run, make_release, make_run
from tests.factories import JobFactory, MembershipFactory, ModelSpecFactory, ProjectFactory

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Api = Callable[[User], APIClient]
Browser = Callable[[User], Client]
KEYS = "ABCD"
SVG = "{http://www.w3.org/2000/svg}"


def right_on(*uids: str) -> Callable[[ChatRequest], str]:
    """A model that answers these items correctly and the others with the next letter."""

    def reply(request: ChatRequest) -> str:
        uid = asked_uid(request)
        number = int(uid.rpartition("-")[2])
        return KEYS[(number + (uid not in uids)) % 4]

    return reply


@pytest.fixture
def release(project: Project) -> Release:
    """history and physics with 4 test items each; the last of each is hidden."""
    return make_release(project, tests=4, hidden=1)


@pytest.fixture
def runs(project: Project, release: Release) -> list[Run]:
    """`good` is right on 6 of 8 items, `poor` on 3, of which it shares 2 with `good`."""
    history = [f"history/test-{number}" for number in range(4)]
    good = right_on(*history, "physics/test-0", "physics/test-1")
    poor = right_on("history/test-0", "physics/test-0", "physics/test-3")
    return [
        finished_run(
            project, reply, release=release, spec=ModelSpecFactory(project=project, name=name)
        )
        for name, reply in (("good", good), ("poor", poor))
    ]


@pytest.fixture
def manager(project: Project, member: Member, api_of: Api) -> APIClient:
    return api_of(member(Role.MANAGER))


def numbers(runs: list[Run]) -> str:
    return ",".join(str(run.pk) for run in runs)


def asked(api: APIClient, runs: list[Run], **query: str) -> Any:
    return api.get("/api/v1/projects/ti/comparisons/", {"runs": numbers(runs)} | query)


def test_pairs_are_the_worked_example(manager: APIClient, runs: list[Run]) -> None:
    body = asked(manager, runs, table="pairs").json()

    (row,) = body["rows"]
    difference = row.pop("difference")
    assert row == {
        "first": "good",
        "second": "poor",
        "n": 8,
        "accuracy_first": 0.75,
        "accuracy_second": 0.375,
        "wins": 4,
        "losses": 1,
        "p": 0.375,  # 2 · (1 + 5) / 2⁵
        "p_holm": 0.375,
    }
    assert difference["value"] == 0.375
    assert difference["low"] < 0 < difference["value"] < difference["high"]


def test_net_wins_by_subject(manager: APIClient, runs: list[Run]) -> None:
    rows = asked(manager, runs, table="subjects").json()["rows"]
    found = [(row["subject"], row["n"], row["net_wins"]) for row in rows]
    assert found == [("History", 4, 3), ("Physics", 4, 0)]


def test_runs_on_their_shared_items_name_micro_macro_and_guessing(
    manager: APIClient, runs: list[Run]
) -> None:
    first, second = asked(manager, runs).json()["rows"]
    assert (first["run"], first["n"], first["response_rate"]) == ("good", 8, 1)
    assert (first["accuracy"]["value"], first["accuracy_macro"]) == (0.75, 0.75)
    assert (second["conditional_accuracy"], second["random_baseline"]) == (0.375, 0.25)


def test_open_and_hidden_items_are_told_apart(manager: APIClient, runs: list[Run]) -> None:
    good, poor = asked(manager, runs, table="openness").json()["rows"]
    assert (good["n_open"], good["n_hidden"]) == (6, 2)
    assert good["accuracy_open"]["value"] == pytest.approx(5 / 6)
    assert poor["difference"]["value"] == pytest.approx(2 / 6 - 1 / 2)


def test_every_table_is_written_in_every_format(runs: list[Run]) -> None:
    for table in TABLES:
        body = json.loads(called(*runs, table=table, format="json"))
        assert body["table"] == table
        for format_name in ("csv", "latex", "markdown") if body["rows"] else ("csv",):
            assert called(*runs, table=table, format=format_name), (table, format_name)


def test_command_api_page_and_file_give_the_same_numbers(
    manager: APIClient, member: Member, browser_of: Browser, runs: list[Run]
) -> None:
    body = asked(manager, runs, table="pairs").json()
    (row,) = csv.DictReader(StringIO(called(*runs, table="pairs", format="csv")))
    file = browser_of(member(Role.MANAGER)).get(
        reverse("evaluation:comparison-file", args=("ti", "csv")),
        {"runs": numbers(runs), "table": "pairs"},
    )
    api = manager.get(
        "/api/v1/projects/ti/comparisons/export/",
        {"runs": numbers(runs), "table": "pairs", "format": "csv"},
    )
    assert json.loads(called(*runs, table="pairs", format="json")) == body
    assert float(row["difference_low"]) == body["rows"][0]["difference"]["low"]
    assert file.content == api.getvalue() == called(*runs, table="pairs", format="csv").encode()


def test_prompts_of_one_model_are_compared(project: Project, release: Release) -> None:
    spec = ModelSpecFactory(project=project, name="m")
    first = finished_run(project, right_on("history/test-0"), release=release, spec=spec)
    second = finished_run(
        project, right_on("history/test-0", "physics/test-1"), release=release, spec=spec,
        is_asked_again=True,
    )  # fmt: skip
    second.prompt_template.pk = None
    second.prompt_template.name = "another"
    second.prompt_template.save()
    Run.objects.filter(pk=second.pk).update(prompt_template=second.prompt_template)
    (row,) = json.loads(called(first, second, table="prompts", format="json"))["rows"]
    assert (row["prompts"], row["n"]) == (2, 8)
    assert (row["lowest"], row["highest"], row["range"]) == (0.125, 0.25, 0.125)
    assert row["answers_changed"] == row["correctness_changed"] == 0.125


def test_items_of_one_passage_count_together(runs: list[Run]) -> None:
    Item.objects.filter(subject__slug="history").update(metadata={"passage": "one"})
    found = compare(runs, "anchored")
    assert found.groups is not None
    assert sorted(np.bincount(found.groups).tolist()) == [1, 1, 1, 1, 4]


def test_several_epochs_are_averaged_for_each_item(project: Project, release: Release) -> None:
    calls: dict[str, int] = {}

    def wavering(request: ChatRequest) -> str:
        uid = asked_uid(request)
        calls[uid] = calls.get(uid, 0) + 1
        number = int(uid.rpartition("-")[2])
        return KEYS[(number + (calls[uid] > 1)) % 4]

    runs = [
        finished_run(
            project, reply, release=release, epochs=epochs,
            spec=ModelSpecFactory(project=project, name=name),
        )
        for name, reply, epochs in (("a", wavering, 2), ("b", right_on(), 1))
    ]  # fmt: skip
    found = compare(runs, "anchored")
    assert found.correct.tolist() == [[0.5] * 8, [0.0] * 8]


def test_items_that_differ_link_to_both_answers(
    member: Member, browser_of: Browser, api_of: Api, runs: list[Run]
) -> None:
    page = flips(compare(runs, "anchored"))
    assert page.total == 5
    assert [
        (flip.first, flip.second) for flip in page.rows if flip.item.uid == "physics/test-3"
    ] == [(0, 1)]
    answer = browser_of(member(Role.MANAGER)).get(
        reverse("evaluation:flips", args=("ti",)), {"runs": numbers(runs)}
    )
    text = answer.content.decode()
    for flip in page.rows:
        for run, response in zip(runs, (flip.first_response, flip.second_response), strict=True):
            assert reverse("evaluation:response", args=("ti", run.pk, response)) in text
    body = (
        api_of(member(Role.MANAGER))
        .get("/api/v1/projects/ti/comparisons/items/", {"runs": numbers(runs)})
        .json()
    )
    assert (body["total"], len(body["rows"])) == (5, 5)
    assert body["rows"][0] == {
        "uid": page.rows[0].item.uid,
        "subject": "history",
        "key": page.rows[0].item.key,
        "first": 1,
        "second": 0,
        "first_response": page.rows[0].first_response,
        "second_response": page.rows[0].second_response,
    }
    for role in (Role.VIEWER, Role.REVIEWER):
        other = browser_of(member(role))
        answer = other.get(reverse("evaluation:flips", args=("ti",)), {"runs": numbers(runs)})
        assert answer.status_code == 403


def test_answers_to_one_item_stand_side_by_side_for_managers_alone(
    member: Member, browser_of: Browser, api_of: Api, runs: list[Run]
) -> None:
    manager, url = member(Role.MANAGER), reverse("evaluation:comparison-answers", args=("ti",))
    asked = {"runs": numbers(runs), "uid": "physics/test-3"}
    body = api_of(manager).get("/api/v1/projects/ti/comparisons/answers/", asked).json()
    page = browser_of(manager).get(url, asked).content.decode()

    assert [row["verdict"] for row in body["rows"]] == ["wrong", "right"]
    for row in body["rows"]:
        assert row["run"] in page
        assert row["answer"] in page
    assert ReleaseItem.objects.filter(uid="physics/test-3")[0].revision.question in page
    assert browser_of(manager).get(url, asked | {"uid": "none"}).status_code == 404
    for role in (Role.VIEWER, Role.EVALUATOR):
        assert browser_of(member(role)).get(url, asked).status_code == 403


@pytest.mark.parametrize("count", [2, 5])
def test_page_takes_a_fixed_number_of_queries(
    project: Project, member: Member, browser_of: Browser, release: Release, count: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:  # fmt: skip
    runs = [
        finished_run(
            project, release=release, spec=ModelSpecFactory(project=project, name=f"m{number}")
        )
        for number in range(count)
    ]
    browser, url = browser_of(member(Role.MANAGER)), reverse("evaluation:comparison", args=("ti",))
    query = {"runs": numbers(runs), "table": "pairs"}
    with django_assert_num_queries(8 + 1):  # one for the items; the worker kept the answers
        assert browser.get(url, query).status_code == 200
    with django_assert_num_queries(8):
        assert browser.get(url, query).status_code == 200
    cache.clear()
    with django_assert_num_queries(8 + 1 + count):  # one for the answers of each run, too
        assert browser.get(url, query).status_code == 200


def test_what_cannot_be_compared_is_refused_in_words(
    manager: APIClient, project: Project, runs: list[Run]
) -> None:
    cases = [
        ({"runs": ""}, 404, "runs_missing"),
        ({"runs": str(runs[0].pk)}, 400, "runs_not_comparable"),
        ({"runs": "1,x"}, 400, "runs_not_comparable"),
        ({"runs": f"{runs[0].pk},999999"}, 400, "runs_not_comparable"),
        ({"runs": numbers(runs), "method": "numeric"}, 400, "runs_not_comparable"),
        ({"runs": numbers(runs), "table": "nothing"}, 404, "table_unknown"),
    ]
    for query, status, code in cases:
        answer = manager.get("/api/v1/projects/ti/comparisons/", query)
        assert (answer.status_code, answer.json()["code"]) == (status, code), query
    other = finished_run(
        project, release=make_release(project, subjects={"law": ""}, version="2.0.0")
    )
    answer = asked(manager, [runs[0], other])
    (words,) = answer.json()["fields"]["runs"]
    assert words.startswith("These runs share no item with a scored answer.")
    waiting = make_run(project, release=runs[0].release)
    (words,) = asked(manager, [runs[0], waiting]).json()["fields"]["runs"]
    assert words == f"Run {waiting.pk} has no scored answer yet. Wait for it, or resume it."
    unread = finished_run(project, release=runs[0].release)
    Run.objects.filter(pk=unread.pk).update(methods=[])
    (words,) = asked(manager, [runs[0], unread]).json()["fields"]["runs"]
    assert words.startswith("No method has scored one of these runs.")
    with pytest.raises(CommandError, match="Name two runs or more"):
        called(runs[0])


def called(*runs: Run, **options: str) -> str:
    out = StringIO()
    call_command("compare_runs", "ti", *[str(run.pk) for run in runs], stdout=out, **options)
    return out.getvalue()


def test_runs_of_two_projects_share_the_items_with_the_same_uids(
    project: Project, member: Member, api_of: Api, runs: list[Run]
) -> None:
    other = ProjectFactory(slug="source")
    source_run = finished_run(
        other, right_on("history/test-0"), release=make_release(other, tests=4),
        spec=ModelSpecFactory(project=other, name="good"),
    )  # fmt: skip
    text = called(runs[0], source_run, table="languages", format="json")
    (row,) = json.loads(text)["rows"]
    assert (row["n"], row["accuracy_first"], row["accuracy_second"]) == (8, 0.125, 0.75)
    PromptTemplate.objects.filter(pk=source_run.prompt_template_id).update(style="chain-of-thought")
    text = called(runs[0], source_run, table="languages", format="json")
    assert json.loads(text)["rows"] == []  # another style is another question
    manager = api_of(member(Role.MANAGER))
    answer = asked(manager, [runs[0], source_run])  # of a project that the manager may not see
    assert (answer.status_code, answer.json()["code"]) == (400, "runs_not_comparable")


def test_who_does_not_manage_both_projects_learns_nothing_of_a_hidden_item(
    project: Project, member: Member, api_of: Api, runs: list[Run]
) -> None:
    viewer = member(Role.VIEWER)
    own = ProjectFactory(slug="own")
    MembershipFactory(project=own, user=viewer, role=Role.MANAGER)
    spec = ModelSpecFactory(project=own, name="good")
    same = [
        finished_run(
            own, right_on(f"history/test-{number}"), spec=spec,
            release=make_release(own, subjects={"history": ""}, tests=4, version=f"2.{number}.0"),
        )
        for number in (0, 3)
    ]  # fmt: skip
    api = api_of(viewer)
    for pair in (
        [runs[0], same[0]],
        [same[1], runs[0]],
    ):  # open in one release, hidden in the other
        assert [row["n"] for row in asked(api, pair).json()["rows"]] == [3, 3]
    told = asked(api, runs).json()["rows"]
    assert [(row["n"], row["accuracy"]["value"]) for row in told] == [(6, 5 / 6), (6, 2 / 6)]
    assert asked(api, runs, table="openness").json()["rows"] == []
    assert [row["n"] for row in asked(api_of(member(Role.MANAGER)), runs).json()["rows"]] == [8, 8]


def test_prompts_of_two_projects_are_not_one_model(project: Project, runs: list[Run]) -> None:
    other = ProjectFactory(slug="source")
    run = finished_run(
        other, release=make_release(other, tests=4, version=runs[0].release.version),
        spec=ModelSpecFactory(project=other, name="good"),
    )  # fmt: skip
    assert json.loads(called(runs[0], run, table="prompts", format="json"))["rows"] == []


def test_table_by_a_fact_has_a_row_for_each_value_and_run(
    manager: APIClient, runs: list[Run]
) -> None:
    rows = asked(manager, runs, table="categories").json()["rows"]
    found = [(row["group"], row["run"], row["n"], row["accuracy"]["value"]) for row in rows]
    assert found == [
        ("Humanities", "good", 4, 1.0),
        ("Humanities", "poor", 4, 0.25),
        ("Science", "good", 4, 0.5),
        ("Science", "poor", 4, 0.5),
    ]


def test_scale_has_the_smallest_model_first_and_names_those_without_a_size(
    manager: APIClient, runs: list[Run], project: Project, release: Release
) -> None:
    for run, size in zip(runs, ("70", "7.5"), strict=True):
        ModelSpec.objects.filter(pk=run.model_spec_id).update(size=size)
    third = finished_run(
        project, right_on(), release=release, spec=ModelSpecFactory(project=project, name="other")
    )
    body = asked(manager, [*runs, third], table="scale").json()
    found = [(row["run"], row["size"], row["accuracy"]["value"]) for row in body["rows"]]
    assert found == [("poor", 7.5, 0.375), ("good", 70, 0.75)]
    assert "No size is stated for: other." in body["note"]
    assert "| poor | 7.5 |" in called(*runs, table="scale", format="markdown")


def test_size_of_a_later_revision_holds_for_runs_of_an_earlier_one(
    project: Project, runs: list[Run]
) -> None:
    spec = runs[0].model_spec
    ModelSpecFactory(
        project=project, name=spec.name, model=spec.model, endpoint=spec.endpoint, revision=2,
        size=Decimal("0.5"),
    )  # fmt: skip
    assert sizes_of(runs) == [Decimal("0.5"), None]


def test_page_draws_accuracies_with_intervals(
    member: Member, browser_of: Browser, runs: list[Run]
) -> None:
    browser = browser_of(member(Role.VIEWER))
    url = reverse("evaluation:comparison", args=("ti",))
    for table, drawn in (("runs", True), ("by-subject", True), ("pairs", False)):
        text = browser.get(url, {"runs": numbers(runs), "table": table}).content.decode()
        assert ("<svg" in text and "good" in text and "75.0" in text) or not drawn, table
        assert ("Accuracy with 95% intervals" in text) == drawn, table


@pytest.mark.parametrize("format_name", ["markdown", "latex", "svg"])
def test_a_table_without_rows_is_refused_in_words(runs: list[Run], format_name: str) -> None:
    with pytest.raises(CommandError, match="Choose another table or other runs"):
        called(*runs, table="shots", format=format_name)


def test_a_table_without_rows_is_the_header_alone_as_csv(runs: list[Run]) -> None:
    assert called(*runs, table="shots", format="csv").count("\n") == 1


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("running", "Still in progress, so the figures can change: poor."),
        ("cancelled", "Stopped before the end, so answers are missing: poor."),
    ],
)
def test_run_that_is_not_finished_is_named(
    manager: APIClient, member: Member, browser_of: Browser, runs: list[Run], state: str, said: str
) -> None:
    url = reverse("evaluation:comparison", args=("ti",))
    browser, query = browser_of(member(Role.MANAGER)), {"runs": numbers(runs)}
    before = asked(manager, runs).json()["note"]
    assert said not in browser.get(url, query).content.decode()

    Job.objects.filter(pk=runs[1].job_id).update(state=state)

    assert asked(manager, runs).json()["note"] == f"{said} {before}".strip()
    assert browser.get(url, query).content.decode().count(said) == 1
    assert said in called(*runs, table="runs", format="markdown")
    assert said in called(*runs, table="tlue-1", format="latex")
    lines = list(csv.DictReader(StringIO(called(*runs, table="runs", format="csv"))))
    assert [line["warning"] for line in lines] == [said] * 2
    picture = ET.fromstring(called(*runs, table="runs", format="svg"))
    drawn = " ".join(each.text or "" for each in picture.iter(f"{SVG}text"))
    assert said in drawn
    assert float(picture.attrib["height"]) > max(
        float(each.attrib["y"]) for each in picture.iter(f"{SVG}text")
    )
    assert said in called(*runs, table="answers", item="history/test-0", format="markdown")
    assert said in browser.get(reverse("evaluation:flips", args=("ti",)), query).content.decode()


def test_run_that_is_scored_again_is_in_progress(manager: APIClient, runs: list[Run]) -> None:
    Run.objects.filter(pk=runs[0].pk).update(scoring_job=JobFactory(state="queued"))
    assert (
        "Still in progress, so the figures can change: good." in asked(manager, runs).json()["note"]
    )
