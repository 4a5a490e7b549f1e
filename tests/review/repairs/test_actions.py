"""A batch does what was shown, once, by a job that can be resumed, and can be undone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.checks.actions import check_revision
from annotation.enums import Origin, TranslationState
from annotation.items.actions import exclude_item
from annotation.items.revisions import create_revision
from annotation.models import Finding, Item, Revision, Translation
from jobs.actions import JobNotRunnable, cancel_job, resume_job
from jobs.enums import JobState
from jobs.models import Job
from jobs.progress import JobCancelled, JobInterrupted, Progress
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from review.enums import LeftOut, PanelState, Selection
from review.models import Panel, RepairBatch
from review.repairs import actions
from review.repairs.actions import (
    NothingToRepair,
    PreviewOutdated,
    RepairsUndone,
    can_go_on,
    perform_repairs,
    start_repairs,
    start_undo,
)
from review.repairs.planning import RepairFilter, plan_repairs
from review.rounds.actions.choosing_guard import TextsBeingRepaired
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from tests.races import interleave
from tests.review.repairs.conftest import (
    BROKEN,
    ESCAPES,
    SOUND,
    repaired,
    started,
    text_of,
    undone,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Broken = Callable[..., Item]


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two texts are a transaction."""
    monkeypatch.setattr(actions, "TEXTS_AT_ONCE", 2)


@pytest.fixture
def manager(member: Callable[..., User]) -> User:
    return member(Role.MANAGER)


def stopped(job: Job, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]) -> Job:
    """Run a job that ends with `fault` after its first transaction."""

    def stop(self: Progress, done: int) -> None:
        if fault is JobCancelled:
            cancel_job(job=job, actor=None, now=timezone.now())
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "advance_to", stop)
        return run_now(job)


def open_all(project: Project) -> None:
    settings = RoundSettings(selection=Selection.ALL)
    open_round(project=project, settings=settings, actor=None, now=timezone.now())


def edited(item: Item, question: str = "བཟོ་བཅོས།") -> Revision:
    text = text_of(item)
    return create_revision(
        base=text, question=question, options=text.options, origin=Origin.HUMAN, author=None,
        now=timezone.now(),
    )  # fmt: skip


def test_batch_stores_new_texts_that_wait_for_review(
    project: Project, broken: Broken, manager: User
) -> None:
    items = [broken() for _ in range(3)]
    before = [text_of(item) for item in items]

    batch = repaired(project, manager)

    after = [text_of(item) for item in items]
    assert [(text.question, text.origin, text.author, text.number) for text in after] == [
        (SOUND, Origin.REPAIRED, None, 2)
    ] * 3
    assert [text.supersedes for text in after] == before
    assert not Finding.objects.filter(revision__in=after).exists()
    assert set(Translation.objects.values_list("state", flat=True)) == {TranslationState.PENDING}
    assert not Item.objects.filter(has_open_findings=True).exists()
    assert (batch.actor, batch.code, batch.text_count) == (manager, "escapes_left", 3)
    assert (batch.job.state, batch.job.result) == (JobState.DONE, {"repaired": 3, "left": {}})
    assert list(batch.texts.order_by("pk").values_list("before", "after")) == [
        (old.pk, new.pk) for old, new in zip(before, after, strict=True)
    ]


def test_batch_is_one_audit_event_with_the_name_of_who_started_it(
    project: Project, broken: Broken, manager: User
) -> None:
    broken(), broken()

    batch = repaired(project, manager)

    (event,) = AuditEvent.objects.filter(scope=project.slug).exclude(verb__contains=".started")
    assert (event.verb, event.actor, event.target) == (
        "texts.repaired",
        manager,
        f"repair:{batch.pk}",
    )
    assert event.data == {"code": "escapes_left", "repaired": 2, "left": {}}


def test_what_changed_since_the_preview_is_not_repaired(project: Project, broken: Broken) -> None:
    broken()
    digest = plan_repairs(project, ESCAPES).digest
    broken()

    with pytest.raises(PreviewOutdated):
        start_repairs(
            project=project, wanted=ESCAPES, digest=digest, actor=None, now=timezone.now()
        )

    assert not RepairBatch.objects.exists()


def test_batch_without_repairs_is_refused(project: Project, broken: Broken) -> None:
    broken(SOUND)

    with pytest.raises(NothingToRepair):
        started(project)


def test_texts_that_changed_before_the_job_came_are_left(project: Project, broken: Broken) -> None:
    changed, approved, excluded, good, another = (broken() for _ in range(5))
    batch = started(project)
    edited(changed)
    Translation.objects.filter(item=approved).update(state=TranslationState.APPROVED)
    exclude_item(item=excluded, reason="twice", actor=None, now=timezone.now())
    batch.texts.filter(before=text_of(another)).update(content_hash="0" * 64)

    job = run_now(batch.job)

    reasons = dict(batch.texts.values_list("before__translation__item", "left"))
    assert reasons == {
        changed.pk: LeftOut.CHANGED,
        approved.pk: LeftOut.APPROVED,
        excluded.pk: LeftOut.EXCLUDED,
        good.pk: "",
        another.pk: LeftOut.GONE,
    }
    assert job.result["repaired"] == 1
    assert text_of(good).question == SOUND
    assert text_of(another).question == BROKEN


def test_panel_that_came_before_the_job_keeps_its_text(project: Project, broken: Broken) -> None:
    item = broken()
    batch = started(project)
    Job.objects.filter(pk=batch.job_id).update(state=JobState.CANCELLED)
    open_all(project)
    resume_job(job=batch.job, actor=None, now=timezone.now())

    job = run_now(batch.job)

    assert job.result == {"repaired": 0, "left": {"being_judged": 1}}
    assert text_of(item).question == BROKEN


def test_job_that_was_cancelled_goes_on_and_repairs_nothing_twice(
    project: Project, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [broken() for _ in range(5)]
    batch = started(project)

    job = stopped(batch.job, monkeypatch, JobCancelled)
    assert (job.state, Revision.objects.filter(origin=Origin.REPAIRED).count()) == (
        JobState.CANCELLED,
        2,
    )
    resume_job(job=job, actor=None, now=timezone.now())
    job = run_now(job)

    assert (job.state, job.result["repaired"]) == (JobState.DONE, 5)
    assert [text_of(item).number for item in items] == [2] * 5
    assert AuditEvent.objects.filter(verb="texts.repaired").count() == 1


def test_job_whose_worker_died_goes_on_and_repairs_nothing_twice(
    project: Project, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [broken() for _ in range(5)]
    batch = started(project)

    job = stopped(batch.job, monkeypatch, JobInterrupted)
    assert (job.state, Revision.objects.count()) == (JobState.QUEUED, 7)
    job = run_now(job)

    assert (job.state, job.result["repaired"]) == (JobState.DONE, 5)
    assert [text_of(item).number for item in items] == [2] * 5


def test_finished_job_that_is_delivered_again_changes_nothing(
    project: Project, broken: Broken
) -> None:
    broken()
    batch = repaired(project)

    again = perform_repairs(batch.job, Progress(batch.job_id))

    assert again == {"repaired": 1, "left": {}}
    assert (Revision.objects.count(), AuditEvent.objects.filter(verb="texts.repaired").count()) == (
        2,
        1,
    )


def test_second_batch_and_a_round_wait_for_the_first(project: Project, broken: Broken) -> None:
    broken()
    started(project)

    with pytest.raises(TextsBeingRepaired):
        started(project)
    with pytest.raises(TextsBeingRepaired):
        open_all(project)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_two_who_start_the_same_batch_at_once_one_is_refused(
    project: Project, broken: Broken
) -> None:
    broken()

    first, second = interleave(
        lambda: started(project),
        lambda: started(project),
        behind='INSERT INTO "review_repairbatch"',
    )

    assert first is None
    assert isinstance(second, TextsBeingRepaired)
    assert RepairBatch.objects.count() == 1


def test_undo_brings_the_former_texts_back(project: Project, broken: Broken, manager: User) -> None:
    items = [broken() for _ in range(3)]
    before = [text_of(item) for item in items]
    batch = repaired(project)

    job = undone(batch, manager)

    assert (job.state, job.result) == (JobState.DONE, {"restored": 3, "kept": {}})
    assert [text_of(item) for item in items] == before
    assert Item.objects.filter(has_open_warnings=True).count() == 3
    (event,) = AuditEvent.objects.filter(verb="texts.repairs-undone")
    assert (event.actor, event.data["restored"]) == (manager, 3)
    assert not AuditEvent.objects.filter(verb="revision.restored").exists()


def test_undo_names_the_texts_it_leaves(project: Project, broken: Broken) -> None:
    changed, approved, rejected, disputed, judged, plain = (broken() for _ in range(6))
    batch = repaired(project)
    open_all(project)
    Panel.objects.exclude(item__in=[disputed, judged]).update(
        state=PanelState.SETTLED, outcome="approved"
    )
    Panel.objects.filter(item=disputed).update(state=PanelState.DISPUTED, outcome="disputed")
    edited(changed)
    Translation.objects.filter(item=approved).update(state=TranslationState.APPROVED)
    Translation.objects.filter(item=rejected).update(state=TranslationState.REJECTED)

    job = undone(batch)

    kept = dict(batch.texts.values_list("before__translation__item", "kept"))
    assert kept == {
        changed.pk: LeftOut.CHANGED,
        approved.pk: LeftOut.APPROVED,
        rejected.pk: LeftOut.REJECTED,
        disputed.pk: LeftOut.IN_DISPUTE,
        judged.pk: LeftOut.BEING_JUDGED,
        plain.pk: "",
    }
    assert job.result["restored"] == 1
    assert text_of(plain).question == BROKEN
    assert text_of(approved).question == SOUND


def test_undo_that_was_cancelled_goes_on(
    project: Project, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [broken() for _ in range(5)]
    batch = repaired(project)
    job = stopped(
        start_undo(batch=batch, actor=None, now=timezone.now()), monkeypatch, JobCancelled
    )
    assert sum(text_of(item).question == BROKEN for item in items) == 2

    resume_job(job=job, actor=None, now=timezone.now())
    job = run_now(job)

    assert (job.state, job.result) == (JobState.DONE, {"restored": 5, "kept": {}})
    assert [text_of(item).question for item in items] == [BROKEN] * 5


def test_batch_is_undone_once_and_then_its_job_cannot_be_resumed(
    project: Project, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        broken()
    batch = started(project)
    job = stopped(batch.job, monkeypatch, JobCancelled)
    undone(batch)

    assert not can_go_on(job)
    with pytest.raises(RepairsUndone):
        resume_job(job=job, actor=None, now=timezone.now())
    with pytest.raises(RepairsUndone):
        start_undo(batch=batch, actor=None, now=timezone.now())
    with pytest.raises(JobNotRunnable):
        resume_job(job=RepairBatch.objects.get().undo_job, actor=None, now=timezone.now())  # type: ignore[arg-type]


def test_text_that_was_brought_back_can_be_repaired_again(project: Project, broken: Broken) -> None:
    item = broken()
    undone(repaired(project))

    repaired(project)

    assert (text_of(item).question, text_of(item).number) == (SOUND, 3)


def test_texts_of_a_system_that_is_not_under_review_are_repaired(
    project: Project, broken: Broken
) -> None:
    item = broken(SOUND)
    other = Translation.objects.create(item=item, system="other", created_at=timezone.now())
    text: Any = Revision.objects.create(
        translation=other, number=1, question=BROKEN, options=text_of(item).options,
        origin=Origin.MT, content_hash="", created_at=timezone.now(),
    )  # fmt: skip
    Translation.objects.filter(pk=other.pk).update(current_revision=text)
    check_revision(revision=text, now=timezone.now())

    batch = started(project, wanted=RepairFilter(code="escapes_left", system="other"))
    run_now(batch.job)

    other.refresh_from_db()
    assert other.current_revision and other.current_revision.question == SOUND
    assert text_of(item).number == 1
