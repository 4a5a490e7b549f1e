"""Discarding rounds in which nothing was judged, and rounds that nobody can finish."""

import json
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.models import ForeignKey, Model
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from common.errors import DomainError
from projects.enums import Role
from projects.models import Membership, Project
from review.comments.actions import add_comment
from review.enums import RoundState, Selection, SkipReason
from review.models import Assignment, Comment, ExpiredClaim, Judgement, Panel, Round, Skip
from review.report import queries as report_queries
from review.rounds import queries
from review.rounds.actions.rounds import (
    RoundHasJudgements,
    RoundNotFinishable,
    close_round,
    discard_round,
    open_round,
)
from review.rounds.actions.settings import RoundSettings
from review.rounds.staffing import ShortageCode
from review.seats.actions.seats import claim_seat, free_expired_seats, skip_seat
from review.seats.refusals import RoundClosed
from review.workbench.actions.judgements import submit_judgement
from review.workbench.actions.withdrawals import withdraw_judgement
from tests.review.conftest import content

pytestmark = pytest.mark.both_databases

Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
db = pytest.mark.django_db


def discard(round_: Round) -> None:
    discard_round(round_=round_, actor=None, now=timezone.now())


@db
def test_discarded_round_is_gone_with_its_seats_and_its_number_is_free(
    opened: Open, reviewers: People, project: Project
) -> None:
    round_ = opened(3)
    first, second = reviewers(2)
    claim_seat(round_=round_, reviewer=first, now=timezone.now())
    skipped = claim_seat(round_=round_, reviewer=second, now=timezone.now())
    assert skipped is not None
    skip_seat(
        assignment=skipped, reviewer=second, reason=SkipReason.OTHER, note="", now=timezone.now()
    )
    before = list(project.items.order_by("pk").values())

    discard(round_)

    assert [model.objects.count() for model in (Round, Panel, Assignment, Skip)] == [0, 0, 0, 0]
    assert list(project.items.order_by("pk").values()) == before
    assert [
        event.verb for event in AuditEvent.objects.filter(verb__startswith="round").order_by("pk")
    ] == [
        "round.opened",
        "round.discarded",
    ]
    assert opened(0).number == 1


@db
def test_round_with_a_judgement_is_not_discarded(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(2)
    judge(round_, reviewers(1)[0])

    with pytest.raises(RoundHasJudgements):
        discard(round_)

    assert (Panel.objects.count(), Assignment.objects.count()) == (2, 4)


@db
def test_closed_round_without_judgements_is_discarded(opened: Open) -> None:
    discard(close_round(round_=opened(1), actor=None, now=timezone.now()))

    assert not Round.objects.exists()


@db
def test_second_discard_is_refused(opened: Open) -> None:
    round_ = opened(1)
    discard(round_)

    with pytest.raises(DomainError) as refused:
        discard(round_)

    assert refused.value.code == "round_discarded"
    assert AuditEvent.objects.filter(verb="round.discarded").count() == 1


@db
def test_round_without_judgements_is_no_stage(
    opened: Open, project: Project, reviewers: People, judge: Judge
) -> None:
    close_round(round_=opened(1), actor=None, now=timezone.now())
    assert report_queries.stage_table(project) == []
    judged = opened(0, panel_size=1)
    judge(judged, reviewers(1)[0])

    (stage,) = report_queries.stage_table(project)

    assert (stage.round, stage.name.as_json()) == (
        2,
        {"code": "initial", "number": 0, "part": 1},
    )
    assert [row.setup.round for row in report_queries.report(project).systems] == [2]
    assert [each.number for each in queries.empty_rounds(project)] == [1]


@db
def test_judges_of_the_round_before_an_empty_one_are_still_left_out(
    opened: Open, reviewers: People, judge: Judge, project: Project
) -> None:
    first, second, third, fourth = reviewers(4)
    round_ = opened(1)
    judge(round_, first)
    judge(round_, second, verdict="reject", domain=1)
    Panel.objects.update(state="settled", outcome="revised", reasons=[])
    close_round(round_=round_, actor=None, now=timezone.now())
    close_round(round_=opened(0), actor=None, now=timezone.now())

    again = opened(0)

    now = timezone.now()
    assert [
        bool(claim_seat(round_=again, reviewer=p, now=now)) for p in (first, third, fourth)
    ] == [
        False,
        True,
        True,
    ]


@db
def test_discard_by_page_api_and_command(
    opened: Open, member: Member, api_of: Callable[[User], APIClient], client: Client, capsys: Any
) -> None:
    manager = member(Role.MANAGER)
    client.force_login(manager, backend="accounts.backends.AccountBackend")
    opened(1)
    assert "Discard the round" in client.get("/projects/ti/rounds/1/").content.decode()
    answer = client.post("/projects/ti/rounds/1/discard/")
    assert (answer.status_code, answer["Location"]) == (302, "/projects/ti/rounds/")

    round_ = opened(0)
    path = f"/api/v1/rounds/{round_.pk}/discard/"
    assert api_of(member(Role.SENIOR)).post(path).status_code == 403
    assert api_of(manager).post(path).status_code == 204

    opened(0)
    call_command("discard_round", "ti", "1", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said == {"project": "ti", "round": 1, "discarded": True, "panels": 1}
    assert not Round.objects.exists()
    assert AuditEvent.objects.filter(verb="round.discarded").count() == 3


@pytest.mark.django_db(transaction=True)
def test_of_a_discard_and_a_judgement_at_once_one_wins(
    opened: Open, reviewers: People, project: Project
) -> None:
    round_ = opened(1, panel_size=1)
    (user,) = reviewers(1)
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    revision = seat.panel.revision_id
    start, told = threading.Barrier(2), {}

    def attempt(name: str, call: Callable[[], Any]) -> None:
        start.wait()
        try:
            call()
            told[name] = "done"
        except DomainError as refused:
            told[name] = type(refused).__name__
        finally:
            connections.close_all()

    def submit() -> None:
        submit_judgement(
            assignment=seat,
            reviewer=user,
            revision_id=revision,
            content=content(),
            idempotency_key="k",
            now=timezone.now(),
        )

    calls = {"discard": lambda: discard(round_), "submit": submit}
    threads = [threading.Thread(target=attempt, args=call) for call in calls.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert list(told.values()).count("done") == 1, told
    assert Round.objects.count() == Judgement.objects.count() == (told["submit"] == "done")
    connection.check_constraints()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_discard_and_judgement_never_wait_for_each_other(opened: Open) -> None:
    round_ = opened(1, panel_size=1)
    faults: list[Exception] = []

    def discard_beside() -> None:
        try:
            discard(round_)
        except Exception as fault:  # noqa: BLE001 - shown by the assertion below
            faults.append(fault)
        finally:
            connections.close_all()

    beside = threading.Thread(target=discard_beside)
    with transaction.atomic():  # what a judgement locks: its panel first, the round last
        list(Panel.objects.select_for_update().filter(round=round_))
        beside.start()
        wait_until_somebody_waits_for_a_lock()
        Round.objects.filter(pk=round_.pk).update(due_on=None)
    beside.join(60)

    assert not faults
    assert not Round.objects.exists()


def wait_until_somebody_waits_for_a_lock() -> None:
    deadline = time.monotonic() + 120
    waiting = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
    """
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            # What a transaction reads of the activity stays the same until it is told to look again.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(waiting)
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    raise AssertionError("Nobody waited for a lock.")


@db
def test_judgement_of_a_round_discarded_a_moment_ago_is_refused_in_words(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(1, panel_size=1)
    (user,) = reviewers(1)
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    revision = seat.panel.revision_id
    discard(round_)

    with pytest.raises(RoundClosed):
        submit_judgement(
            assignment=seat,
            reviewer=user,
            revision_id=revision,
            content=content(),
            idempotency_key="k",
            now=timezone.now(),
        )
    assert not Judgement.objects.exists()


@db
def test_round_that_nobody_can_finish_is_refused_unless_confirmed(
    project: Project, items: Callable[[int], None], reviewers: People
) -> None:
    items(3)
    reviewers(5)
    said: dict[str, Any] = {
        "project": project,
        "settings": RoundSettings(panel_size=9),
        "actor": None,
        "now": timezone.now(),
    }

    with pytest.raises(RoundNotFinishable) as refused:
        open_round(**said, is_unfinishable_allowed=False)

    (shortage,) = refused.value.preview.forecast.shortages
    assert (shortage.code, shortage.count) == (ShortageCode.TOO_FEW_PEOPLE, 3)
    assert not Round.objects.exists()
    assert open_round(**said, is_unfinishable_allowed=True).state == RoundState.OPEN


@db
def test_page_says_who_may_judge_and_asks_to_confirm(
    project: Project,
    items: Callable[[int], None],
    reviewers: People,
    member: Member,
    client: Client,
) -> None:
    items(3)
    paused, other, _able = reviewers(3)
    Membership.objects.filter(user=paused).update(is_paused=True)
    Membership.objects.filter(user=other).update(languages=["en"])
    client.force_login(member(Role.MANAGER), backend="accounts.backends.AccountBackend")
    path = "/projects/ti/rounds/open/"
    asked = {
        "panel_size": 2, "selection": "all", "seed": 0, "verdict_rule": "unanimous", "score_gap": 2,
        "reservation_minutes": 30,
    }  # fmt: skip

    page = client.get(path).content.decode()
    assert "Paused" in page
    assert "Does not read the target language" in page
    previewed = client.post(path, {**asked, "panel_size": 1, "preview": "1"})
    assert (previewed.status_code, Round.objects.count()) == (200, 0)
    refused = client.post(path, asked)
    assert refused.status_code == 400
    assert "Judgements per item: 2. People who may judge: 1." in refused.content.decode()
    assert not Round.objects.exists()
    assert client.post(path, {**asked, "is_unfinishable_allowed": "on"}).status_code == 302
    assert Round.objects.get().panel_size == 2


@db
def test_api_refuses_a_round_that_nobody_can_finish_unless_confirmed(
    project: Project, items: Callable[[int], None], member: Member, api_of: Any
) -> None:
    items(1)
    api = api_of(member(Role.MANAGER))
    path = "/api/v1/projects/ti/rounds/"

    refused = api.post(path, {"panel_size": 9})
    opened = api.post(path, {"panel_size": 9, "is_unfinishable_allowed": True})

    assert (refused.status_code, refused.json()["code"]) == (409, "round_not_finishable")
    assert (opened.status_code, opened.json()["state"]) == (201, "open")


@db
def test_command_opens_it_with_a_warning_and_says_why(
    project: Project, items: Callable[[int], None], reviewers: People, capsys: Any
) -> None:
    items(1)
    reviewers(5)

    call_command("open_round", "ti", "--panel-size", "9", "--force", "--json")

    out, err = capsys.readouterr()
    warning, no_senior = json.loads(out)["warnings"]
    assert warning.startswith("Judgements per item: 9. People who may judge: 5.")
    assert no_senior.startswith("This project has no active senior")
    assert warning in err
    assert no_senior in err


@db
def test_last_rounds_judges_and_authors_are_counted_out(
    opened: Open, reviewers: People, judge: Judge, project: Project
) -> None:
    round_ = opened(2)
    first, second = reviewers(2)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    Panel.objects.filter(outcome="disputed").update(state="settled", outcome="revised", reasons=[])
    close_round(round_=round_, actor=None, now=timezone.now())

    with pytest.raises(RoundNotFinishable) as refused:
        open_round(
            project=project,
            settings=RoundSettings(selection=Selection.ALL, is_same_panel_allowed=False),
            actor=None,
            now=timezone.now(),
            is_unfinishable_allowed=False,
        )

    found = refused.value.preview.forecast
    assert [(each.code, each.count) for each in found.shortages] == [(ShortageCode.OWN_WORK, 1)]
    assert found.items_for == {first.pk: 1, second.pk: 1}


@db
def test_round_in_which_somebody_let_an_item_expire_is_discarded(
    opened: Open, reviewers: People
) -> None:
    round_ = opened(2)
    (reviewer,) = reviewers(1)
    seat = claim_seat(round_=round_, reviewer=reviewer, now=timezone.now())
    assert seat is not None
    later = timezone.now() + timedelta(minutes=round_.reservation_minutes + 1)
    free_expired_seats(round_=round_, now=later)
    assert ExpiredClaim.objects.filter(assignment__round=round_).count() == 1
    discard(round_)
    assert not Round.objects.exists()
    connection.check_constraints()


@db
def test_round_with_a_judgement_that_was_taken_back_is_kept(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(2)
    (reviewer,) = reviewers(1)
    judgement = judge(round_, reviewer)
    withdraw_judgement(judgement=judgement, reviewer=reviewer, now=timezone.now())
    with pytest.raises(RoundHasJudgements):
        discard(round_)
    assert Judgement.all_rows.count() == 1


@db
def test_comments_of_a_discarded_round_stay_on_their_item(opened: Open, reviewers: People) -> None:
    round_ = opened(2)
    (reviewer,) = reviewers(1)
    panel = round_.panels.all()[0]
    comment = add_comment(
        item=panel.item,
        thread=None,
        text="Look at line 2.",
        idempotency_key="k1",
        actor=reviewer,
        now=timezone.now(),
    )
    Comment.objects.filter(pk=comment.pk).update(panel=panel)
    discard(round_)
    assert Comment.objects.get(pk=comment.pk).panel is None
    connection.check_constraints()


@pytest.mark.parametrize("deleted", [Assignment, Panel, Round])
def test_whatever_points_to_a_row_that_is_deleted_has_an_index_for_it(
    deleted: type[Model],
) -> None:
    """Without one, the database reads a whole table for each row that is deleted.

    An index of some rows only, as of a constraint with a condition, does not serve.
    """
    pointing = [
        field
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey) and field.related_model is deleted and field.db_constraint
    ]

    assert pointing
    assert [str(field) for field in pointing if not is_indexed(field)] == []


def is_indexed(field: "ForeignKey[Any, Any]") -> bool:
    """Whether an index of all rows begins with the field."""
    meta = field.model._meta
    whole = [each for each in [*meta.indexes, *meta.constraints] if not condition_of(each)]
    begins = [tuple(getattr(each, "fields", ()))[:1] == (field.name,) for each in whole]
    return field.db_index or field.unique or any(begins)


def condition_of(each: Any) -> object:
    return getattr(each, "condition", None)
