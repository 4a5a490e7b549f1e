"""What managers do with an arena: leave a judge out, count again, hide and delete; and judges that fail."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from arena.actions.arenas import ArenaDeleted, ArenaJudging, start_judging, store_figures
from arena.actions.judges import JudgeLeftOut, bring_back_judge, leave_out_judge
from arena.actions.people import claim_battle, judge_battle
from arena.actions.recounting import start_counting
from arena.actions.removing import (
    ArenaHasVerdicts,
    ArenaHidden,
    delete_arena,
    hide_arena,
    show_arena,
)
from arena.execution import perform_counting, perform_judging
from arena.models import Arena, ArenaCall, Judge
from common.reasons import ReasonChanged, ReasonMissing
from endpoints.connections import EndpointClosed
from endpoints.providers.base import ChatRequest, EndpointBroken
from endpoints.providers.recorded import NullProvider
from jobs.actions import resume_job
from jobs.enums import JobState
from jobs.kinds import get_kind
from jobs.models import Job
from jobs.worker import run_now
from leaderboards.arenas import arenas_of
from projects.enums import Role
from projects.models import Project
from releases.enums import ReleaseState
from releases.models import Release
from tests.arena.builders import (
    NOW,
    answered_run,
    judge_all,
    make_arena,
    make_judge,
    make_open_release,
    prefers_good,
)
from tests.evaluation.builders import QUICK
from tests.submissions.builders import take_submissions

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
REASON = "Its endpoint is gone."


def dead_is_dead(request: ChatRequest) -> str:
    if request.model == "org/dead":
        raise EndpointBroken("500")
    return prefers_good(request)


def two_judges(project: Project, *names: str) -> Arena:
    """An arena of three questions, judged by `careful` and `dead`."""
    judges = [make_judge(project, name) for name in names or ("dead", "careful")]
    return make_arena(project, judges=judges)


def judge_named(arena: Arena, name: str) -> Judge:
    return arena.judges.get(name=name)


def count_all(arena: Arena) -> Job:
    arena.refresh_from_db()
    assert arena.count_job is not None
    done = run_now(arena.count_job, perform_counting)
    arena.refresh_from_db()
    return done


def used(arena: Arena) -> Mapping[str, bool]:
    return {each["name"]: each["is_used"] for each in arena.figures["judges"]}


def events(verb: str) -> list[dict[str, Any]]:
    return list(AuditEvent.objects.filter(verb=verb).values_list("data", flat=True))


@pytest.mark.parametrize("names", [("dead", "careful"), ("careful", "dead")])
def test_judge_that_fails_stops_no_other_and_is_named(
    project: Project, names: tuple[str, str]
) -> None:
    arena = two_judges(project, *names)

    job = judge_all(arena, dead_is_dead)

    assert (job.state, job.error_code) == (JobState.FAILED, "judges_failed")
    assert job.error.startswith("dead: The endpoint failed many times in a row: it reported")
    assert "said" not in json.dumps(job.error_data)
    assert arena.figures["verdicts"] == 12
    assert [each["name"] for each in arena.figures["contestants"]] == ["good", "base", "bad"]
    assert judge_all(arena).state == JobState.DONE
    assert arena.figures["verdicts"] == 24


def test_judge_whose_endpoint_is_closed_is_named_and_the_others_judge(project: Project) -> None:
    arena = two_judges(project)
    for name, is_refused in (("dead", False), ("careful", True)):
        spec = judge_named(arena, name).model_spec
        assert spec is not None
        type(spec.endpoint).objects.filter(pk=spec.endpoint_id).update(is_active=False)
        if is_refused:
            with pytest.raises(EndpointClosed):
                start_judging(arena=arena, actor=None, now=NOW)
        else:
            job = judge_all(arena)
            assert job.state == JobState.FAILED
            assert job.error.startswith("dead: This project may not use the endpoint")
            assert arena.figures["verdicts"] == 12


def test_judge_is_left_out_with_a_reason_and_judging_goes_on_without_it(
    project: Project, member: Member
) -> None:
    arena, manager = two_judges(project), member(Role.MANAGER)
    judge_all(arena, dead_is_dead)
    with pytest.raises(ReasonMissing):
        leave_out_judge(judge=judge_named(arena, "dead"), reason=" ", actor=manager, now=NOW)

    for _again in range(2):
        leave_out_judge(judge=judge_named(arena, "dead"), reason=REASON, actor=manager, now=NOW)
    with pytest.raises(JudgeLeftOut, match="gone"):
        leave_out_judge(judge=judge_named(arena, "dead"), reason="Other", actor=manager, now=NOW)

    told = {"name": "First", "judge": "dead", "reason": REASON}
    assert events("arena.judge_left_out") == [told]
    assert judge_all(arena, dead_is_dead).state == JobState.DONE
    assert used(arena) == {"dead": False, "careful": True}


def test_verdicts_of_a_judge_that_is_left_out_are_kept_and_count_again_when_it_is_back(
    project: Project,
) -> None:
    arena = two_judges(project)
    judge_all(arena)
    dead = judge_named(arena, "dead")

    leave_out_judge(judge=dead, reason=REASON, actor=None, now=NOW)
    assert count_all(arena).state == JobState.DONE
    row = next(each for each in arena.figures["judges"] if each["name"] == "dead")
    assert (row["is_used"], row["verdicts"], row["left_out_reason"]) == (False, 12, REASON)
    assert {name for each in arena.figures["contestants"] for name in each["by_judge"]} == {
        "careful"
    }
    assert ArenaCall.objects.filter(judge=dead).count() == 12

    with pytest.raises(ReasonChanged):
        bring_back_judge(judge=dead, seen_reason="Another", actor=None, now=NOW)
    for _again in range(2):
        bring_back_judge(judge=dead, seen_reason=REASON, actor=None, now=NOW)
    count_all(arena)
    assert used(arena) == {"dead": True, "careful": True}
    assert len(events("arena.judge_brought_back")) == 1


def test_judge_that_is_left_out_while_it_is_asked_is_asked_no_more(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.execution.CHUNK", 1)
    arena = two_judges(project)
    job = start_judging(arena=arena, actor=None, now=NOW)

    stored = ArenaCall.objects.filter(judge__name="dead")
    calls: list[str] = []

    def reply(request: ChatRequest) -> str:
        calls.append(request.model)
        return prefers_good(request)

    def connect(endpoint: Any) -> NullProvider:
        """Called before each chunk: after the first one a manager leaves the judge out."""
        if stored.exists():
            leave_out_judge(judge=judge_named(arena, "dead"), reason=REASON, actor=None, now=NOW)
        return NullProvider(reply)

    done = run_now(job, partial(perform_judging, connect=connect, limits=QUICK))

    assert done.state == JobState.DONE
    assert calls.count("org/dead") == 4  # those of the chunk before and of the one in progress
    assert calls.count("org/careful") == 12
    arena.refresh_from_db()
    assert used(arena) == {"dead": False, "careful": True}


def test_figures_are_not_stored_if_a_judge_was_left_out_meanwhile(project: Project) -> None:
    arena = two_judges(project)
    leave_out_judge(judge=judge_named(arena, "dead"), reason=REASON, actor=None, now=NOW)
    left_out = {judge_named(arena, "dead").pk: REASON}

    assert not store_figures(arena=arena, figures={"verdicts": 1}, left_out={})
    arena.refresh_from_db()
    assert arena.figures == {}
    assert store_figures(arena=arena, figures={"verdicts": 2}, left_out=left_out)


def test_what_is_there_is_counted_at_any_time(project: Project, member: Member) -> None:
    arena = two_judges(project)
    judge_all(arena, dead_is_dead)
    start_judging(arena=arena, actor=None, now=NOW)  # waits, and counting does not wait for it
    for person in (member(), member()):
        seat = claim_battle(arena=arena, person=person, now=NOW)
        assert seat is not None
        judge_battle(seat=seat, verdict="A>B", reason="", now=NOW)

    job = start_counting(arena=arena, actor=None, now=NOW)
    assert start_counting(arena=arena, actor=None, now=NOW) == job
    assert count_all(arena).state == JobState.DONE

    assert arena.figures["people"]["twice"] == 1
    assert arena.job is not None
    assert arena.job.state == JobState.QUEUED
    assert start_counting(arena=arena, actor=None, now=NOW) != job


def test_hidden_arena_is_on_no_leaderboard_until_it_is_shown(
    project: Project, member: Member
) -> None:
    take_submissions(project, is_board_public=True)
    arena, manager = make_arena(project), member(Role.MANAGER)
    Release.objects.filter(pk=arena.release_id).update(
        version="1.0.0", state=ReleaseState.PUBLISHED, published_at=NOW,
        counts={"test": 3, "black_box": 0},
    )  # fmt: skip
    judge_all(arena)
    board = "/api/v1/releases/ti/1.0.0/leaderboard/"

    def names() -> list[str]:
        return [each["name"] for each in Client().get(board).json()["arenas"]]

    assert names() == ["First"]
    with pytest.raises(ReasonMissing):
        hide_arena(arena=arena, reason="", actor=manager, now=NOW)
    for _again in range(2):
        hide_arena(arena=arena, reason="A trial.", actor=manager, now=NOW)
    assert names() == []
    assert arenas_of(arena.release) == ()
    with pytest.raises(ArenaHidden, match=r"A trial\."):
        hide_arena(arena=arena, reason="Other", actor=manager, now=NOW)
    with pytest.raises(ReasonChanged):
        show_arena(arena=arena, seen_reason="Other", actor=manager, now=NOW)
    for _again in range(2):
        show_arena(arena=arena, seen_reason="A trial.", actor=manager, now=NOW)
    assert names() == ["First"]
    assert events("arena.hidden") == [{"name": "First", "reason": "A trial."}]
    assert len(events("arena.shown")) == 1


def test_only_an_arena_without_verdicts_is_deleted(project: Project, member: Member) -> None:
    release = make_open_release(project)
    runs = [answered_run(release, name) for name in ("base", "good", "bad")]
    options: dict[str, Any] = {"release": release, "runs": runs, "judges": [make_judge(project)]}
    judged, said, open_ = (make_arena(project, name=name, **options) for name in "abc")
    judge_all(judged)
    seat = claim_battle(arena=said, person=member(), now=NOW)
    assert seat is not None
    judge_battle(seat=seat, verdict="A>B", reason="", now=NOW)
    for arena in (judged, said):
        with pytest.raises(ArenaHasVerdicts):
            delete_arena(arena=arena, actor=None, now=NOW)
        assert Arena.objects.get(pk=arena.pk).figures == arena.figures
    job = start_judging(arena=open_, actor=None, now=NOW)
    with pytest.raises(ArenaJudging):
        delete_arena(arena=open_, actor=None, now=NOW)
    provider = NullProvider(lambda request: "Nothing that can be read.")
    run_now(job, partial(perform_judging, connect=lambda endpoint: provider, limits=QUICK))
    claim_battle(arena=open_, person=member(), now=NOW)

    for _again in range(2):
        delete_arena(arena=open_, actor=None, now=NOW)

    assert list(project.arenas.order_by("pk")) == [judged, said]
    assert events("arena.deleted") == [{"name": "c", "battles": 6, "unreadable": 24}]


def test_job_of_a_deleted_arena_is_not_resumed(project: Project) -> None:
    arena = make_arena(project)
    job = start_judging(arena=arena, actor=None, now=NOW)
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED)
    job.refresh_from_db()
    assert get_kind(job.kind).can_resume(job)
    delete_arena(arena=arena, actor=None, now=NOW)

    assert not get_kind(job.kind).can_resume(job)
    with pytest.raises(ArenaDeleted):
        resume_job(job=job, actor=None, now=NOW)


def test_page_does_all_of_it(
    project: Project, member: Member, browser_of: Callable[[User], Client]
) -> None:
    arena = two_judges(project)
    judge_all(arena)
    browser, dead = browser_of(member(Role.MANAGER)), judge_named(arena, "dead")
    page = reverse("arena:arena", args=["ti", arena.pk])

    def post(name: str, *more: int, **data: str) -> str:
        url = reverse(f"arena:{name}", args=["ti", arena.pk, *more])
        assert browser.post(url, data).status_code == 302
        return " ".join(browser.get(page).text.split())

    shown = post("arena-judge", dead.pk, do="leave-out", reason=REASON)
    assert f"The judge dead is left out: {REASON}" in shown
    assert 'id="count-job"' in shown
    watched = browser.get(page, headers={"HX-Request": "true"})
    assert (watched.text.strip().startswith("<section"), "HX-Refresh" in watched) == (True, False)
    count_all(arena)
    assert browser.get(page, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    shown = " ".join(browser.get(page).text.split())
    assert f"dead counts for no rank, because a manager left it out: {REASON}" in shown
    assert "it agrees with people on" not in shown
    shown = post("arena-judge", dead.pk, do="bring-back", seen_reason=REASON)
    assert "is left out" not in shown
    assert "Delete this arena" not in shown
    assert "A trial." in post("change-arena", do="hide", reason="A trial.")
    assert "A trial." not in post("change-arena", do="show", seen_reason="A trial.")
    assert "Count again" in post("count-arena")
    for name, more in (("change-arena", ()), ("arena-judge", (dead.pk,))):
        url = reverse(f"arena:{name}", args=["ti", arena.pk, *more])
        assert browser.post(url, {"do": "dance"}).status_code == 400
        assert browser_of(member(Role.REVIEWER)).post(url).status_code == 403
    other = make_arena(
        project, name="Other", release=arena.release, runs=list(arena.release.runs.all())
    )
    url = reverse("arena:arena-judge", args=["ti", other.pk, dead.pk])
    assert browser.post(url, {"do": "leave-out", "reason": REASON}).status_code == 404
    url = reverse("arena:change-arena", args=["ti", other.pk])
    assert "Delete this arena" in browser.get(url.replace("change/", "")).text
    assert browser.post(url, {"do": "delete"}).status_code == 302
    assert list(project.arenas.all()) == [arena]


def test_api_does_all_of_it(
    project: Project, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    arena = two_judges(project)
    judge_all(arena)
    api, root = api_of(member(Role.MANAGER)), f"/api/v1/arenas/{arena.pk}/"
    dead = next(each for each in api.get(root).json()["judges"] if each["name"] == "dead")
    judge = f"{root}judges/{dead['id']}/"

    def patch(url: str, **body: Any) -> tuple[int, dict[str, Any]]:
        answer = api.patch(url, body, format="json")
        return answer.status_code, answer.json()

    assert patch(judge, is_left_out=True)[1]["code"] == "reason_missing"
    status, told = patch(judge, is_left_out=True, reason=REASON)
    reasons = {each["name"]: each["left_out_reason"] for each in told["judges"]}
    assert (status, reasons) == (200, {"dead": REASON, "careful": ""})
    assert count_all(arena).pk == told["count_job"]
    assert patch(judge, is_left_out=False, seen_reason="Other")[0] == 409
    assert patch(judge, is_left_out=False, seen_reason=REASON)[0] == 200
    assert patch(f"{root}judges/0/", is_left_out=False)[0] == 404
    counted = api.post(f"{root}count/")
    assert counted.status_code == 202
    assert run_now(Job.objects.get(pk=counted.json()["job"]), perform_counting).state == "done"
    assert patch(root, is_hidden=True, reason="A trial.")[1]["hidden_reason"] == "A trial."
    assert patch(root, is_hidden=False)[1]["hidden_reason"] == ""
    refused = api.delete(root)
    assert (refused.status_code, refused.json()["code"]) == (409, "arena_has_verdicts")
    ArenaCall.objects.update(verdict="")
    assert api.delete(root).status_code == 204
    assert api.get(root).status_code == 404


def test_command_does_all_of_it(project: Project) -> None:
    arena = two_judges(project)
    judge_all(arena, dead_is_dead)

    def run(*words: str) -> dict[str, Any]:
        out = StringIO()
        call_command("arena", "ti", *words, "--json", stdout=out)
        found: dict[str, Any] = json.loads(out.getvalue())
        return found

    told = run("leave-out", "First", "dead", "--reason", REASON)
    assert told == {"arena": "First", "judge": "dead", "left_out_reason": REASON}
    assert run("count", "First", "--wait")["state"] == "done"
    out = StringIO()
    call_command("arena", "ti", "table", "First", stdout=out)
    assert f"left out: {REASON}" in out.getvalue()
    assert run("bring-back", "First", "dead")["left_out_reason"] == ""
    assert run("hide", "First", "--reason", "A trial.")["hidden_reason"] == "A trial."
    assert run("show", "First")["hidden_reason"] == ""
    ArenaCall.objects.update(verdict="")
    assert run("delete", "First") == {"arena": "First", "is_deleted": True}
