"""What the five projects of the demo hold; the stand-in models answer in this process."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone

from accounts.models import User
from annotation.enums import TranslatedState
from annotation.imports.actions import import_path
from annotation.imports.opening import ImportOptions
from annotation.models import TranslatedItem
from arena.counting import FEWEST_COMPARED
from arena.models import Arena, ArenaCall
from config.demo import compared, contest, submitted, translated, written
from config.demo.pretending import create_models
from config.management.commands.load_demo import PASSWORD
from leaderboards.queries import Board, board_of
from leaderboards.rows import Row
from projects.models import Project
from releases.enums import HiddenPart
from review.enums import Outcome
from review.models import Answer, Panel
from submissions.models import Submission
from submissions.queries import hidden_items
from tests.factories import UserFactory
from tests.shared_rows import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]


def printed(*command: Any) -> dict[str, Any]:
    out = StringIO()
    call_command(*command, json=True, stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


demo = made_once(lambda: printed("load_demo"))


def test_demo_is_loaded_once(demo: dict[str, Any]) -> None:
    assert demo["is_new"]
    assert printed("load_demo") == demo | {"is_new": False}


def test_first_project_has_disputes_of_each_kind_to_settle() -> None:
    open_ones = Panel.objects.filter(item__project__slug="demo", outcome=Outcome.DISPUTED)
    codes = {reason["code"] for panel in open_ones for reason in panel.reasons}
    assert codes == {"verdict_split", "score_gap", "different_corrections"}


def test_second_project_has_a_public_release_and_a_round_of_solving() -> None:
    project = Project.objects.get(slug=written.SLUG)
    release = project.releases.get()
    reviewed, solved = project.rounds.order_by("number")
    assert Client().get(f"/releases/{project.slug}/{release.version}/").status_code == 200
    assert release.counts["items"] == project.items.count()
    assert set(project.items.values_list("kind", flat=True)) == {"choice", "number", "open"}
    assert (reviewed.state, solved.state, solved.kind) == ("closed", "open", "solving")
    assert Answer.objects.filter(panel__round=solved).count() == written.SOLVED


def test_third_project_compared_two_systems_and_reviewed_the_better_texts() -> None:
    rows = {row["system"]: row for row in printed("round_results", compared.SLUG, 1)["systems"]}
    project = Project.objects.get(slug=compared.SLUG)
    comparison, review = project.rounds.order_by("number")
    reviewed = review.panels.values_list("revision__translation__system", flat=True)
    assert list(rows) == ["demo-mt", "demo-mt-2"]
    assert rows["demo-mt-2"]["approved"] > rows["demo-mt"]["approved"]
    assert all(row["bleu"]["n_used"] for row in rows.values())
    assert (comparison.state, review.state) == ("closed", "closed")
    assert set(reviewed) == set(rows)


def test_demo_has_an_arena_two_strategies_compared_and_submissions() -> None:
    arena = Arena.objects.get(project__slug=contest.SLUG, name=contest.NAME)
    standings = {row["name"]: row["rate"]["share"] for row in arena.figures["contestants"]}
    assert arena.battles.count() == 54
    assert set(standings) == set(contest.CONTESTANTS)
    assert standings["stand-in-strong"] > standings["stand-in-weak"]
    assert not ArenaCall.objects.filter(verdict="").exists()

    project = Project.objects.get(slug=translated.SLUG)
    systems = {row["system"]: row for row in printed("round_results", project.slug, 1)["systems"]}
    items = TranslatedItem.objects.filter(translation_job__project=project)
    assert set(systems) == set(translated.STRATEGIES)
    assert items.filter(state=TranslatedState.TRANSLATED).count() == 2 * project.items.count()
    assert project.rounds.get().state == "closed"
    assert all(row["cost"]["calls"] and row["cost"]["price"] for row in systems.values())
    assert systems["rank"]["cost"]["calls"] > systems["single"]["cost"]["calls"]

    sent = Submission.objects.filter(release__project__slug=compared.SLUG).order_by("pk")
    assert [(each.team.name, each.model) for each in sent] == [
        (team, each.model) for team, entries in submitted.TEAMS.items() for each in entries
    ]
    assert {each.state for each in sent} == {"scored"}


def test_simulated_people_judged_in_the_arena_and_reviewers_may_too() -> None:
    arena = Arena.objects.get(project__slug=contest.SLUG)
    people = arena.figures["people"]
    compared_pairs = {each["name"]: each["people"]["battles"] for each in arena.figures["judges"]}
    assert (people["battles"], people["twice"], people["simulated_verdicts"]) == (20, 20, 40)
    assert 0.4 < people["kappa"] < 0.9
    assert compared_pairs["stand-in-judge"] >= FEWEST_COMPARED
    assert all(each["is_used"] for each in arena.figures["judges"])
    for name in ("senior", "reviewer"):
        browser = Client()
        browser.force_login(User.objects.get(email=f"{name}@demo.example"))
        page = browser.get(f"/projects/{contest.SLUG}/arenas/{arena.pk}/")
        assert page.status_code == 200
        assert "simulated: not reviewed by people" in page.text
        judging = browser.post(f"/projects/{contest.SLUG}/arenas/{arena.pk}/judge/")
        assert (judging.status_code, judging.context["pair"] is None) == (200, False)
    board = Client().get(f"/boards/{contest.SLUG}/{contest.VERSION}/")
    assert contest.NAME in board.text


def test_installations_with_other_secrets_have_the_same_arena(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = Arena.objects.get(project__slug=contest.SLUG)
    monkeypatch.setattr(contest, "SLUG", "answers-elsewhere")
    with override_settings(SECRET_KEY="of another installation"):
        now = timezone.now()
        project, manager = contest.create(now), UserFactory.create()
        create_models(project, endpoint="http://127.0.0.1:8001/v1", manager=manager, now=now)
        contest.import_open(bring_into(project))
        contest.review_all(project, manager=manager, now=now)
        contest.release_and_hold()
    other = Arena.objects.get(project=project)

    names = ("release_item__item__uid", "first__name", "second__name", "is_sampled")
    battles = [list(each.battles.order_by("pk").values_list(*names)) for each in (ours, other)]
    assert battles[0] == battles[1]
    assert other.figures == ours.figures
    assert not hidden_items(other.release).exists()


def test_installations_that_hide_different_items_show_the_same_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = board_of_submissions(compared.SLUG)
    monkeypatch.setattr(compared, "SLUG", "elsewhere")
    with override_settings(SECRET_KEY="of another installation"):
        make_compared()
    other = board_of_submissions("elsewhere")

    assert hidden_uids(ours).symmetric_difference(hidden_uids(other))
    assert [(row.model, row.share, row.best_rank, row.worst_rank) for row in ours.rows] == [
        ("stand-in-strong", 0.8, 1, 2),
        ("stand-in-chatty", 0.6, 1, 3),
        ("stand-in-weak", 0.4, 2, 3),
    ]
    assert all(0 < row.low < (row.share or 0) < row.high < 1 for row in ours.rows)
    assert (shown(other), other.items, other.random) == (shown(ours), ours.items, ours.random)
    told = Submission.objects.values_list("twin", "is_told", "flags")
    assert set(told) == {(None, True, None)}


def shown(board: Board) -> list[Row]:
    """Return the entries without their numbers in the database."""
    return [row._replace(number=0) for row in board.rows]


def board_of_submissions(slug: str) -> Board:
    return board_of(Project.objects.get(slug=slug).releases.get(), HiddenPart.WITHHELD)


def hidden_uids(board: Board) -> set[str]:
    return set(hidden_items(board.release).values_list("item__uid", flat=True))


def make_compared() -> None:
    """Make the third project once more, with its release and what was sent to it."""
    now = timezone.now()
    project = compared.create(now)
    compared.import_both(bring_into(project))
    compared.compare_and_review(project, manager=UserFactory.create(), now=now)
    submitted.release_and_take(password=PASSWORD)


def bring_into(project: Project) -> Callable[[Path], None]:
    options = ImportOptions(licence="CC-BY-4.0", attribution="Lotsawa demo")

    def bring_in(path: Path) -> None:
        import_path(project=project, path=path, options=options, actor=None, now=timezone.now())

    return bring_in
