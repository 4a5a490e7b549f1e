"""Leaderboards: what they list, in which order, and who sees them."""

import csv
import json
import uuid
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.actions import mark_simulated
from accounts.models import User
from endpoints.providers.recorded import NullProvider
from evaluation.comparisons.queries import human_answers
from leaderboards.queries import Filters, board_of, narrowed
from projects.enums import Role
from projects.models import Project
from releases.models import Release, ReleaseItem
from review.enums import Outcome, PanelState, RoundKind, RoundState, SeatState
from review.models import Answer, Assignment, Panel, Round
from submissions.actions.moderating import hide_submission, verify_submission, withdraw_submission
from submissions.actions.teams import ban_team
from tests.evaluation.builders import make_run, work_off
from tests.factories import ModelSpecFactory, ProjectFactory, RoundFactory, UserFactory
from tests.shared_rows import made_once
from tests.submissions.builders import NOW, join, make_part, scored, take_submissions
from tests.submissions.test_endpoints import ask, right, send_one

pytestmark = pytest.mark.django_db


def make_release() -> Release:
    project = ProjectFactory(slug="ti", name="Ti")
    take_submissions(project, is_board_public=True)
    return make_part(project, n=40)


made = made_once(make_release)


@pytest.fixture
def release(made: Release, db: None) -> Release:
    return deepcopy(made)


@pytest.fixture
def project(release: Release) -> Project:
    return release.project


def listed(release: Release, filters: Filters = Filters()) -> list[tuple[Any, ...]]:  # noqa: B008
    rows = narrowed(board_of(release, "withheld"), filters).rows
    return [(row.model, row.share, row.best_rank, row.worst_rank) for row in rows]


def test_runs_and_submissions_stand_by_share_with_ranges_of_ranks(release: Release) -> None:
    scored(release, join(release.project, team="one"), 38, model="strong")
    scored(release, join(release.project, team="two"), 2, model="weak")
    work_off(make_run(release.project, release))
    found = board_of(release, "withheld")
    assert [(row.kind, row.is_verified, row.share) for row in found.rows] == [
        ("submission", False, 0.9), ("run", True, 0.2), ("submission", False, 0.0),
    ]  # fmt: skip
    assert [(row.best_rank, row.worst_rank) for row in found.rows] == [(1, 1), (2, 2), (3, 3)]
    assert (found.items, found.random) == (40, 0.25)


def test_equal_shares_have_equal_ranks_in_the_order_of_names(release: Release) -> None:
    scored(release, join(release.project, team="two"), 20, model="b")
    pairs = scored(release, join(release.project, team="one"), 20, model="a")
    assert pairs.flags.exists()
    assert listed(release) == [("a", 0.5, 1, 2), ("b", 0.5, 1, 2)]


def test_what_did_not_climb_is_not_listed(release: Release) -> None:
    sender = join(release.project)
    scored(release, sender, 38, model="strong")
    scored(release, sender, 3, model="weak")
    assert [row[0] for row in listed(release)] == ["strong"]


def test_withdrawn_entries_stay_at_the_end_without_a_figure(release: Release) -> None:
    first = scored(release, join(release.project, team="one"), 38, model="strong")
    scored(release, join(release.project, team="two"), 3, model="weak")
    withdraw_submission(submission=first, actor=first.sent_by, now=NOW)
    assert listed(release) == [("weak", 0.1, 1, 1), ("strong", None, 0, 0)]


def test_hidden_entries_and_banned_teams_are_not_listed(release: Release) -> None:
    one = scored(release, join(release.project, team="one"), 38)
    two = scored(release, join(release.project, team="two"), 3)
    hide_submission(submission=one, reason="Not a model.", actor=one.sent_by, now=NOW)
    ban_team(team=two.team, reason="Cheated.", actor=one.sent_by, now=NOW)
    assert listed(release) == []


def test_filters_choose_by_what_was_declared(release: Release) -> None:
    one, two, three = (join(release.project, team=name) for name in ("one", "two", "three"))
    scored(release, one, 38, model="a", size="7B", prompt="direct", has_open_weights=True)
    scored(release, two, 20, model="b", size="70B", prompt="few-shot", has_open_weights=False)
    scored(release, three, 3, model="c", size="1.7B")
    for weights, model in (("open", "a"), ("closed", "b"), ("unknown", "c")):
        assert [row[0] for row in listed(release, Filters(weights))] == [model]
    wanted = {"70b": "b", "7": "a", "7B": "a", "70": "b", "1.7": "c", "1": "", "B": "abc"}
    found = {
        size: "".join(row[0] for row in listed(release, Filters(size=size))) for size in wanted
    }
    assert found == wanted
    assert [row[0] for row in listed(release, Filters(prompt="dir"))] == ["a"]
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    for words in (
        "7B · open weights",
        "70B · closed weights",
        "1.7B · weights not said",
        "few-shot",
    ):
        assert words in page


def test_filters_choose_runs_by_their_model_and_prompt(release: Release) -> None:
    spec = ModelSpecFactory(project=release.project, name="ours", size=7, cutoff="2026-01")
    work_off(make_run(release.project, release, spec=spec))
    for filters in (
        Filters("unknown"),
        Filters(size="7"),
        Filters(size="7b"),
        Filters(prompt="direct"),
    ):
        assert [row[0] for row in listed(release, filters)] == ["ours"]
    for filters in (Filters("open"), Filters("closed"), Filters(size="70"), Filters(prompt="cot")):
        assert listed(release, filters) == []
    told = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").json()["entries"][0]
    names = ("size", "cutoff", "prompt", "has_open_weights", "shots", "rotation", "epochs")
    assert [told[name] for name in names] == ["7B", "2026-01", "direct", None, 0, 0, 1]
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert "7B · weights not said · training data until 2026-01" in page
    assert '<td data-label="Prompt">direct</td>' in page


def test_two_runs_of_a_model_are_told_apart_and_compared(release: Release) -> None:
    spec = ModelSpecFactory(project=release.project, name="ours")
    plain, turned = (
        make_run(release.project, release, spec=spec, rotation=rotation) for rotation in (0, 1)
    )
    work_off(plain)
    work_off(turned)
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert "direct · options shifted by 1" in page
    names = [f"ours · run {run.pk}" for run in (plain, turned)]
    url = reverse("api:leaderboard-difference", args=["ti", "1.0.0"])
    told = Client().get(url, {"first": names[0], "second": names[1]}).json()
    assert [told["first"], told["second"]] == names
    chosen = Client().get(reverse("leaderboards:difference", args=["ti", "1.0.0"])).content.decode()
    assert f'<option value="{names[0]}">direct</option>' in chosen
    assert f'<option value="{names[1]}">direct · options shifted by 1</option>' in chosen
    entries = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").json()["entries"]
    assert sorted(each["name"] for each in entries) == sorted(names)
    for pair in (("ours", "ours"), (names[0], names[0])):
        answer = Client().get(url, dict(zip(("first", "second"), pair, strict=True)))
        assert (answer.status_code, answer.json()["code"]) == (400, "same_entry")


def test_two_submissions_of_a_team_and_model_are_told_apart(release: Release) -> None:
    sender = join(release.project)
    weak, strong = (scored(release, sender, right, model="m") for right in (3, 38))
    names = [row.name for row in board_of(release, "withheld").rows]
    assert names == [f"m · Lhasa · submission {each.pk}" for each in (strong, weak)]


def test_a_verified_submission_is_marked(release: Release) -> None:
    done = scored(release, join(release.project), 38)
    verify_submission(submission=done, is_verified=True, actor=done.sent_by, now=NOW)
    assert board_of(release, "withheld").rows[0].is_verified


def test_entries_say_how_they_came_and_who_vouches_for_them(release: Release, capsys: Any) -> None:
    take_submissions(release.project, is_board_public=True, accepts_endpoints=True)
    asked = ask(send_one(release, join(release.project, team="one")), NullProvider(right))
    sent = scored(release, join(release.project, team="two"), 3, model="=weak")
    told = [(row.model, row.sent_as) for row in board_of(release, "withheld").rows]
    assert told == [("stand-in-strong", "endpoint"), ("=weak", "dictionary")]
    words = "team’s endpoint, model self-reported", "file of answers, self-reported"
    for name in ("board", "embed"):
        shown = Client().get(reverse(f"leaderboards:{name}", args=["ti", "1.0.0"])).content.decode()
        assert [each in shown for each in words] == [True, True]
    url = reverse("leaderboards:file", args=["ti", "1.0.0"])
    rows = csv.DictReader(Client().get(url).content.decode("utf-8-sig").splitlines())
    assert [row["sent_as"] for row in rows] == ["endpoint", "dictionary"]
    verify_submission(submission=asked, is_verified=True, actor=sent.sent_by, now=NOW)
    verify_submission(submission=sent, is_verified=True, actor=sent.sent_by, now=NOW)
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert "team’s endpoint, verified by us" in page
    assert "file of answers, verified by us" in page
    call_command("leaderboard", "ti", "1.0.0")
    assert "endpoint · verified" in capsys.readouterr().out


def test_json_csv_and_command_tell_the_same(release: Release, capsys: Any) -> None:
    scored(release, join(release.project), 38, model="=strong")
    told = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").json()
    call_command("leaderboard", "ti", "1.0.0", "--part", "withheld", "--json")
    assert json.loads(capsys.readouterr().out) == told
    entry = told["entries"][0]
    assert (entry["model"], entry["accuracy"], entry["best_rank"], entry["kind"]) == (
        "=strong", 0.9, 1, "submission",
    )  # fmt: skip
    csv = Client().get(reverse("leaderboards:file", args=["ti", "1.0.0"])).content.decode()
    assert csv.splitlines()[1].startswith("1,1,'=strong,Lhasa,submission,False,0.9,")
    call_command("leaderboard", "ti", "1.0.0")
    assert "self-reported" in capsys.readouterr().out


def test_an_unknown_part_is_refused(release: Release) -> None:
    answer = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/?part=closed")
    assert (answer.status_code, answer.json()["code"]) == (400, "part_unknown")


def test_the_page_is_stacked_on_phones_and_names_its_columns(release: Release) -> None:
    scored(release, join(release.project), 38, model="strong")
    page = Client().get(reverse("leaderboards:board", args=["ti", "1.0.0"])).content.decode()
    assert 'class="hover stacked"' in page
    assert 'data-label="Accuracy"' in page
    assert "90.0 %" in page
    assert "Guessing at random" in page


@pytest.mark.parametrize(
    ("who", "status"), [("nobody", 404), ("stranger", 404), ("participant", 200), ("viewer", 200)]
)
def test_a_board_that_is_not_public_is_for_members_and_participants(
    release: Release,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    who: str,
    status: int,
) -> None:
    take_submissions(release.project)
    people = {
        "stranger": UserFactory(),
        "participant": join(release.project).user,
        "viewer": member(Role.VIEWER),
    }
    client = browser_of(people[who]) if who in people else Client()
    address = reverse("leaderboards:board", args=["ti", "1.0.0"])
    assert client.get(address).status_code == status
    assert client.get("/api/v1/releases/ti/1.0.0/leaderboard/").status_code == status


@pytest.mark.parametrize("count", [1, 3])
def test_a_board_costs_the_same_for_one_entry_and_for_three(
    release: Release, count: int, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        scored(release, join(release.project, team=f"team {number}"), 10 * number)
    with django_assert_num_queries(8):
        board_of(release, "withheld")


def test_experts_are_compared_if_a_closed_solving_round_has_enough_answers(
    release: Release,
) -> None:
    round_ = RoundFactory(
        project=release.project, number=1, kind=RoundKind.SOLVING, state=RoundState.CLOSED
    )
    expert = UserFactory()
    for number, placed in enumerate(release.items.select_related("item", "subject")[:30]):
        right = number < 24
        _solve(round_, placed, expert, placed.key if right else "")
    human = board_of(release, "withheld").human
    assert human is not None
    assert (human.share, human.n) == (0.8, 30)
    assert sum(n for n, _right in human_answers(release).values()) == 30
    Round.objects.update(state=RoundState.OPEN)
    assert board_of(release, "withheld").human is None
    Round.objects.update(state=RoundState.CLOSED)
    mark_simulated(user=expert, actor=None, now=NOW)
    assert board_of(release, "withheld").human is None, "a program is no expert"
    assert human_answers(release) == {}


def _solve(round_: Round, placed: ReleaseItem, expert: User, choice: str) -> None:
    panel = Panel.objects.create(
        round=round_, item=placed.item, revision=placed.revision, subject=placed.item.subject,
        position=placed.position, state=PanelState.SETTLED, outcome=Outcome.APPROVED,
    )  # fmt: skip
    seat = Assignment.objects.create(
        panel=panel, round=round_, position=placed.position, seat=0, reviewer=expert,
        state=SeatState.JUDGED,
    )  # fmt: skip
    Answer.objects.create(
        assignment=seat, panel=panel, reviewer=expert, choice=choice, submitted_at=NOW,
        idempotency_key=str(placed.pk), receipt=uuid.uuid4(),
    )  # fmt: skip


def test_without_a_solving_round_there_is_no_human_baseline(release: Release) -> None:
    RoundFactory(project=release.project, number=1)
    assert board_of(release, "withheld").human is None


@pytest.mark.parametrize("address", [
    "/api/v1/releases/ti/1.0.0/leaderboard/?weights=opne",
    "/boards/ti/1.0.0/?weights=opne",
    "/boards/ti/1.0.0/board.csv?weights=opne",
    "/boards/ti/1.0.0/board.csv?wieghts=open",
])  # fmt: skip
def test_filters_that_are_not_known_are_refused(release: Release, address: str) -> None:
    assert Client().get(address).status_code == 400
