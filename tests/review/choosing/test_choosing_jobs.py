"""Choosing the texts of many items: a job, one thing to undo, and nothing else meanwhile."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.items.queries import ItemFilter
from annotation.models import Item
from common.errors import DomainError
from jobs.actions import JobNotRunnable, cancel_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import JobCancelled, Progress
from jobs.queries import is_worth_resuming
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from review.choosing.actions import choosing
from review.choosing.actions import jobs as choosing_jobs
from review.choosing.actions.choosing import (
    ChoiceFixed,
    Chosen,
    NothingRanked,
    SystemUnknown,
    choose_for_item,
    undo_choice,
)
from review.choosing.actions.jobs import WantedTexts, choose_or_queue, choose_wanted, undo_or_queue
from review.choosing.text_choices import latest_choices
from review.enums import RoundKind, Selection
from review.models import ChosenText, Round, TextChoice
from review.rounds.actions import rounds
from review.rounds.actions.choosing_guard import RoundBeingOpened, TextsBeingChosen
from review.rounds.actions.rounds import close_round, discard_round, open_round
from review.rounds.actions.settings import RoundSettings
from tests.review.kinds import add_system, compare, opinion

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
OTHER = WantedTexts(system="other")
CHOOSE = "/api/v1/projects/ti/translations/choose/"
CHOICES = "/api/v1/projects/ti/translations/choices/"


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five items are many here, and two are a batch."""
    monkeypatch.setattr(choosing_jobs, "CHOSEN_AT_ONCE", 4)
    monkeypatch.setattr(choosing, "AT_ONCE", 2)


@pytest.fixture
def five(project: Project, items: Callable[[int], None]) -> list[Item]:
    """Five items with the texts of "mt", which goes on, and "other"."""
    items(5)
    add_system(project)
    return list(project.items.order_by("uid"))


@pytest.fixture
def manager(member: Callable[..., User]) -> User:
    return member(Role.MANAGER)


def asked(project: Project, wanted: WantedTexts = OTHER, actor: User | None = None) -> Job:
    found = choose_or_queue(project=project, wanted=wanted, actor=actor, now=timezone.now())
    assert isinstance(found, Job)
    return found


def asked_to_undo(project: Project, actor: User | None = None) -> Job:
    (choice,) = latest_choices(project)
    found = undo_or_queue(choice=choice, actor=actor, now=timezone.now())
    assert isinstance(found, Job)
    return found


def opened_round(project: Project, **how: Any) -> Round:
    settings = RoundSettings(selection=Selection.ALL)
    return open_round(project=project, settings=settings, actor=None, now=timezone.now(), **how)


def stopped(job: Job, monkeypatch: pytest.MonkeyPatch, *, batches: int) -> Job:
    """Run a job and cancel it after so many of its batches."""
    advance, seen = Progress.advance_to, []

    def advance_and_cancel(self: Progress, done: int) -> None:
        seen.append(done)
        if len(seen) == batches:
            cancel_job(job=job, actor=None, now=timezone.now())
            raise JobCancelled
        advance(self, done)

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "advance_to", advance_and_cancel)
        return run_now(job)


def resumed(job: Job) -> Job:
    resume_job(job=job, actor=None, now=timezone.now())
    return run_now(job)


def systems(project: Project) -> list[str]:
    rows = project.items.order_by("uid").values_list("working_translation__system", flat=True)
    return list(rows)


def test_few_items_are_chosen_and_undone_at_once(
    project: Project, items: Callable[[int], None]
) -> None:
    items(4)
    add_system(project)

    done = choose_or_queue(project=project, wanted=OTHER, actor=None, now=timezone.now())
    (choice,) = latest_choices(project)
    undone = undo_or_queue(choice=choice, actor=None, now=timezone.now())

    assert (done, undone) == (Chosen(changed=4), 4)
    assert not Job.objects.exists()


def test_many_items_are_chosen_by_a_job_and_undone_by_another(
    project: Project, five: list[Item], manager: User
) -> None:
    job = asked(project, actor=manager)
    assert systems(project) == ["mt"] * 5
    assert latest_choices(project) == []

    ended = run_now(job)

    assert (ended.state, ended.total, ended.done) == (JobState.DONE, 5, 5)
    assert Chosen(**ended.result) == Chosen(changed=5)
    assert systems(project) == ["other"] * 5
    (choice,) = latest_choices(project)
    assert (choice.why, choice.item_count, choice.actor) == ("other", 5, manager)

    undone = run_now(asked_to_undo(project, manager))

    assert (undone.state, undone.result) == (JobState.DONE, {"restored": 5})
    assert systems(project) == ["mt"] * 5
    assert latest_choices(project) == []
    events = AuditEvent.objects.filter(verb="item.translation_chosen")
    assert set(events.values_list("actor", flat=True)) == {manager.pk}
    assert events.count() == 10


def test_many_items_of_a_comparison_are_chosen_by_a_job(
    project: Project,
    five: list[Item],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)
    (user,) = reviewers(1)
    compare(round_, user, {"mt": opinion(rank=2), "other": opinion(rank=1)})
    round_ = close_round(round_=round_, actor=None, now=timezone.now())

    ended = run_now(asked(project, WantedTexts(best_of=round_, ties_to="mt")))

    assert Chosen(**ended.result) == Chosen(changed=1, without=4)
    assert systems(project).count("other") == 1
    assert latest_choices(project)[0].why == f"round {round_.number}"


def test_cancelled_choice_is_one_thing_to_undo_when_it_was_resumed(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stopped(asked(project), monkeypatch, batches=1)
    assert (job.state, systems(project).count("other")) == (JobState.CANCELLED, 2)
    assert latest_choices(project)[0].item_count == 2

    ended = resumed(job)

    assert (ended.state, Chosen(**ended.result)) == (JobState.DONE, Chosen(changed=5))
    assert TextChoice.objects.get().item_count == ChosenText.objects.count() == 5
    run_now(asked_to_undo(project))
    assert systems(project) == ["mt"] * 5


def test_resumed_choice_leaves_an_item_that_somebody_gave_another_text_meanwhile(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stopped(asked(project), monkeypatch, batches=1)
    choose_for_item(
        item=five[0], system="mt", is_reviewed_included=False, actor=None, now=timezone.now()
    )

    ended = resumed(job)

    assert ended.state == JobState.DONE
    assert systems(project) == ["mt", *["other"] * 4]


def test_cancelled_choice_can_be_undone_and_not_resumed_after_that(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stopped(asked(project), monkeypatch, batches=1)
    (choice,) = latest_choices(project)
    assert is_worth_resuming(job)

    assert undo_or_queue(choice=choice, actor=None, now=timezone.now()) == 2

    assert systems(project) == ["mt"] * 5
    assert not is_worth_resuming(job)
    with pytest.raises(ChoiceFixed):
        resume_job(job=job, actor=None, now=timezone.now())


def test_cancelled_undoing_goes_on_where_it_stopped(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_now(asked(project))
    job = stopped(asked_to_undo(project), monkeypatch, batches=2)
    assert systems(project).count("mt") == 4

    ended = resumed(job)

    assert (ended.state, ended.result) == (JobState.DONE, {"restored": 5})
    assert systems(project) == ["mt"] * 5


def test_undoing_that_was_killed_at_its_end_ends_well(project: Project, five: list[Item]) -> None:
    run_now(asked(project))
    job = asked_to_undo(project)
    choosing_jobs.perform_undoing(job, Progress(job.pk))

    assert (run_now(job).state, job.result) == (JobState.DONE, {"restored": 5})


def test_choice_that_was_cancelled_is_not_resumed_once_a_round_was_opened(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stopped(asked(project), monkeypatch, batches=1)
    opened_round(project)

    with pytest.raises(ChoiceFixed):
        resume_job(job=job, actor=None, now=timezone.now())
    assert Job.objects.get(pk=job.pk).state == JobState.CANCELLED


def test_round_is_not_opened_while_a_job_chooses_texts(project: Project, five: list[Item]) -> None:
    job = asked(project)

    with pytest.raises(TextsBeingChosen) as refusal:
        opened_round(project)

    assert f"Job {job.pk} is choosing" in str(refusal.value)
    assert not Round.objects.exists()
    cancel_job(job=job, actor=None, now=timezone.now())
    assert opened_round(project).panel_count == 5


def test_round_is_opened_while_a_job_chooses_texts_of_another_project(
    project: Project, five: list[Item]
) -> None:
    job = asked(project)
    Job.objects.filter(pk=job.pk).update(scope="elsewhere")

    assert opened_round(project).panel_count == 5


def test_nothing_else_is_chosen_or_undone_while_a_job_chooses_texts(
    project: Project, five: list[Item]
) -> None:
    choose_for_item(
        item=five[0], system="other", is_reviewed_included=False, actor=None, now=timezone.now()
    )
    (choice,) = latest_choices(project)
    asked(project)

    with pytest.raises(TextsBeingChosen):
        asked(project)
    with pytest.raises(TextsBeingChosen):
        choose_wanted(project=project, wanted=OTHER, actor=None, now=timezone.now())
    with pytest.raises(TextsBeingChosen):
        undo_choice(choice=choice, actor=None, now=timezone.now())
    assert systems(project) == ["other", *["mt"] * 4]


def test_preview_is_shown_while_a_job_chooses_texts(project: Project, five: list[Item]) -> None:
    asked(project)

    would = choose_wanted(
        project=project, wanted=OTHER, actor=None, now=timezone.now(), is_preview=True
    )

    assert would == Chosen(changed=5)


def test_cancelled_job_is_not_resumed_while_another_chooses_texts(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = stopped(asked(project), monkeypatch, batches=1)
    asked(project)

    with pytest.raises(TextsBeingChosen):
        resume_job(job=first, actor=None, now=timezone.now())


def test_running_job_is_not_resumed(project: Project, five: list[Item]) -> None:
    with pytest.raises(JobNotRunnable):
        resume_job(job=asked(project), actor=None, now=timezone.now())


def test_no_text_is_chosen_while_a_round_is_being_opened(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled = stopped(asked(project), monkeypatch, batches=1)
    monkeypatch.setattr(rounds, "OPENED_AT_ONCE", 4)
    round_ = opened_round(project, is_in_background=True)

    with pytest.raises(RoundBeingOpened) as refusal:
        asked(project)
    assert "Round 1 is being opened" in str(refusal.value)
    with pytest.raises(RoundBeingOpened):
        choose_for_item(
            item=five[4], system="other", is_reviewed_included=True, actor=None, now=timezone.now()
        )
    with pytest.raises(RoundBeingOpened):
        resume_job(job=cancelled, actor=None, now=timezone.now())
    discard_round(round_=round_, actor=None, now=timezone.now())
    assert resumed(cancelled).state == JobState.DONE


@pytest.mark.django_db(transaction=True)
def test_of_a_choice_and_an_opening_at_the_same_moment_one_is_refused(
    project: Project, five: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "OPENED_AT_ONCE", 4)
    both, said = threading.Barrier(2, timeout=60), []

    def begin(work: Callable[[], Any]) -> None:
        both.wait()
        try:
            work()
        except DomainError as error:
            said.append(type(error))
        finally:
            connection.close()

    works = (lambda: asked(project), lambda: opened_round(project, is_in_background=True))
    threads = [threading.Thread(target=begin, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert said in ([TextsBeingChosen], [RoundBeingOpened])
    assert Round.objects.count() + TextChoice.objects.count() == 1


@pytest.mark.parametrize(
    ("wanted", "refusal"),
    [
        (WantedTexts(system="nobody"), SystemUnknown),
        (WantedTexts(best_of=Round(number=9)), NothingRanked),
    ],
)
def test_what_cannot_be_chosen_is_refused_before_a_job_is_made(
    project: Project, five: list[Item], wanted: WantedTexts, refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        asked(project, wanted)
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    "wanted",
    [
        WantedTexts(system="other", item_filter=ItemFilter(q="s/"), is_reviewed_included=True),
        OTHER,
    ],
)
def test_what_is_wanted_comes_back_from_what_the_job_stores(
    project: Project, wanted: WantedTexts
) -> None:
    assert WantedTexts.from_params(project, wanted.as_params()) == wanted


def test_api_answers_202_with_the_job_and_then_with_its_result(
    project: Project, five: list[Item], manager: User, api_of: Callable[[User], APIClient]
) -> None:
    api = api_of(manager)

    answer = api.post(CHOOSE, {"system": "other"}, format="json")
    job = Job.objects.get()
    assert (answer.status_code, answer.json()) == (202, {"job": job.pk})
    again = api.post(CHOOSE, {"system": "other"}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "texts_being_chosen")
    assert again.json()["current"] == {"job": job.pk}
    run_now(job)
    assert api.get(f"/api/v1/jobs/{job.pk}/").json()["result"]["changed"] == 5

    (choice,) = api.get(CHOICES).json()
    undone = api.post(f"{CHOICES}{choice['id']}/undo/")
    last = Job.objects.latest("pk")
    assert (undone.status_code, undone.json()) == (202, {"job": last.pk})
    assert run_now(last).result == {"restored": 5}


def test_api_cancels_the_job_of_a_choice_for_those_who_may_choose(
    project: Project,
    five: list[Item],
    member: Callable[..., User],
    api_of: Callable[[User], APIClient],
) -> None:
    job = asked(project)
    url = f"/api/v1/jobs/{job.pk}/cancel/"

    assert api_of(member(Role.REVIEWER)).post(url).status_code == 403
    assert api_of(member(Role.SENIOR)).post(url).status_code == 200
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_pages_lead_to_the_job_and_say_that_one_is_there(
    project: Project, five: list[Item], manager: User, browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(manager)
    page, each = "/projects/ti/translations/choose/", "/projects/ti/translations/items/"

    sent = browser.post(page, {"what": "system:other"})
    job = Job.objects.get()
    assert (sent.status_code, sent["Location"]) == (302, f"/jobs/{job.pk}/")
    for url in (page, each):
        assert f'href="/jobs/{job.pk}/"' in browser.get(url).content.decode()
    again = browser.post(page, {"what": "system:other"})
    assert (again.status_code, f"Job {job.pk} is choosing" in again.content.decode()) == (400, True)
    run_now(job)
    shown = browser.get(f"/jobs/{job.pk}/").content.decode()
    assert "Items with another text now: 5." in shown

    choice = TextChoice.objects.get()
    undo = browser.post(f"/projects/ti/translations/choices/{choice.pk}/undo/")
    last = Job.objects.latest("pk")
    assert undo["Location"] == f"/jobs/{last.pk}/"
    run_now(last)
    assert (
        "5 items have their earlier texts again." in browser.get(undo["Location"]).content.decode()
    )
    assert f'href="/jobs/{last.pk}/"' not in browser.get(page).content.decode()


def test_page_of_the_best_rated_texts_leads_to_the_job(
    project: Project,
    five: list[Item],
    manager: User,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    browser_of: Callable[[User], Client],
) -> None:
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)
    compare(round_, reviewers(1)[0], {"mt": opinion(rank=2), "other": opinion(rank=1)})
    close_round(round_=round_, actor=None, now=timezone.now())
    browser, url = browser_of(manager), "/projects/ti/translations/items/best/"

    sent = browser.post(url, {"best-round": round_.number})

    assert sent["Location"] == f"/jobs/{Job.objects.get().pk}/"


def test_job_reads_what_was_said_of_one_batch_at_a_time(
    project: Project,
    five: list[Item],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> None:
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)
    (person,) = reviewers(1)
    for rank in (1, 2, 1, 2):
        compare(round_, person, {"mt": opinion(rank=3 - rank), "other": opinion(rank=rank)})
    round_ = close_round(round_=round_, actor=None, now=timezone.now())
    job = asked(project, WantedTexts(best_of=round_))

    with CaptureQueriesContext(connection) as queries:
        ended = run_now(job)

    read = [row for row in queries if 'FROM "review_comparedtext"' in row["sql"]]
    assert len(read) == 3
    assert (ended.total, ended.done) == (5, 5)
    assert Chosen(**ended.result) == Chosen(changed=2, same=2, without=1)
