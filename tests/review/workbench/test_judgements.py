"""Storing judgements: each outcome end to end, each refusal by its code, the replay, the counters."""

import random
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.enums import Origin, TranslationState
from annotation.models import Finding, Item, Revision, Translation
from projects.models import Project
from review.enums import PanelState, SeatState, SkipReason
from review.models import Assignment, Judgement, Panel, Round
from review.outcomes import Correction, make_tally, tally_token
from review.rounds.actions.rounds import close_round
from review.seats.actions.seats import claim_seat, free_expired_seats, skip_seat
from review.workbench.actions.judgements import submit_judgement
from tests.factories import make_translated_item
from tests.review.conftest import OPTIONS, content
from tests.review.kinds import refusal, take

pytestmark = pytest.mark.django_db
NEW = Correction("འདྲི་བ་གསར་པ།", OPTIONS)
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]


def submit(seat: Assignment, user: User, key: str = "k", **said: Any) -> Judgement:
    now = said.pop("now", timezone.now())
    revision = said.pop("revision", seat.panel.revision_id)
    return submit_judgement(
        assignment=seat,
        reviewer=user,
        revision_id=revision,
        content=content(**said),
        idempotency_key=key,
        now=now,
    )


def test_judgement_is_stored_whole(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    judgement = submit(
        seat, user, "key-1", domain=2, cultural=5, tags=["grammar", "accuracy", "grammar"],
        comment="ལེགས།", active_seconds=10**9, now=seat.claimed_at + timedelta(seconds=0.5),
    )  # fmt: skip

    stored = Judgement.objects.get()
    assert stored.pk == judgement.pk
    assert (stored.panel_id, stored.revision_id, stored.reviewer) == (
        seat.panel_id,
        seat.panel.revision_id,
        user,
    )
    assert (stored.verdict, stored.ratings) == ("approve", {"domain": 2, "cultural": 5})
    assert (stored.tags, stored.comment, stored.correction) == (
        ["accuracy", "grammar"],
        "ལེགས།",
        None,
    )
    assert stored.active_seconds == 1
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.JUDGED
    assert Panel.objects.get().tally == "A25"
    assert Panel.objects.get().state == PanelState.JUDGING


def test_replay_returns_the_first_and_changes_nothing(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    round_ = opened(1)
    seat = take(round_, user)
    first = submit(seat, user, "same")

    again = submit(seat, user, "same", verdict="reject", domain=0)

    assert (again.pk, again.receipt, again.verdict) == (first.pk, first.receipt, "approve")
    assert Round.objects.get().judged_count == 1
    assert Panel.objects.get().tally == "A44"


def test_replay_after_the_round_is_closed_returns_the_first(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    round_ = opened(1)
    seat = take(round_, user)
    first = submit(seat, user, "same")
    close_round(round_=round_, actor=None, now=timezone.now())

    assert submit(seat, user, "same").pk == first.pk


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"verdict": "maybe"}, "verdict"),
        ({"domain": 6}, "ratings.domain"),
        ({"cultural": -1}, "ratings.cultural"),
        ({"tags": ["grammar", "beauty"]}, "tags"),
        ({"comment": "x" * 20_001}, "comment"),
        ({"verdict": "revise"}, "correction"),
        ({"correction": Correction("འདྲི་བ།", OPTIONS)}, "correction"),
        ({"correction": Correction(" ", OPTIONS)}, "correction.question"),
        ({"correction": Correction("འ", OPTIONS[:3])}, "correction.options"),
        ({"correction": Correction("འ", (*OPTIONS[:3], "\n"))}, "correction.options.3"),
        ({"correction": Correction("འ" * 20_001, OPTIONS)}, "correction"),
    ],
)
def test_faulty_judgement_is_refused_by_field_and_keeps_the_seat(
    opened: Open, reviewers: People, said: dict[str, Any], field: str
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)

    error = refusal(lambda: submit(seat, user, **said))

    assert (error.code, error.status, list(error.fields)) == ("judgement_invalid", 400, [field])
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED
    assert not Judgement.objects.exists()


def test_late_judgement_is_refused_with_the_current_text_when_somebody_else_has_the_seat(
    opened: Open, reviewers: People
) -> None:
    user, other = reviewers(2)
    round_ = opened(1, panel_size=1)
    seat = take(round_, user)
    late = timezone.now() + timedelta(hours=1)
    claim_seat(round_=round_, reviewer=other, now=late)

    error = refusal(lambda: submit(seat, user, now=late))

    revision = seat.panel.revision
    assert error.code == "seat_taken"
    assert error.current == {
        "revision": revision.pk, "question": revision.question, "options": revision.options,
    }  # fmt: skip


@pytest.mark.parametrize("is_freed", [False, True])
def test_late_judgement_is_stored_while_its_seat_is_free(
    opened: Open, reviewers: People, is_freed: bool
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)
    late = timezone.now() + timedelta(hours=1)
    if is_freed:
        free_expired_seats(round_=seat.round, now=late)

    assert submit(seat, user, now=late).submitted_at == late


def test_second_judgement_of_one_item_is_refused(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)
    submit(seat, user, "one")

    assert refusal(lambda: submit(seat, user, "two")).code == "already_judged"


def test_key_of_another_judgement_is_refused_and_keeps_the_seat(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    round_ = opened(2)
    submit(take(round_, user), user, "one")
    seat = take(round_, user)

    assert refusal(lambda: submit(seat, user, "one")).code == "idempotency_key_reused"
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED


def test_judgement_on_anothers_seat_is_refused(opened: Open, reviewers: People) -> None:
    user, other = reviewers(2)
    seat = take(opened(1), user)

    assert refusal(lambda: submit(seat, other)).code == "seat_taken"


def test_judgement_in_a_closed_round_is_refused(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    round_ = opened(1)
    seat = take(round_, user)
    close_round(round_=round_, actor=None, now=timezone.now())

    assert refusal(lambda: submit(seat, user)).code == "round_closed"


def test_judgement_on_a_stale_text_is_refused_with_the_current_one(
    opened: Open, reviewers: People
) -> None:
    (user,) = reviewers(1)
    seat = take(opened(1), user)
    base = seat.panel.revision
    newer = Revision.objects.create(
        translation=base.translation, number=2, supersedes=base, question="གསར་པ།", options=list(OPTIONS),
        origin=Origin.HUMAN, content_hash="x", created_at=timezone.now(),
    )  # fmt: skip
    Translation.objects.update(current_revision=newer)

    error = refusal(lambda: submit(seat, user))

    assert error.code == "revision_stale"
    assert error.current == {"revision": newer.pk, "question": "གསར་པ།", "options": list(OPTIONS)}
    assert Assignment.objects.get(pk=seat.pk).state == SeatState.CLAIMED


def test_judgement_on_another_items_revision_is_refused(opened: Open, reviewers: People) -> None:
    (user,) = reviewers(1)
    round_ = opened(2)
    seat = take(round_, user)
    other = Panel.objects.exclude(pk=seat.panel_id).get().revision_id

    assert refusal(lambda: submit(seat, user, revision=other)).code == "revision_stale"


# What a panel amounts to, end to end.


def test_two_approvals_approve_the_translation(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    for user in reviewers(2):
        judge(round_, user)

    panel = Panel.objects.get()
    assert (panel.state, panel.outcome, panel.reasons, panel.tally) == (
        "settled",
        "approved",
        [],
        "A44 A44",
    )
    assert panel.decided_at == panel.settled_at
    assert panel.decided_at is not None
    assert Translation.objects.get().state == TranslationState.APPROVED


def test_two_rejections_reject_the_translation(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    for user in reviewers(2):
        judge(round_, user, verdict="reject")

    assert Panel.objects.get().outcome == "rejected"
    assert Translation.objects.get().state == TranslationState.REJECTED


def test_same_correction_by_all_makes_a_new_revision_by_the_first(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    judge(round_, first, correction=NEW)
    judge(round_, second, correction=Correction(f" {NEW.question}\n", OPTIONS))

    panel, translation = Panel.objects.get(), Translation.objects.get()
    revision = translation.current_revision
    assert revision is not None
    assert (panel.state, panel.outcome, translation.state) == ("settled", "revised", "pending")
    assert (revision.number, revision.question, tuple(revision.options)) == (
        2,
        NEW.question,
        OPTIONS,
    )
    assert (revision.origin, revision.author, revision.supersedes_id) == (
        "human",
        first,
        panel.revision_id,
    )


def test_new_revision_is_checked(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1)
    twice = Correction("འདྲི་བ་གསར་པ།", ("གཅིག", "གཅིག", "གསུམ", "བཞི"))
    for user in reviewers(2):
        judge(round_, user, correction=twice)

    found = Finding.objects.filter(revision__number=2)
    assert "equal_options" in {finding.code for finding in found}


@pytest.mark.parametrize(
    ("first", "second", "reasons"),
    [
        ({}, {"verdict": "reject"}, ["verdict_split"]),
        ({"domain": 5}, {"domain": 1}, ["score_gap"]),
        (
            {"correction": NEW},
            {"correction": Correction("གཞན།", OPTIONS)},
            ["different_corrections"],
        ),
        ({}, {"tags": ["wrong_key"]}, ["key_challenged"]),
        ({}, {"tags": ["not_answerable"]}, ["flagged"]),
    ],
)
def test_disagreement_is_disputed_and_leaves_the_translation(
    opened: Open, reviewers: People, judge: Judge, first: Any, second: Any, reasons: list[str]
) -> None:
    round_ = opened(1)
    one, two = reviewers(2)
    judge(round_, one, **first)
    judge(round_, two, **second)

    panel = Panel.objects.get()
    assert (panel.state, panel.outcome, panel.settled_at) == ("disputed", "disputed", None)
    assert [reason["code"] for reason in panel.reasons] == reasons
    assert panel.severity > 0
    assert Translation.objects.get().state == TranslationState.PENDING
    assert Revision.objects.count() == 1


def test_approval_of_a_text_with_open_errors_is_disputed(
    project: Project, opened: Open, reviewers: People, judge: Judge
) -> None:
    item = make_translated_item(project=project, source__project=project, subject__project=project)
    Finding.objects.create(
        revision=item.working_translation.current_revision,
        code="options_equal", severity="error", field="item", created_at=timezone.now(),
    )  # fmt: skip
    round_ = opened(0)
    for user in reviewers(2):
        judge(round_, user)

    assert Panel.objects.get().reasons == [{"code": "flagged", "causes": ["open_errors"]}]


def test_majority_rule_approves_two_of_three(opened: Open, reviewers: People, judge: Judge) -> None:
    round_ = opened(1, panel_size=3, verdict_rule="majority")
    one, two, three = reviewers(3)
    judge(round_, one)
    judge(round_, two, verdict="reject")
    judge(round_, three)

    assert Panel.objects.get().outcome == "approved"


@pytest.mark.parametrize(("verdict", "state"), [("approve", "approved"), ("reject", "rejected")])
@pytest.mark.parametrize("before", ["approved", "rejected"])
def test_round_over_all_decides_anew_what_was_decided_before(
    opened: Open, reviewers: People, judge: Judge, before: str, verdict: str, state: str
) -> None:
    round_ = opened(1, panel_size=1)
    Translation.objects.update(state=before)
    judge(round_, reviewers(1)[0], verdict=verdict)

    assert Translation.objects.get().state == state


def test_correction_of_a_text_without_readable_options_gives_them(
    project: Project, opened: Open, reviewers: People, judge: Judge
) -> None:
    make_translated_item(
        project=project,
        source__project=project,
        subject__project=project,
        question="A. ཀ B. ཁ",
        options=[],
    )
    judge(opened(0, panel_size=1), reviewers(1)[0], correction=NEW)

    revision = Item.objects.get().working_translation.current_revision
    assert tuple(revision.options) == OPTIONS


@pytest.mark.parametrize("seed", range(4))
def test_counters_are_what_the_rows_say_after_any_sequence(
    opened: Open, reviewers: People, seed: int
) -> None:
    chance = random.Random(seed)
    round_ = opened(6, panel_size=2)
    now = timezone.now()
    people = reviewers(4)
    for _step in range(60):
        user = chance.choice(people)
        seat = claim_seat(round_=round_, reviewer=user, now=now)
        act = chance.random()
        if seat is None or act < 0.15:
            now += timedelta(minutes=chance.choice([1, 31]))
        elif act < 0.25:
            skip_seat(assignment=seat, reviewer=user, reason=SkipReason.OTHER, note="", now=now)
        else:
            verdict = chance.choice(["approve", "approve", "reject"])
            submit(
                seat, user, uuid.uuid4().hex, verdict=verdict, domain=chance.randint(0, 5), now=now
            )

    fresh = Round.objects.get()
    assert fresh.judged_count == Judgement.objects.count()
    assert fresh.judged_count == Assignment.objects.filter(state=SeatState.JUDGED).count() > 6
    assert fresh.panel_count == Panel.objects.count() == 6
    for panel in Panel.objects.prefetch_related("judgements"):
        said = [tally_token(j.verdict, j.ratings) for j in panel.judgements.all()]
        assert panel.tally == make_tally(said)
        assert (panel.state == PanelState.JUDGING) == (len(said) < 2)
