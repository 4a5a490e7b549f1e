"""Pages and API of arenas: who sees what, and that hidden prompts are on none of them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import User
from arena.actions.arenas import ArenaSettings
from arena.estimates import estimate_arena
from arena.models import Arena, Judge
from arena.rubric import RUBRIC
from projects.enums import Role
from projects.models import Project
from tests.arena.builders import answered_run, judge_all, make_arena, make_judge, make_open_release

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
ROOT = "/api/v1"


def page(name: str, *args: Any) -> str:
    return reverse(f"arena:{name}", args=["ti", *args])


@pytest.fixture
def arena(project: Project) -> Arena:
    """A judged arena of three items, the last of them hidden and seen by the judge."""
    release = make_open_release(project, items=3, hidden=1)
    runs = [answered_run(release, name) for name in ("base", "good")]
    judge = make_judge(project)
    judge.endpoint.hidden_item_projects.add(project)
    made = make_arena(project, release=release, runs=runs, judges=[judge])
    judge_all(made)
    return made


def test_page_of_an_arena_names_whom_strengths_are_against(
    arena: Arena, project: Project, member: Member, browser_of: Browser
) -> None:
    runs = [each.run for each in arena.contestants.order_by("-pk")]
    judges = [arena.judges.get().model_spec]
    against_all = make_arena(
        project, release=arena.release, name="All", runs=runs, judges=judges, baseline=None
    )
    judge_all(against_all)
    browser = browser_of(member(Role.MANAGER))
    for each, name in ((arena, "base"), (against_all, "good")):
        assert each.figures["reference"] == name
        shown = browser.get(page("arena", each.pk)).content.decode()
        assert f"against {name}, which itself has 50" in shown


def test_pages_show_ranking_and_battles_without_hidden_prompts(
    arena: Arena, member: Member, browser_of: Browser, api_of: Api
) -> None:
    manager = member(Role.MANAGER)
    browser, api = browser_of(manager), api_of(manager)
    pages = [page("arenas"), page("arena", arena.pk), page("arena-battles", arena.pk)]
    calls = [
        f"{ROOT}/projects/ti/arenas/",
        *(f"{ROOT}/arenas/{arena.pk}/{x}" for x in ("", "battles/")),
    ]

    texts = [browser.get(url).content.decode() for url in pages]
    texts.append(b"".join(browser.get(page("arena-battles-file", arena.pk))).decode())  # type: ignore[arg-type]
    texts += [api.get(url).content.decode() for url in calls]

    assert all("First" in text for text in texts[:3])
    assert "100.0" in texts[1]
    assert "འདྲི་བ་ 0" in texts[2]
    for text in texts:
        assert "འདྲི་བ་ 2" not in text
        assert "hidden-2" not in text
        assert "open-2" not in text


def test_reviewers_read_and_change_nothing(
    arena: Arena, member: Member, browser_of: Browser, api_of: Api
) -> None:
    reviewer = member(Role.REVIEWER)
    browser, api = browser_of(reviewer), api_of(reviewer)

    assert browser.get(page("arena", arena.pk)).status_code == 200
    assert browser.get(page("arena-battles-file", arena.pk)).status_code == 403
    assert browser.post(page("start-arena", arena.pk)).status_code == 403
    assert api.post(f"{ROOT}/arenas/{arena.pk}/start/").status_code == 403
    assert api.post(f"{ROOT}/arenas/{arena.pk}/cancel/").status_code == 403


def test_api_creates_starts_and_cancels(project: Project, member: Member, api_of: Api) -> None:
    release = make_open_release(project)
    runs = [answered_run(release, name).pk for name in ("base", "good")]
    make_judge(project)
    api = api_of(member(Role.MANAGER))
    body = {"name": "First", "release": release.version, "runs": runs, "judges": ["judge"]}

    made = api.post(f"{ROOT}/projects/ti/arenas/", body | {"baseline": runs[0]}, format="json")
    again = api.post(f"{ROOT}/projects/ti/arenas/", body, format="json")
    number = made.json()["id"]
    started = api.post(f"{ROOT}/arenas/{number}/start/")
    cancelled = api.post(f"{ROOT}/arenas/{number}/cancel/")

    assert (made.status_code, made.json()["plan"]) == (201, "baseline")
    assert (again.status_code, again.json()["code"]) == (400, "arena_invalid")
    assert (started.status_code, cancelled.status_code) == (202, 202)
    assert Arena.objects.get(pk=number).battles.count() == 3


def test_buttons_start_and_cancel(project: Project, member: Member, browser_of: Browser) -> None:
    arena = make_arena(project)
    browser = browser_of(member(Role.MANAGER))

    assert browser.post(page("start-arena", arena.pk)).status_code == 302
    assert "Cancel" in browser.get(page("arena", arena.pk)).content.decode()
    assert browser.post(page("cancel-arena", arena.pk)).status_code == 302
    arena.refresh_from_db()
    assert arena.job is not None
    assert arena.job.state == "cancelled"


def test_page_says_which_judge_is_left_out(
    arena: Arena, member: Member, browser_of: Browser
) -> None:
    arena.figures["judges"][0] |= {
        "is_used": False, "people": {"battles": 12, "share": 0.5, "kappa": 0.1},
    }  # fmt: skip
    arena.save()
    assert Judge.objects.get().name == "judge"

    text = browser_of(member()).get(page("arena", arena.pk)).content.decode()

    assert "judge counts for no rank" in " ".join(text.split())


def test_page_gives_the_number_of_questions_and_says_why_nobody_is_ranked(
    arena: Arena, member: Member, browser_of: Browser
) -> None:
    questions = arena.figures["contestants"][0]["rate"]["questions"]
    browser = browser_of(member())
    text = browser.get(page("arena", arena.pk)).content.decode()
    assert f'data-label="Questions">{questions}</td>' in text
    arena.figures["judges"][0] |= {
        "is_used": False, "people": {"battles": 12, "share": 0.5, "kappa": 0.1},
    }  # fmt: skip
    arena.figures |= {"contestants": [], "without_verdicts": ["good", "bad"]}
    arena.save()
    text = browser.get(page("arena", arena.pk)).content.decode()
    assert "counts for no rank" in text
    assert "no verdict on them counts: good, bad." in " ".join(text.split())
    assert "There are no results yet" not in text


def test_lists_cost_the_same_for_one_and_three_rows(
    arena: Arena,
    member: Member,
    browser_of: Browser,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    browser = browser_of(member(Role.MANAGER))
    for url in (page("arenas"), page("arena-battles", arena.pk)):
        browser.get(url)
    release, runs = arena.release, list(arena.release.runs.all())
    with django_assert_num_queries(LIST_QUERIES):
        browser.get(page("arenas"))
    for name in ("Second", "Third"):
        make_arena(
            arena.project, release=release, runs=runs, name=name,
            judges=[make_judge(arena.project, name)],
        )  # fmt: skip
    with django_assert_num_queries(LIST_QUERIES):
        browser.get(page("arenas"))


LIST_QUERIES = 5


def form_of(release_runs: list[int], judges: list[int], **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": "Made here", "runs": release_runs, "baseline": release_runs[0], "each": 2,
        "judges": judges, "sample": 1, "bound": "0.85", "seed": 7, "rubric": RUBRIC.replace("\n", "\r\n"),
    }  # fmt: skip
    return values | changes


def test_form_shows_what_judging_takes_then_creates(
    project: Project, member: Member, browser_of: Browser
) -> None:
    release = make_open_release(project)
    runs = [answered_run(release, name) for name in ("base", "good")]
    judge = make_judge(project)
    judge.parameters = {"max_tokens": 100}
    judge.prompt_price = judge.completion_price = Decimal(10)
    judge.save()
    browser, url = browser_of(member(Role.MANAGER)), page("create-arena")
    form = form_of([run.pk for run in runs], [judge.pk, runs[1].model_spec.pk])

    assert browser.get(url).status_code == 200
    shown = browser.post(url, form)
    estimate = shown.context["estimate"]
    none_yet = Arena.objects.count()
    made = browser.post(url, form | {"confirm": "yes"})

    arena = Arena.objects.get()
    assert (estimate.battles, estimate.calls, estimate.completion_tokens) == (3, 6, None)
    assert (shown.status_code, none_yet, made.status_code) == (200, 0, 302)
    assert (arena.battles.count(), arena.judges.count(), arena.rubric) == (3, 2, RUBRIC)
    assert (arena.bound, arena.seed) == (0.85, 7)
    text = browser.get(page("arena", arena.pk)).text
    assert 'value="0.7"' in browser.get(url).text
    assert "Two assistants answered the same question." in text
    assert "85 %" in text
    assert "<dd>7</dd>" in text


def test_estimate_counts_tokens_and_price(project: Project) -> None:
    release = make_open_release(project, items=1)
    runs = [answered_run(release, name) for name in ("base", "good")]
    judge = make_judge(project)
    judge.parameters = {"max_tokens": 100}
    judge.prompt_price, judge.completion_price = Decimal(3), Decimal(10_000)
    judge.save()
    settings = ArenaSettings(
        name="x", release=release, runs=runs, judges=[judge], baseline=runs[0],
        rubric="{question}{answer_a}{answer_b}",
    )  # fmt: skip

    found = estimate_arena(project, settings)

    sent = len("འདྲི་བ་ 0 {ཀ} ག་རེ་རེད།basegood".encode())
    assert (found.calls, found.completion_tokens) == (2, 200)
    assert found.prompt_tokens == round(2 * sent / 3)
    assert found.price == Decimal(3 * found.prompt_tokens + 2_000_000) / 1_000_000


def test_api_estimates_what_the_page_does_and_stores_nothing(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    release = make_open_release(project, items=2)
    runs = [answered_run(release, name) for name in ("base", "good")]
    judge = make_judge(project)
    judge.parameters = {"max_tokens": 100}
    judge.prompt_price = judge.completion_price = Decimal(10)
    judge.save()
    body: dict[str, Any] = {
        "name": "x", "release": release.version, "runs": [run.pk for run in runs],
        "judges": [judge.name], "baseline": runs[0].pk,
    }  # fmt: skip
    api, url = api_of(member(Role.MANAGER)), "/api/v1/projects/ti/arenas/estimate/"

    told = api.post(url, body, format="json")

    assert told.status_code == 200, told.content
    found = told.json()
    assert (found["battles"], found["calls"], found["completion_tokens"]) == (2, 4, 400)
    assert Decimal(found["price"]) == Decimal(10 * (found["prompt_tokens"] + 400)) / 1_000_000
    assert not Arena.objects.exists()
    wrong = api.post(url, body | {"runs": body["runs"][:1]}, format="json")
    assert wrong.status_code == 400
    reviewer = api_of(member(Role.REVIEWER))
    assert reviewer.post(url, body, format="json").status_code == 403


def test_form_names_the_field_that_is_wrong(
    project: Project, member: Member, browser_of: Browser
) -> None:
    release = make_open_release(project)
    runs = [answered_run(release, name).pk for name in ("base", "good")]
    judge = make_judge(project).pk
    browser, url = browser_of(member(Role.MANAGER)), page("create-arena")
    wrong: dict[str, Any] = {
        "families": "judge", "rubric": "{question}", "runs": runs[:1], "judges": [], "name": "",
        "bound": 1.5, "seed": -1,
    }  # fmt: skip

    for name, value in wrong.items():
        answer = browser.post(url, form_of(runs, [judge]) | {name: value, "confirm": "yes"})
        assert (name, answer.status_code) == (name, 400)
        assert name in answer.context["form"].errors
    assert not Arena.objects.exists()
