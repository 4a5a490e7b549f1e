"""Arenas on the leaderboard of their release: ranks, agreement with people, judges that are not used."""

import csv
from collections.abc import Callable

import pytest
from django.db.models import Case, Value, When
from django.test import Client
from django.urls import reverse

from accounts.models import User
from arena.models import Arena, ArenaCall
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from projects.models import Project
from releases.enums import ReleaseState
from releases.models import Release
from tests.arena.builders import (
    answered_run,
    judge_all,
    make_arena,
    make_judge,
    make_open_release,
    prefers_good,
)
from tests.arena.test_people import judge_by_worth
from tests.evaluation.builders import make_run, work_off
from tests.factories import make_release_item, make_translated_item
from tests.submissions.builders import NOW, take_submissions

pytestmark = pytest.mark.django_db
CONTRARY = {"[[A>>B]]": "[[B>A]]", "[[B>A]]": "[[A>B]]"}
BOARD = "/api/v1/releases/ti/1.0.0/leaderboard/"


def one_is_contrary(request: ChatRequest) -> str:
    """Two judges; the second says the opposite of what people say."""
    said = prefers_good(request)
    verdict = said.split()[-1]
    return CONTRARY[verdict] if request.model == "org/contrary" else said


@pytest.fixture
def arena(project: Project, member: Callable[..., User]) -> Arena:
    """A public release of six open-ended items, whose twelve battles two people judged too."""
    take_submissions(project, is_board_public=True)
    release = make_open_release(project, items=6)
    Release.objects.filter(pk=release.pk).update(
        version="1.0.0",
        state=ReleaseState.PUBLISHED,
        published_at=NOW,
        counts={"test": 6, "black_box": 0},
    )
    made = make_arena(
        project, release=release, sample=12,
        runs=[answered_run(release, name) for name in ("base", "good", "bad")],
        judges=[make_judge(project, name) for name in ("careful", "contrary")],
    )  # fmt: skip
    for person in (member(), member()):
        judge_by_worth(made, person)
    judge_all(made, one_is_contrary)
    return made


def test_board_tells_ranks_agreement_and_who_is_not_used(arena: Arena) -> None:
    told = Client().get(BOARD).json()["arenas"]
    assert [(each["id"], each["name"], each["pairs"]) for each in told] == [(arena.pk, "First", 12)]
    ranks = [(each["model"], each["best_rank"], each["share"]) for each in told[0]["contenders"]]
    assert ranks == [("good", 1, 1.0), ("base", 2, 0.5), ("bad", 3, 0.0)]
    assert told[0]["judges"] == [
        {"judge": "careful", "is_used": True, "pairs": 12, "agreement": 1.0, "kappa": 1.0}
        | {"verdicts": 24},
        {"judge": "contrary", "is_used": False, "pairs": 12, "agreement": 0.0, "kappa": -1.0}
        | {"verdicts": 24},
    ]
    assert told[0]["people_kappa"] == 1.0


def test_page_says_the_same(arena: Arena) -> None:
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert "contrary counts for no rank: it agrees with people on 0.0 % of the pairs" in page
    assert "Cohen’s κ among them is 1.00" in page


def test_board_without_rows_begins_with_its_arena_and_says_why(arena: Arena) -> None:
    address = reverse("leaderboards:board", args=["ti", "1.0.0"])
    page = Client().get(address).content.decode()
    assert page.index("Arena: First") < page.index("No model has an accuracy on these items.")
    assert "There are no results yet" not in page
    assert '<dl class="facts across">' not in page
    assert "No model has an accuracy" not in Client().get(address, {"size": "7B"}).content.decode()


def test_file_has_a_row_a_model_a_judge_and_people(arena: Arena) -> None:
    answer = Client().get(reverse("leaderboards:arenas-file", args=["ti", "1.0.0"]))
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [(row["model"], row["judge"]) for row in rows] == [
        ("good", ""), ("base", ""), ("bad", ""), ("", "careful"), ("", "contrary"), ("", "people"),
    ]  # fmt: skip
    assert [(row["is_used"], row["agreement"], row["kappa"]) for row in rows[3:]] == [
        ("True", "1.0", "1.0"), ("False", "0.0", "-1.0"), ("", "", "1.0"),
    ]  # fmt: skip


def test_arena_without_a_judge_that_counts_tells_who_fought_and_how_often(arena: Arena) -> None:
    Arena.objects.filter(pk=arena.pk).update(bound=1)
    arena.refresh_from_db()
    ArenaCall.objects.filter(battle__arena=arena, judge__name="careful").update(
        verdict=Case(When(is_swapped=True, then=Value("A>>B")), default=Value("B>>A"))
    )
    judge_all(arena)

    told = Client().get(BOARD).json()["arenas"][0]
    assert told["contenders"] == []
    assert told["without_verdicts"] == ["base", "good", "bad"]
    assert [(each["judge"], each["is_used"], each["verdicts"]) for each in told["judges"]] == [
        ("careful", False, 24),
        ("contrary", False, 24),
    ]
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert "Nobody is ranked" in page
    answer = Client().get(reverse("leaderboards:arenas-file", args=["ti", "1.0.0"]))
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [(row["model"], row["share"], row["judge"]) for row in rows] == [
        ("base", "", ""), ("good", "", ""), ("bad", "", ""),
        ("", "", "careful"), ("", "", "contrary"), ("", "", "people"),
    ]  # fmt: skip
    assert "no verdict on them counts: base, good, bad." in page


def test_model_has_only_the_arenas_in_which_it_fought(arena: Arena) -> None:
    release, fought = arena.release, "/api/v1/projects/ti/leaderboard-models/%s/"
    make_release_item(release, make_translated_item(project=arena.project), position=6)
    for name in ("good", "stranger"):
        spec = ModelSpec.objects.filter(name=name).first() or make_judge(arena.project, name)
        work_off(make_run(arena.project, release, spec=spec), lambda _request: "A")
    told = {name: Client().get(fought % name).json() for name in ("good", "stranger")}
    assert [each["arenas"] == [] for each in told["good"]] == [False]
    assert [each["arenas"] for each in told["stranger"]] == [[]]
