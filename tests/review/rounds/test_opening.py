"""Rounds of many items: filled in short transactions, by a job, all or nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Count
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.items.revisions import create_revision
from annotation.models import Item, Revision, Translation
from jobs.actions import cancel_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import Progress
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from review.enums import RoundState, Selection
from review.models import Assignment, Panel, Round
from review.report.selectors import open_round_of
from review.rounds.actions import opening, rounds
from review.rounds.actions.opening import perform_opening
from review.rounds.actions.rounds import discard_round, open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat
from review.seats.refusals import RoundOpening
from tests.markup import squeezed

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Items = Callable[[int], None]


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five items are many here, and two are a batch."""
    monkeypatch.setattr(rounds, "OPENED_AT_ONCE", 4)
    monkeypatch.setattr(opening, "BATCH", 2)


def queued(project: Project, **settings: Any) -> Round:
    return open_round(
        project=project,
        settings=RoundSettings(**{"selection": Selection.ALL, **settings}),
        actor=None,
        now=timezone.now(),
        is_in_background=True,
    )


def job_of(round_: Round) -> Job:
    assert round_.job is not None
    return round_.job


def stop_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill the worker in the middle of its work."""
    add, done = opening._add_panels, []

    def killed(*arguments: Any) -> None:
        if len(done) == batches:
            raise SystemExit("killed")
        done.append(1)
        add(*arguments)

    monkeypatch.setattr(opening, "_add_panels", killed)


def test_few_items_open_at_once_without_a_job(project: Project, items: Items) -> None:
    items(4)

    round_ = queued(project)

    assert (round_.state, round_.job, round_.panel_count) == (RoundState.OPEN, None, 4)


def test_many_items_open_by_a_job_and_nobody_gets_a_seat_before(
    project: Project, items: Items, member: Callable[..., User]
) -> None:
    items(5)
    reviewer = member(Role.REVIEWER)

    round_ = queued(project)

    assert (round_.state, Panel.objects.count()) == (RoundState.OPENING, 0)
    assert open_round_of(project) is None
    with pytest.raises(RoundOpening):
        claim_seat(round_=round_, reviewer=reviewer, now=timezone.now())
    assert not AuditEvent.objects.filter(verb="round.opened").exists()

    job = run_now(job_of(round_))

    round_.refresh_from_db()
    assert (job.state, job.result, job.total) == (JobState.DONE, {"round": 1}, 5)
    assert (round_.state, round_.panel_count) == (RoundState.OPEN, 5)
    assert list(Panel.objects.order_by("pk").values_list("position", flat=True)) == [1, 2, 3, 4, 5]
    seats = Assignment.objects.values("panel").annotate(n=Count("pk")).values_list("n", flat=True)
    assert list(seats) == [2] * 5
    assert claim_seat(round_=round_, reviewer=reviewer, now=timezone.now())
    assert AuditEvent.objects.filter(verb="round.opened").count() == 1


def test_claim_while_the_round_is_being_opened_says_that_it_will_be_there_in_a_moment(
    project: Project,
    items: Items,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    items(5)
    round_ = queued(project)
    reviewer = member(Role.REVIEWER)
    browser, workbench = browser_of(reviewer), "/projects/ti/rounds/1/workbench/"

    answer = api_of(reviewer).post(f"/api/v1/rounds/{round_.pk}/claim/")
    page = browser.get(workbench).content.decode()
    after_claim = browser.post("/projects/ti/rounds/1/claim/", follow=True).content.decode()
    fragment = browser.post(
        "/projects/ti/rounds/1/reserve/", headers={"Lotsawa-Fragment": "items"}
    ).content.decode()

    assert (answer.status_code, answer.json()["code"]) == (409, "round_opening")
    assert int(answer["Retry-After"]) > 0
    for said in (answer.json()["detail"], page, after_claim, fragment):
        assert squeezed(said).count("is being opened") == 1
        assert "closed" not in squeezed(said)


def test_panels_of_a_round_filled_by_batches_are_those_of_one_opened_at_once(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(7)
    columns = ("item", "revision", "position", "state", "outcome", "reasons", "tally")
    first = queued(project, panel_size=3)
    run_now(job_of(first))
    by_batches = list(first.panels.order_by("position").values_list(*columns))
    discard_round(round_=Round.objects.get(), actor=None, now=timezone.now())

    monkeypatch.setattr(rounds, "OPENED_AT_ONCE", 100)
    at_once = list(queued(project).panels.order_by("position").values_list(*columns))

    assert by_batches == at_once


def test_killed_opening_is_taken_up_again(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(6)
    round_ = queued(project)
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(SystemExit):
            perform_opening(job_of(round_), Progress(job_of(round_).pk))
    assert (Panel.objects.count(), Round.objects.get().state) == (4, RoundState.OPENING)

    job = run_now(job_of(round_))

    assert (job.state, Round.objects.get().state) == (JobState.DONE, RoundState.OPEN)
    assert (Panel.objects.count(), Assignment.objects.count()) == (6, 12)


def test_killed_opening_can_be_cancelled_and_leaves_nothing(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(6)
    round_ = queued(project)
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(SystemExit):
            perform_opening(job_of(round_), Progress(job_of(round_).pk))

    cancel_job(job=job_of(round_), actor=None, now=timezone.now())

    assert not (Round.objects.exists() or Panel.objects.exists() or Assignment.objects.exists())
    assert Job.objects.get().state == JobState.CANCELLED
    assert AuditEvent.objects.get(verb="round-opening.cancelled").data == {"round": 1}
    assert queued(project).number == 1


def test_job_cancelled_while_it_runs_removes_the_round(project: Project, items: Items) -> None:
    items(6)
    round_ = queued(project)
    job = job_of(round_)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING)
    cancel_job(job=job, actor=None, now=timezone.now())
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)

    ended = run_now(job)

    assert ended.state == JobState.CANCELLED
    assert not (Round.objects.exists() or Panel.objects.exists() or Assignment.objects.exists())


def test_worker_that_lost_its_round_adds_nothing(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(6)
    round_ = queued(project)
    add = opening._add_panels

    def overtaken(*arguments: Any) -> None:
        add(*arguments)
        Round.objects.filter(pk=round_.pk).update(panel_count=0)  # another began anew

    monkeypatch.setattr(opening, "_add_panels", overtaken)
    job = run_now(job_of(round_))

    assert (job.state, Panel.objects.count()) == (JobState.QUEUED, 2)


def test_discarded_opening_cannot_be_resumed(project: Project, items: Items) -> None:
    items(5)
    round_ = queued(project)
    discard_round(round_=round_, actor=None, now=timezone.now())
    job = Job.objects.get()
    resume_job(job=job, actor=None, now=timezone.now())

    ended = run_now(job)

    assert (ended.state, ended.error_code) == (JobState.FAILED, "round_discarded")
    assert not Round.objects.exists()


def test_opening_whose_items_are_all_gone_leaves_no_round(project: Project, items: Items) -> None:
    items(5)
    round_ = queued(project)
    project.items.update(state="excluded")

    ended = run_now(job_of(round_))

    assert (ended.state, ended.error_code) == (JobState.FAILED, "nothing_to_review")
    assert not Round.objects.exists()


def test_text_corrected_while_the_round_is_filled_is_the_one_judged(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(5)
    round_ = queued(project)
    first = project.items.order_by("uid").first()
    add = opening._add_panels

    def corrected(*arguments: Any) -> None:
        add(*arguments)
        if arguments[-1] == 0:
            old = first.working_translation.current_revision
            create_revision(
                base=old,
                question="གསར།",
                options=old.options,
                origin="human",
                author=None,
                now=timezone.now(),
            )

    monkeypatch.setattr(opening, "_add_panels", corrected)
    run_now(job_of(round_))

    assert Panel.objects.get(item=first).revision.number == 2


def groups_of_panels(panels: Any) -> list[tuple[int, str, bool]]:
    return [(each.subject_id, each.system, each.is_dev) for each in panels]


def groups_of_items(panels: Any) -> list[tuple[int, str, bool]]:
    """What each panel repeats, read from where it stands."""
    return [
        (each.item.subject_id, each.revision.translation.system, each.item.split == "dev")
        for each in panels
    ]


def test_panels_repeat_what_figures_are_grouped_by(project: Project, items: Items) -> None:
    items(4)
    project.items.filter(uid="s/00002").update(split="dev")

    round_ = queued(project)

    panels = Panel.objects.filter(round=round_).order_by("item__uid")
    assert groups_of_panels(panels) == groups_of_items(panels)
    assert [each.is_dev for each in panels] == [False, False, True, False]


def test_text_of_another_system_chosen_while_the_round_is_filled_is_counted_for_it(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(5)
    round_ = queued(project)
    item = project.items.earliest("uid")
    other = Translation.objects.create(item=item, system="other", created_at=timezone.now())
    text = Revision.objects.create(
        translation=other,
        number=1,
        question="གཞན།",
        options=["ཀ", "ཁ", "ག", "ང"],
        origin="mt",
        created_at=timezone.now(),
    )
    add = opening._add_panels

    def chosen(*arguments: Any) -> None:
        add(*arguments)
        Translation.objects.filter(pk=other.pk).update(current_revision=text)
        Item.objects.filter(pk=item.pk).update(working_translation=other)

    monkeypatch.setattr(opening, "_add_panels", chosen)
    run_now(job_of(round_))

    panel = Panel.objects.get(item=item)
    assert (panel.revision, panel.system) == (text, "other")


def test_second_round_is_refused_while_one_is_being_opened(project: Project, items: Items) -> None:
    items(5)
    queued(project)

    with pytest.raises(rounds.RoundBeingOpened):
        queued(project)


def test_pages_say_that_a_round_is_being_opened(
    project: Project,
    items: Items,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    items(5)
    queued(project)
    browser = browser_of(member(Role.MANAGER))

    for page in ("", "rounds/", "rounds/open/"):
        shown = browser.get(f"/projects/{project.slug}/{page}").content.decode()
        assert "Round 1 is being opened" in shown
        assert "still open" not in shown
        assert "judgements</small>" not in shown
        assert f'href="/projects/{project.slug}/rounds/open/"' not in shown


def test_command_that_fails_in_the_middle_leaves_no_round(
    project: Project, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(6)
    stop_after(1, monkeypatch)

    with pytest.raises(SystemExit):
        open_round(project=project, settings=RoundSettings(), actor=None, now=timezone.now())

    assert not (Round.objects.exists() or Panel.objects.exists())
