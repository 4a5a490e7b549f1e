"""Judgements from elsewhere: read strictly, all or nothing; what leaves comes back the same."""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command

from arena.actions.arenas import ArenaInvalid
from arena.actions.importing import FileEmpty, LineUnreadable, TooManyLines, import_arena
from arena.files import battle_lines
from arena.models import Arena
from projects.models import Project
from releases.models import Release
from tests.arena.builders import NOW, judge_all, make_arena, make_open_release

pytestmark = pytest.mark.django_db

PUBLISHED = {
    "vicuna-13b": ((600, 203, 2), 74.6583850931677, 1.5314906992150217),
    "alpaca-7b": ((327, 462, 16), 41.61490683229814, 1.7205231659718316),
}
"""(wins, losses, ties) of 805, rate of wins in 100 and its standard error, against one baseline.

From `leaderboards/data_AlpacaEval/text_davinci_003_leaderboard.csv` of alpaca_eval 0.6.6
(Apache-2.0). Its file names no single game, so which question was won is of no account here.
"""

BATTLES = {
    "659c05": ("LL TT LT WW TL LT WW LW LL WW", 47.5),
    "5ml1863": ("WW WW LL LL LL WW WW LL WW WW", 60.0),
    "mistral-7b": ("WL LW TW WW LW WW LW WL LL WW", 62.5),
    "dolphin-miner": ("LL WW WW LL WW WW WT LL LW LL", 52.5),
    "9af1d3": ("WW LL LT LW WL WW WW WW LL LL", 52.5),
}
"""Both games of ten questions as the model won, lost or tied them, and arena-hard-auto's estimate.

From `data/arena_hard_battles.jsonl` of BinaryFiddler/arena-hard-auto at c585bf40. The estimates are
what the Bradley-Terry fit of arena-hard-auto (a logistic regression, without a penalty) gives for
them, as a win rate against the baseline.
"""


def line(**changes: Any) -> str:
    games = [{"score": "B>A", "judgment": "good"}, {"score": "A>>B", "judgment": "good"}]
    row = {"question_id": "open-0", "model": "new", "judge": "gpt", "games": games}
    return json.dumps(row | changes)


def take(release: Release, lines: list[str], name: str = "Taken", **families: str) -> Arena:
    return import_arena(
        project=release.project, release=release, name=name, lines=lines, baseline="old",
        families=families, actor=None, now=NOW,
    )  # fmt: skip


def test_what_leaves_comes_back_with_the_same_figures(project: Project, tmp_path: Path) -> None:
    arena = make_arena(project)
    judge_all(arena)
    path = tmp_path / "battles.jsonl"
    call_command("arena", "ti", "export", "First", str(path))
    call_command("arena", "ti", "import", "Again", str(path), "--release", arena.release.version)

    again = Arena.objects.get(name="Again")
    judge_all(again)
    rates = [
        {each["name"]: each["rate"] for each in one.figures["contestants"]}
        for one in (arena, again)
    ]
    assert rates[0] == rates[1]
    assert len(rates[0]) == 3
    assert list(battle_lines(again)) == list(battle_lines(arena))


def test_self_preference_of_a_family_is_told(project: Project) -> None:
    release = make_open_release(project, items=4)
    better = [{"score": "B>A"}, {"score": "A>B"}]
    worse = [{"score": "A>B"}, {"score": "B>A"}]
    lines = [
        line(question_id=f"open-{n}", judge=judge, games=games)
        for n in range(4)
        for judge, games in (("sister", better), ("other", worse))
    ]
    arena = take(release, lines, sister="Lotus", new="lotus")
    judge_all(arena)

    figures = {each["name"]: each for each in arena.figures["judges"]}
    assert figures["sister"]["self_preference"]["share"] == 100
    assert figures["other"]["self_preference"] is None
    standing = next(each for each in arena.figures["contestants"] if each["name"] == "new")
    assert standing["rate"]["share"] == 0  # its sister's verdicts don't count
    assert list(standing["by_judge"]) == ["other"]


def test_bad_lines_are_refused_by_number_and_nothing_is_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = make_open_release(project, items=1)
    for bad in (
        "{", "[]", line(question_id="nobody"), line(model=""), line(model=3), line(model="old"),
        line(judge=None), line(games=[]), line(games=[{"score": "A"}, {}]), line(),
    ):  # fmt: skip
        with pytest.raises(LineUnreadable) as refused:
            take(release, [line(), "\n", bad])
        assert "Line 3" in str(refused.value), bad
    with pytest.raises(ArenaInvalid):
        take(release, [line()], name="")
    monkeypatch.setattr("arena.actions.importing.MOST_LINES", 0)
    with pytest.raises(TooManyLines):
        take(release, [line()])
    assert not Arena.objects.exists()


def test_file_without_a_judgement_is_refused(project: Project) -> None:
    release = make_open_release(project, items=1)
    for lines in ([], ["\n", "  \n"]):
        with pytest.raises(FileEmpty):
            take(release, lines)
    assert not Arena.objects.exists()


def test_plan_of_an_imported_arena_is_read_from_its_file(project: Project) -> None:
    release = make_open_release(project, items=1)
    one = take(release, [line(), line(model="third")], name="One baseline")
    several = take(release, [line(), line(baseline="third")], name="Several")

    assert [(each.plan, each.contestants.filter(is_baseline=True).count()) for each in (one, several)] == [
        ("baseline", 1), ("balanced", 0),
    ]  # fmt: skip


def test_arenas_that_were_imported_before_get_the_plan_of_their_file(project: Project) -> None:
    release = make_open_release(project, items=1)
    take(release, [line(), line(model="third")], name="One baseline")
    take(release, [line(), line(baseline="third")], name="Several")
    Arena.objects.update(plan="baseline")

    import_module("arena.migrations.0003_plans_of_imported_arenas").correct_plans(apps, None)

    plans = dict(Arena.objects.values_list("name", "plan"))
    assert plans == {"One baseline": "baseline", "Several": "balanced"}


@pytest.mark.slow
def test_published_counts_give_their_published_rates_and_errors(project: Project) -> None:
    arena = take(make_open_release(project, items=805), list(published_lines()))
    judge_all(arena)

    found = {each["name"]: each for each in arena.figures["contestants"]}
    assert found.keys() == {*PUBLISHED, "old"}
    for name, (_counts, rate, error) in PUBLISHED.items():
        told, strength = found[name]["rate"], found[name]["strength"]
        assert (told["share"], told["questions"]) == (round(rate, 2), 805)
        assert (told["high"] - told["low"]) / 2 == pytest.approx(1.96 * error, rel=0.1), name
        # Bradley-Terry of games against one alone is the rate, but for the weak prior.
        assert strength[0] == pytest.approx(rate, abs=0.1), name


def test_published_battles_give_the_estimates_of_arena_hard(project: Project) -> None:
    arena = take(make_open_release(project, items=10), list(battle_files()))
    judge_all(arena)

    found = {each["name"]: each for each in arena.figures["contestants"]}
    assert found.keys() == {*BATTLES, "old"}
    for name, (_games, estimate) in BATTLES.items():
        assert found[name]["rate"]["share"] == found[name]["weighted"] == estimate, name
        # The weak prior draws a strength of twenty games towards 50.
        assert found[name]["strength"][0] == pytest.approx(estimate, abs=0.5), name


def battle_files() -> Iterator[str]:
    """The judgements of BATTLES; the baseline is A in the first game and B in the second."""
    scores = ({"W": "B>A", "L": "A>B", "T": "A=B"}, {"W": "A>B", "L": "B>A", "T": "A=B"})
    for name, (games, _estimate) in BATTLES.items():
        for number, pair in enumerate(games.split()):
            said = [{"score": order[game]} for order, game in zip(scores, pair, strict=True)]
            yield line(question_id=f"open-{number}", model=name, games=said)


def published_lines() -> Iterator[str]:
    """The judgements of PUBLISHED, one of each question, the same in both orders."""
    for name, (counts, _rate, _error) in PUBLISHED.items():
        verdicts = [*zip(("B>A", "A>B", "A=B"), ("A>B", "B>A", "A=B"), strict=True)]
        games = [pair for pair, n in zip(verdicts, counts, strict=True) for _n in range(n)]
        for number, pair in enumerate(games):
            said = [{"score": score} for score in pair]
            yield line(question_id=f"open-{number}", model=name, games=said)


def test_games_without_a_score_are_unreadable(project: Project) -> None:
    release = make_open_release(project, items=1)
    arena = take(release, [line(games=[{"score": None, "judgment": "?"}, {"score": "A=B"}])])
    judge_all(arena)

    assert arena.figures["judges"][0]["unreadable"] == 1
    assert arena.figures["contestants"] == []
