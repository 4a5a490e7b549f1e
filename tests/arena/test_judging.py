"""Creating an arena and having it judged: both orders, once each, nobody its own family."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from arena.actions.arenas import (
    ArenaInvalid,
    ArenaJudging,
    NothingToCompare,
    TooManyBattles,
    start_judging,
)
from arena.files import battle_lines
from arena.models import Arena, ArenaCall, Battle
from endpoints.providers.base import ChatRequest, EndpointBroken
from evaluation.models import ModelResponse
from jobs.enums import JobState
from projects.enums import Role
from projects.models import Project
from tests.arena.builders import (
    NOW,
    answered_run,
    judge_all,
    make_arena,
    make_judge,
    make_open_release,
    prefers_good,
    seen_answers,
)
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db


def test_run_without_methods_asks_open_items_their_question_alone(project: Project) -> None:
    run = answered_run(make_open_release(project, items=2), "base", "long answer")

    assert run.job.state == JobState.DONE
    assert list(run.responses.order_by("pk").values_list("release_item__uid", "text")) == [
        ("open-0", "long answer"),
        ("open-1", "long answer"),
    ]
    assert not run.scores.exists()
    assert run.headline_method == ""


def test_judges_see_both_orders_once(project: Project) -> None:
    arena = make_arena(project)
    asked: list[tuple[str, str]] = []

    def reply(request: ChatRequest) -> str:
        asked.append(seen_answers(request))
        return prefers_good(request)

    assert judge_all(arena, reply).state == JobState.DONE
    assert judge_all(arena, reply).state == JobState.DONE  # nothing is asked again

    pairs = [("bad", "base"), ("base", "bad"), ("base", "good"), ("good", "base")]
    assert sorted(asked) == sorted(pairs * 3)
    said = {(each["name"], each["rate"]["share"]) for each in arena.figures["contestants"]}
    assert said == {("base", 50.0), ("good", 100.0), ("bad", 0.0)}
    ranks = [(each["best_rank"], each["worst_rank"]) for each in arena.figures["contestants"]]
    assert ranks == [(1, 3), (1, 3), (1, 3)]  # three questions rank nobody
    assert arena.figures["judges"][0]["order"] == {
        "battles": 6, "flips": 0.0, "reversals": 0.0, "first_wins": 0.5,
    }  # fmt: skip


def test_pairs_that_no_judge_compared_are_counted_and_told(
    client: Client, project: Project, member: Callable[..., User]
) -> None:
    """Two judges are contestants too: each skips its own battles, so nobody compares these two."""
    release = make_open_release(project)
    runs = [answered_run(release, name) for name in ("base", "good", "bad")]
    settings: dict[str, Any] = {"release": release, "runs": runs, "baseline": None}
    arena = make_arena(project, judges=[runs[0].model_spec, runs[1].model_spec], **settings)
    other = make_arena(
        project, judges=[runs[0].model_spec, make_judge(project)], name="Other", **settings
    )
    judge_all(arena)
    judge_all(other)

    assert (arena.figures["unmet_pairs"], other.figures["unmet_pairs"]) == (1, 0)
    client.force_login(member(Role.MANAGER))
    words = "compares one pair of these models"
    for each, is_told in ((arena, True), (other, False)):
        page = client.get(reverse("arena:arena", args=(project.slug, each.pk)))
        assert (words in " ".join(page.text.split())) == is_told


def test_unreadable_is_asked_again_and_then_counted(project: Project) -> None:
    arena = make_arena(project, attempts=3)
    calls: dict[Any, int] = {}

    def reply(request: ChatRequest) -> str:
        answers = seen_answers(request)
        key = (request.messages[0].content, answers)
        calls[key] = calls.get(key, 0) + 1
        if "bad" in answers:
            return "A is better"  # never readable
        return "[[A>B]] or [[B>A]]" if calls[key] == 1 else prefers_good(request)

    judge_all(arena, reply)

    assert sorted(calls.values()) == [2] * 6 + [3] * 6
    assert ArenaCall.objects.count() == 30
    assert arena.figures["judges"][0]["unreadable"] == 6
    assert {each["name"] for each in arena.figures["contestants"]} == {"base", "good"}
    assert arena.figures["without_verdicts"] == ["bad"]


def test_failed_calls_are_asked_by_the_next_start(project: Project) -> None:
    arena = make_arena(project)

    def broken(request: ChatRequest) -> str:
        raise EndpointBroken("500")

    assert judge_all(arena, broken).state == JobState.FAILED
    assert judge_all(arena).state == JobState.DONE
    assert ArenaCall.objects.exclude(verdict="").count() == 12


def test_no_model_judges_itself_or_its_family(project: Project) -> None:
    release = make_open_release(project)
    runs = [answered_run(release, name) for name in ("base", "good", "bad")]
    judges = [make_judge(project, "sister"), runs[2].model_spec]
    arena = make_arena(
        project, release=release, runs=runs, judges=judges,
        families={"sister": "Lotus ", "good": "lotus"},
    )  # fmt: skip

    judge_all(arena)

    judged = ArenaCall.objects.values_list("judge__name", "battle__first__name").distinct()
    assert sorted(judged) == [("bad", "good"), ("sister", "bad")]


def test_hidden_items_go_only_to_judges_that_may_see_them(project: Project) -> None:
    release = make_open_release(project, items=3, hidden=2)
    runs = [answered_run(release, name) for name in ("base", "good")]
    judge = make_judge(project)
    shut = make_arena(project, release=release, runs=runs, judges=[judge], name="Shut")
    judge.endpoint.hidden_item_projects.add(project)
    told = make_arena(project, release=release, runs=runs, judges=[judge], name="Told")

    assert (shut.battles.count(), told.battles.count()) == (1, 3)
    judge.endpoint.hidden_item_projects.clear()
    judge_all(told)
    assert ArenaCall.objects.count() == 2  # taken back before the judging


def test_file_has_open_prompts_alone_in_the_shape_of_arena_hard(project: Project) -> None:
    release = make_open_release(project, items=2, hidden=1)
    runs = [answered_run(release, name) for name in ("base", "good")]
    judge = make_judge(project)
    judge.endpoint.hidden_item_projects.add(project)
    arena = make_arena(project, release=release, runs=runs, judges=[judge])
    judge_all(arena)

    assert [json.loads(line) for line in battle_lines(arena)] == [
        {
            "question_id": "open-0", "model": "good", "baseline": "base", "judge": "judge",
            "games": [
                {"score": "B>A", "judgment": "I compared them. [[B>A]]"},
                {"score": "A>>B", "judgment": "I compared them. [[A>>B]]"},
            ],
        }
    ]  # fmt: skip


def test_arena_refuses(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    release = make_open_release(project, items=1)
    runs = [answered_run(release, name) for name in ("base", "good")]
    other_release = make_arena(ProjectFactory(slug="other")).release
    foreign = make_judge(other_release.project, "foreign")
    make_arena(project, release=release, runs=runs, name="Taken")
    for changes, field in (
        ({"name": " "}, "name"),
        ({"name": "Taken"}, "name"),
        ({"runs": runs[:1]}, "runs"),
        ({"runs": [runs[0], runs[0]]}, "runs"),
        ({"release": other_release}, "runs"),
        ({"baseline": other_release.runs.first()}, "baseline"),
        ({"judges": [foreign]}, "judges"),
        ({"each": 0}, "each"),
        ({"attempts": 99}, "attempts"),
        ({"bound": 1.5}, "bound"),
        ({"rubric": "{question} {answer_a}"}, "rubric"),
        ({"rubric": "{question} {answer_a} {answer_b} {model}"}, "rubric"),
        ({"rubric": "{question} {answer_a} {answer_b} {"}, "rubric"),
        ({"families": {"nobody": "lotus"}}, "families"),
    ):
        judges = [make_judge(project, f"judge of {field} {changes}"[:90])]
        given = {"release": release, "runs": runs, "judges": judges} | changes
        with pytest.raises(ArenaInvalid) as refused:
            make_arena(project, **given)
        assert field in refused.value.fields, changes

    ModelResponse.objects.filter(run=runs[0]).update(text="")
    with pytest.raises(NothingToCompare):
        make_arena(project, release=release, runs=runs, judges=[make_judge(project, "j")])
    ModelResponse.objects.filter(run=runs[0]).update(text="base")
    monkeypatch.setattr("arena.actions.arenas.MOST_BATTLES", 0)
    with pytest.raises(TooManyBattles):
        make_arena(project, release=release, runs=runs, judges=[make_judge(project, "k")], sample=0)
    assert Arena.objects.filter(project=project).count() == 1


def test_second_start_is_refused_while_judging(project: Project) -> None:
    arena = make_arena(project)
    start_judging(arena=arena, actor=None, now=NOW)

    with pytest.raises(ArenaJudging):
        start_judging(arena=arena, actor=None, now=NOW)


def test_all_against_all_and_sample_by_seed(project: Project) -> None:
    release = make_open_release(project, items=4)
    runs = [answered_run(release, name) for name in ("a", "b", "c", "d")]
    rows = []
    for name in ("One", "Two"):
        arena = make_arena(
            project, release=release, runs=runs, baseline=None, each=2, seed=7, name=name,
            judges=[make_judge(project, f"judge {name}")], sample=3,
        )  # fmt: skip
        battles = Battle.objects.filter(arena=arena).order_by("pk")
        rows.append(
            list(battles.values_list("release_item", "first__name", "second__name", "is_sampled"))
        )

    assert rows[0] == rows[1]
    assert len(rows[0]) == 16
    assert sum(is_sampled for *_rest, is_sampled in rows[0]) == 3


def test_command_creates_starts_and_prints(project: Project) -> None:
    release = make_open_release(project)
    runs = [answered_run(release, name) for name in ("base", "good")]
    make_judge(project)

    def run(*words: str) -> dict[str, Any]:
        out = StringIO()
        call_command("arena", project.slug, *words, "--json", stdout=out)
        found: dict[str, Any] = json.loads(out.getvalue())
        return found

    numbers = [str(each.pk) for each in runs]
    would = run(
        "create", "First", "--dry-run", "--release", release.version, "--runs", *numbers, "--baseline",
        numbers[0], "--judges", "judge", "--family", "good=lotus",
    )  # fmt: skip
    assert (would["battles"], would["calls"]) == (3, 6)
    assert not Arena.objects.exists()
    created = run(
        "create", "First", "--release", release.version, "--runs", *numbers, "--baseline",
        numbers[0], "--judges", "judge", "--family", "good=lotus",
    )  # fmt: skip
    assert created == {"id": created["id"], "arena": "First", "battles": 3}
    assert run("start", "First")["state"] == "queued"
    assert run("table", "First") == {"arena": "First", "release": release.version}
