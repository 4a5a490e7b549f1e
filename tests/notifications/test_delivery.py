"""Who is told what, once, and only what they may know."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.actions import record_event
from accounts.models import AuditEvent, User
from annotation.models import Item
from jobs.enums import JobState
from jobs.models import Job
from notifications.actions import delivery
from notifications.actions.counting import recount
from notifications.actions.delivery import SETTLED_AFTER, advance_cursor, deliver_events
from notifications.models import Cursor, Notification, ToldEvent
from notifications.presenters import present
from notifications.queries import notifications_for, shown
from projects.actions import remove_member
from projects.enums import Role
from projects.models import Project
from review.comments.actions import add_comment
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.actions.bulk import approve_disputes
from review.disputes.actions.reopening import reopen_dispute
from review.disputes.actions.substitutes import name_substitute
from review.disputes.queue import QueueFilter
from review.enums import Outcome, PanelState
from review.models import Comment, Judgement, Panel, Round, Substitute
from review.people.work import WorkFilter, work_of
from review.rounds.actions.rounds import discard_round
from tests.factories import JobFactory
from tests.notifications.conftest import told

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
Work = Callable[..., None]


@pytest.fixture
def manager(member: Member) -> User:
    return member(Role.MANAGER, name="Dolma")


@pytest.fixture
def item(items: Callable[[int], None]) -> Item:
    items(1)
    return Item.objects.select_related("project").get()


def say(user: User, text: str, thread: Comment | None = None) -> Comment:
    return add_comment(
        item=Item.objects.select_related("project").get(),
        thread=thread,
        text=text,
        idempotency_key=uuid.uuid4().hex,
        actor=user,
        now=timezone.now(),
    )


def settle(senior: User, kind: str = "approve") -> None:
    panel = Panel.objects.select_related(
        "round__project", "round__guideline", "item__project", "revision__translation"
    ).get()
    adjudicate_panel(
        panel=panel,
        senior=senior,
        content=DecisionContent(kind=kind, reason="because"),
        now=timezone.now(),
    )


def event(project: Project, verb: str, target: str = "", **more: Any) -> AuditEvent:
    actor = more.pop("actor", None)
    return record_event(
        actor=actor, verb=verb, target=target, scope=project.slug, now=timezone.now(), data=more
    )


def unread(user: User) -> int:
    return User.objects.get(pk=user.pk).unread_count


def test_people_named_and_people_of_the_thread_are_told_once(
    item: Item, pema: User, tashi: User, manager: User, work: Work
) -> None:
    thread = say(pema, "the term? @Dolma")
    say(tashi, "yes", thread)
    say(manager, "@Tashi is right", thread)
    work()
    work()
    assert told(manager) == [("mentioned", "Pema mentioned you in a comment on s/00000.")]
    assert told(pema) == [
        ("replied", "Dolma replied in a thread on s/00000."),
        ("replied", "Somebody replied in a thread on s/00000."),
    ]
    assert told(tashi) == [("mentioned", "Dolma mentioned you in a comment on s/00000.")]
    assert [unread(user) for user in (pema, tashi, manager)] == [2, 1, 1]


def test_nobody_is_told_of_a_comment_before_they_may_read_it(
    opened: Open, judge: Judge, pema: User, senior: User, tashi: User, work: Work
) -> None:
    round_ = opened(1, panel_size=2)
    work()
    Notification.objects.all().delete()
    say(pema, "@seniors, the term?")
    work()
    assert told(senior) == []

    judge(round_, pema)
    judge(round_, tashi, verdict="reject")
    work()
    assert [kind for kind, _text in told(senior)] == ["mentioned"]
    assert unread(senior) == 1


def test_settled_dispute_is_told_to_its_judges_by_what_became_of_their_judgement(
    opened: Open, judge: Judge, pema: User, tashi: User, senior: User, work: Work
) -> None:
    round_ = opened(1, panel_size=2)
    judge(round_, pema)
    judge(round_, tashi, verdict="reject")
    work()
    Notification.objects.all().delete()
    settle(senior)
    work()
    assert told(pema) == [("settled", "The dispute about s/00000, which you judged, was settled.")]
    assert [kind for kind, _text in told(tashi)] == ["overturned"]
    assert told(senior) == []


def test_disputes_that_were_settled_together_are_told_once(
    opened: Open,
    judge: Judge,
    pema: User,
    tashi: User,
    senior: User,
    project: Project,
    work: Work,
) -> None:
    round_ = opened(3, panel_size=2)
    for _number in range(3):
        judge(round_, pema)
        judge(round_, tashi, verdict="reject")
    work()
    Notification.objects.all().delete()
    approve_disputes(
        project=project,
        senior=senior,
        wanted=QueueFilter(verdicts="AR"),
        reason="It reads well.",
        before=timezone.now(),
        now=timezone.now(),
    )
    work()
    together = "settled together"
    assert told(pema) == [
        (
            "settled",
            f"Disputes that you judged were {together}, among them the one about s/00000.",
        )
    ]
    against = f"Disputes were {together} against your judgement, among them the one about s/00000."
    assert told(tashi) == [("overturned", against)]
    assert unread(tashi) == 1


def test_reopened_dispute_is_told_to_its_judges_and_open_again_in_their_work(
    opened: Open, judge: Judge, pema: User, tashi: User, senior: User, work: Work
) -> None:
    round_ = opened(1, panel_size=2)
    judge(round_, pema)
    judge(round_, tashi, verdict="reject")
    settle(senior)
    work()
    Notification.objects.all().delete()
    reopen_dispute(panel=Panel.objects.get(), senior=senior, reason="a slip", now=timezone.now())
    work()
    words = "The dispute about s/00000, which you judged, is open again."
    assert told(pema) == told(tashi) == [("reopened", words)]
    assert told(senior) == []
    fates = [row.fate for user in (pema, tashi) for row in work_of(user, WorkFilter())]
    assert fates == ["disputed", "disputed"]

    settle(senior)
    work()
    assert [kind for kind, _text in told(pema)] == ["settled", "reopened"]


def test_round_is_told_to_those_whom_it_asks(
    opened: Open, member: Member, pema: User, tashi: User, senior: User, work: Work,
    project: Project,
) -> None:  # fmt: skip
    project.memberships.filter(user=tashi).update(is_paused=True)
    other = member(Role.REVIEWER)
    project.memberships.filter(user=other).update(languages=["lo"])
    viewer = member(Role.VIEWER)
    round_ = opened(1)
    work()
    assert told(pema) == [("round_opened", f"Round {round_.number} is open and asks you to judge.")]
    assert [kind for kind, _text in told(senior)] == ["round_opened"]
    assert told(tashi) == told(other) == told(viewer) == []


def test_discarded_round_is_told_no_more(opened: Open, pema: User, work: Work) -> None:
    round_ = opened(1)
    work()
    discard_round(round_=round_, actor=None, now=timezone.now())
    assert told(pema) == []


def test_end_of_a_job_is_told_to_who_started_it(
    project: Project, manager: User, work: Work
) -> None:
    job = JobFactory(scope=project.slug, state=JobState.RUNNING)
    event(project, "duplicate-search.started", f"job:{job.pk}", actor=manager)
    event(project, "duplicate-search.resumed", f"job:{job.pk}", actor=manager)
    work()
    assert told(manager) == []
    Job.objects.filter(pk=job.pk).update(state=JobState.FAILED)
    work()
    work()
    assert [kind for kind, _text in told(manager)] == ["job_ended"]
    assert unread(manager) == 1


def test_cancelled_job_is_not_told(project: Project, manager: User, work: Work) -> None:
    job = JobFactory(scope=project.slug, state=JobState.CANCELLED)
    event(project, "duplicate-search.started", f"job:{job.pk}", actor=manager)
    work()
    assert not Notification.objects.exists()


def test_proposals_and_second_looks_are_told(
    opened: Open, project: Project, pema: User, senior: User, work: Work
) -> None:
    opened(1)
    work()
    Notification.objects.all().delete()
    panel = Panel.objects.get()
    event(project, "term.proposed", "term-proposal:1", actor=pema, source="tax")
    decided = {"proposed_by": pema.pk, "source": "tax", "decision": "declined"}
    event(project, "term.decided", "term-proposal:1", actor=senior, **decided)
    event(project, "panel.second-look-asked", f"panel:{panel.pk}", actor=senior, reviewer=pema.pk)
    work()
    assert told(senior) == [("proposed", "Somebody proposed “tax” for the glossary.")]
    sent_back, decision = told(pema)
    assert sent_back[0] == "sent_back"
    assert decision == ("decided", "Your proposal “tax” for the glossary was declined.")


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ("accepted", "Your proposal “tax” is in the glossary now."),
        ("changed", "Your proposal “tax” is in the glossary now, with changes."),
        ("", "Your glossary proposal was decided."),
    ],
)
def test_decision_on_a_proposal_is_named(
    project: Project, pema: User, senior: User, work: Work, decision: str, words: str
) -> None:
    said = {"source": "tax", "decision": decision} if decision else {}
    event(project, "term.decided", actor=senior, proposed_by=pema.pk, **said)
    work()
    assert told(pema) == [("decided", words)]


def test_substitute_is_told_and_led_to_the_dispute(
    opened: Open, judge: Judge, manager: User, senior: User, pema: User, tashi: User, work: Work
) -> None:
    round_ = opened(1)
    judge(round_, tashi, verdict="reject")
    judge(round_, senior)
    panel = Panel.objects.select_related("round__project", "item", "revision").get()
    work()
    name_substitute(panel=panel, user=pema, note="nobody else", actor=manager, now=timezone.now())
    work()

    found = [present(row) for row in shown(notifications_for(pema).filter(kind="substitute"))]

    assert [(line.text, line.link) for line in found] == [
        (
            "You were asked to settle the dispute about s/00000.",
            f"/projects/ti/disputes/{panel.pk}/",
        )
    ]
    assert "substitute" not in [kind for kind, _text in told(manager)]
    Substitute.objects.all().delete()
    (row,) = shown(notifications_for(pema).filter(kind="substitute"))
    assert present(row).link == "/projects/ti/disputes/"


@pytest.mark.parametrize(
    ("verb", "target", "data"),
    [
        ("comment.added", "comment:999", {}),
        ("comment.added", "comment:", {}),
        ("comment.added", "rubbish", {}),
        ("panel.adjudicated", "panel:999", {}),
        ("panel.second-look-asked", "panel:999", {"reviewer": "x"}),
        ("panel.substitute-named", "panel:999", {"substitute": "x"}),
        ("round.opened", "round:x", {}),
        ("term.decided", "term-proposal:1", {"proposed_by": 999}),
        ("run.started", "run:1", {}),
        ("member.changed", "membership:x", {}),
    ],
)
def test_rubbish_tells_nobody_and_holds_nothing_up(
    project: Project, pema: User, senior: User, work: Work, verb: str, target: str, data: Any
) -> None:
    event(project, verb, target, **data)
    event(project, "term.proposed", "term-proposal:1", actor=pema)
    work()
    assert [kind for kind, _text in told(senior)] == ["proposed"]
    assert told(pema) == []


def test_event_that_cannot_be_told_does_not_hold_up_the_next(
    project: Project, senior: User, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = event(project, "term.proposed", "term-proposal:1")
    told_of = delivery.told_of

    def fail(found: AuditEvent, place: Project) -> Any:
        if found == broken:
            raise ValueError
        return told_of(found, place)

    monkeypatch.setattr(delivery, "told_of", fail)
    event(project, "term.proposed", "term-proposal:2")
    work()
    work()
    assert len(told(senior)) == 1


def test_who_left_the_project_sees_nothing_of_it(
    project: Project, pema: User, senior: User, work: Work
) -> None:
    event(project, "term.proposed", "term-proposal:1", actor=pema)
    work()
    assert unread(senior) == 1
    remove_member(membership=project.memberships.get(user=senior), actor=None, now=timezone.now())
    assert told(senior) == []
    work()
    assert unread(senior) == 0


def test_viewer_sees_nothing_about_items(
    project: Project, pema: User, senior: User, work: Work
) -> None:
    event(project, "term.proposed", "term-proposal:1", actor=pema)
    work()
    project.memberships.filter(user=senior).update(role=Role.VIEWER)
    assert told(senior) == []


def test_comment_of_a_panel_that_is_open_again_is_told_no_more(
    opened: Open, judge: Judge, pema: User, tashi: User, work: Work
) -> None:
    round_ = opened(1, panel_size=1)
    work()
    Notification.objects.all().delete()
    thread = say(tashi, "mine")
    judge(round_, pema)
    say(pema, "so?", thread)
    work()
    assert [kind for kind, _text in told(tashi)] == ["replied"]
    Panel.objects.update(state=PanelState.DISPUTED, outcome=Outcome.DISPUTED)
    assert told(tashi) == []


def test_event_that_commits_late_is_told(
    project: Project, pema: User, senior: User, work: Work
) -> None:
    late = event(project, "term.proposed", "term-proposal:1", actor=pema)
    pk = late.pk
    AuditEvent.objects.filter(pk=pk).delete()
    event(project, "term.proposed", "term-proposal:2", actor=pema)
    work()
    late.save(force_insert=True)
    work()
    assert len(told(senior)) == 2


def test_cursor_moves_over_old_events_and_tells_nothing_again(
    project: Project, pema: User, senior: User, work: Work
) -> None:
    last = event(project, "term.proposed", "term-proposal:1", actor=pema)
    work()
    advance_cursor(now=timezone.now())
    assert ToldEvent.objects.count() == 1
    work(timezone.now() + SETTLED_AFTER + timedelta(minutes=1))
    assert Cursor.objects.get().event == last.pk
    assert not ToldEvent.objects.exists()
    work()
    assert len(told(senior)) == 1


def test_cursor_does_not_pass_what_is_not_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "AT_ONCE", 1)
    now = timezone.now()
    first = event(project, "term.proposed", "term-proposal:1")
    event(project, "term.proposed", "term-proposal:2")
    deliver_events(now=now)
    advance_cursor(now=now + SETTLED_AFTER + timedelta(minutes=1))
    assert Cursor.objects.get().event == first.pk


def test_quiet_round_writes_nothing_and_costs_three_queries(
    work: Work, project: Project, django_assert_num_queries: Any
) -> None:
    work()
    with django_assert_num_queries(3) as captured:
        delivery.deliver_events(now=timezone.now())
        delivery.release_waiting(now=timezone.now())
    assert all(query["sql"].startswith("SELECT") for query in captured.captured_queries)


def test_count_on_the_bell_is_what_counting_anew_finds(
    opened: Open, judge: Judge, pema: User, tashi: User, senior: User, manager: User, work: Work
) -> None:
    round_ = opened(1, panel_size=2)
    say(manager, "@Pema @seniors")
    judge(round_, pema)
    judge(round_, tashi, verdict="reject")
    work()
    settle(senior)
    work()
    before = dict(User.objects.values_list("pk", "unread_count"))
    recount([user.pk for user in User.objects.all()])
    assert dict(User.objects.values_list("pk", "unread_count")) == before
    assert before[pema.pk] == len(told(pema)) == 3
