"""Sending: checked whole, quota, replays, and who may."""

from datetime import timedelta
from threading import Thread

import pytest
from django.db import connections

from accounts.models import AuditEvent
from jobs.actions import cancel_job
from jobs.enums import Queue
from jobs.models import Job
from jobs.queries import next_job
from jobs.worker import run_now
from releases.models import Release
from submissions import ladder
from submissions.actions.sending import (
    AlreadySent,
    AnswersInvalid,
    LeakSpent,
    ModelMissing,
    QuotaUsed,
    SubmissionEnded,
    TooManyAnswers,
    cancel_submission,
)
from submissions.actions.teams import (
    PolicyInvalid,
    TeamInvalid,
    TermsChanged,
    ban_team,
    change_policy,
    content_of,
    join_team,
)
from submissions.enums import SubmissionState
from submissions.models import Ladder, Participant, Submission, Team, Telling
from submissions.queries import policy_of, standing_of
from submissions.selectors import (
    NotAdmitted,
    SubmissionsClosed,
    TeamBanned,
    TermsNotAccepted,
    sender_for,
)
from tests.factories import JobFactory, UserFactory
from tests.submissions.builders import (
    NOW,
    answers,
    join,
    make_part,
    score,
    scored,
    send,
    take_submissions,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_submissions_wait_for_no_job_of_the_project_nor_the_other_way_round(
    release: Release, sender: Participant
) -> None:
    before = JobFactory(kind="import", queued_at=NOW - timedelta(hours=1))
    sent = send(release, sender, answers(release, 20))
    others = [queue for queue in Queue if queue != Queue.SUBMISSIONS]

    assert next_job([Queue.SUBMISSIONS]) == sent.job_id
    Job.objects.filter(pk=before.pk).update(queued_at=NOW + timedelta(hours=1))
    assert next_job(others) == before.pk
    before.delete()
    assert next_job(others) is None


def test_a_submission_waits_with_its_answers_and_takes_a_slot(
    release: Release, sender: Participant
) -> None:
    sent = send(release, sender, answers(release, 10), size="7B", prompt="direct", cutoff="2026-06")
    row = Submission.objects.get(pk=sent.pk)
    assert (row.state, row.day_slot, row.month_slot, row.size) == ("queued", 1, 1, "7B")
    assert row.answers == [answer for _uid, answer in answers(release, 10)]
    assert standing_of(row).place == 1


def test_every_request_is_in_the_audit_log(release: Release, sender: Participant) -> None:
    sent = send(release, sender, answers(release, 10))
    events = AuditEvent.objects.filter(scope="ti").order_by("pk")
    verbs = [(each.verb, each.data) for each in events if each.verb.startswith("submission")]
    assert events.get(verb="submissions.sent").actor == sender.user
    assert [verb for verb, _data in verbs][-2:] == ["submission.started", "submissions.sent"]
    assert verbs[-1][1] == {
        "version": "1.0.0", "team": sender.team.pk, "model": "stand-in", "digest": sent.digest,
    }  # fmt: skip


def test_wrong_answers_score_nothing_and_use_no_quota(
    release: Release, sender: Participant
) -> None:
    pairs = [*answers(release, 3)[1:], ("hidden-1", "A"), ("other", "A"), ("hidden-2", "Z")]
    with pytest.raises(AnswersInvalid) as raised:
        send(release, sender, pairs)
    assert raised.value.current == {
        "unknown": ["other"], "missing": ["hidden-0"], "doubled": ["hidden-1", "hidden-2"],
        "no_option": ["hidden-2"], "uneven": [],
    }  # fmt: skip
    assert not Submission.objects.exists()


def test_a_million_keys_are_refused_without_a_look_at_them(
    release: Release, sender: Participant
) -> None:
    with pytest.raises(TooManyAnswers):
        send(release, sender, [("x", object())] * 1_000_000)


@pytest.mark.parametrize("name", [" ", "\u200b", "\u3164\u2800"])
def test_a_model_must_be_named(release: Release, sender: Participant, name: str) -> None:
    with pytest.raises(ModelMissing):
        send(release, sender, answers(release, 3), model=name)


def test_what_is_declared_turns_no_text_around(release: Release, sender: Participant) -> None:
    sent = send(
        release, sender, answers(release, 3), model="a\u202eb\nc", size="\u20667B", cutoff="2026\t"
    )
    assert (sent.model, sent.size, sent.cutoff) == ("ab c", "7B", "2026")


def test_quota_of_a_day_says_when_the_next_may_come(release: Release, sender: Participant) -> None:
    for right in (3, 9, 15):
        send(release, sender, answers(release, right))
    with pytest.raises(QuotaUsed) as raised:
        send(release, sender, answers(release, 20))
    assert raised.value.params == {
        "next_at": "21 Nov 2026, 00:00 UTC",
        "retry_after_seconds": 43_200,
    }
    send(release, sender, answers(release, 20), now=NOW + timedelta(days=1))


def test_quota_of_a_month(release: Release, sender: Participant) -> None:
    take_submissions(release.project, per_day=2, per_month=2)
    send(release, sender, answers(release, 3))
    send(release, sender, answers(release, 6), now=NOW + timedelta(days=1))
    with pytest.raises(QuotaUsed) as raised:
        send(release, sender, answers(release, 9), now=NOW + timedelta(days=2))
    assert raised.value.params["next_at"] == "1 Dec 2026, 00:00 UTC"


def test_another_team_has_a_quota_of_its_own(release: Release, sender: Participant) -> None:
    take_submissions(release.project, per_day=1)
    send(release, sender, answers(release, 3))
    send(release, join(release.project, team="Shigatse"), answers(release, 3))
    mate = join_team(
        project=release.project, user=UserFactory(), team="", code=sender.team.code,
        affiliation="U", terms_version=1, now=NOW,
    )  # fmt: skip
    with pytest.raises(QuotaUsed):
        send(release, mate, answers(release, 8))


def test_what_was_cancelled_does_not_count(release: Release, sender: Participant) -> None:
    take_submissions(release.project, per_day=1)
    first = send(release, sender, answers(release, 3))
    cancel_submission(submission=first, actor=sender.user, now=NOW)
    first.refresh_from_db()
    assert (first.state, first.day_slot) == (SubmissionState.CANCELLED, None)
    send(release, sender, answers(release, 3))


def test_what_failed_on_our_side_does_not_count(release: Release, sender: Participant) -> None:
    take_submissions(release.project, per_day=1)
    first = send(release, sender, answers(release, 3))

    def fail(*_arguments: object) -> dict[str, object]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_now(first.job, fail)
    first.refresh_from_db()
    assert (first.state, first.error_code, first.day_slot) == ("failed", "internal", None)
    send(release, sender, answers(release, 3))


def test_what_is_scored_cannot_be_cancelled(release: Release, sender: Participant) -> None:
    done = scored(release, sender, 3)
    with pytest.raises(SubmissionEnded):
        cancel_submission(submission=done, actor=sender.user, now=NOW)


def test_a_job_that_runs_twice_scores_once(release: Release, sender: Participant) -> None:
    done = scored(release, sender, 3)
    score(done)
    assert (done.scores.count(), Ladder.objects.get().requests) == (1, 1)


def test_the_same_answers_are_not_sent_twice(release: Release, sender: Participant) -> None:
    first = send(release, sender, answers(release, 3))
    with pytest.raises(AlreadySent) as raised:
        send(release, sender, answers(release, 3), model="another name")
    assert raised.value.current == {"submission": first.pk}
    assert Submission.objects.count() == 1


def test_a_team_that_was_told_enough_is_refused(release: Release, sender: Participant) -> None:
    done = scored(release, sender, 20)
    assert ladder.most_bits([4] * 24) == 64
    Telling.objects.filter(submission=done, kind="answer").update(bits=62)
    with pytest.raises(LeakSpent):
        send(release, sender, answers(release, 3))


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_at_once_no_more_than_the_quota_get_through(project) -> None:
    take_submissions(project, per_day=3)
    release = make_part(project, n=32)
    sender = join(project)
    outcomes: list[str] = []

    def act(right: int) -> None:
        try:
            send(release, sender, answers(release, right))
            outcomes.append("sent")
        except QuotaUsed:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [Thread(target=act, args=(right,)) for right in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused"] * 13 + ["sent"] * 3
    assert sorted(Submission.objects.values_list("day_slot", flat=True)) == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_of_many_equal_requests_at_once_one_gets_through(project) -> None:
    take_submissions(project, per_day=20)
    release, sender = make_part(project), join(project)
    outcomes: list[str] = []

    def act() -> None:
        try:
            send(release, sender, answers(release, 5))
            outcomes.append("sent")
        except AlreadySent:
            outcomes.append("replayed")
        finally:
            connections.close_all()

    threads = [Thread(target=act) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["replayed"] * 7 + ["sent"]


def test_terms_are_accepted_by_version(release: Release, sender: Participant) -> None:
    project, policy = release.project, policy_of(release.project)
    assert sender_for(sender.user, release, policy).terms_version == 1
    with pytest.raises(TermsNotAccepted):
        sender_for(UserFactory(), release, policy)
    take_submissions(project, terms="Other terms.")
    with pytest.raises(TermsNotAccepted):
        sender_for(sender.user, release, policy_of(project))
    with pytest.raises(TermsChanged):
        join(project, sender.user)
    join_team(
        project=project, user=sender.user, team="ignored", code="", affiliation="U",
        terms_version=2, now=NOW,
    )  # fmt: skip
    assert sender_for(sender.user, release, policy_of(project)).team == sender.team


def test_terms_that_stay_the_same_keep_their_version(release: Release) -> None:
    policy = policy_of(release.project)
    change_policy(project=release.project, content=content_of(policy), actor=None, now=NOW)
    assert policy_of(release.project).terms_version == 1


def test_a_team_must_be_admitted_where_the_rules_say_so(release: Release) -> None:
    take_submissions(release.project, admission="admitted")
    found = join_team(
        project=release.project, user=UserFactory(), team="New", code="", affiliation="U",
        terms_version=1, now=NOW,
    )  # fmt: skip
    with pytest.raises(NotAdmitted):
        sender_for(found.user, release, policy_of(release.project))


def test_a_banned_team_sends_nothing(release: Release, sender: Participant) -> None:
    ban_team(team=sender.team, reason="Trained on the items.", actor=sender.user, now=NOW)
    with pytest.raises(TeamBanned):
        sender_for(sender.user, release, policy_of(release.project))


def test_a_ban_cancels_what_waits(release: Release, sender: Participant) -> None:
    sent = send(release, sender, answers(release, 3))
    ban_team(team=sender.team, reason="x", actor=sender.user, now=NOW)
    found = score(sent)
    assert (found.state, found.day_slot, found.is_told) == ("cancelled", None, False)


@pytest.mark.parametrize(
    ("what", "refusal"),
    [("team", TeamBanned), ("rules", SubmissionsClosed), ("release", SubmissionsClosed)],
)
def test_what_a_manager_ends_while_answers_are_read_takes_them_no_more(
    release: Release, sender: Participant, what: str, refusal: type[Exception]
) -> None:
    if what == "team":
        Team.objects.filter(pk=sender.team_id).update(banned_at=NOW, ban_reason="x")
    elif what == "rules":
        take_submissions(release.project, is_open=False)
    else:
        Release.objects.filter(pk=release.pk).update(state="yanked", yank_reason="x")
    with pytest.raises(refusal):
        send(release, sender, answers(release, 3))
    assert not Submission.objects.exists()


def test_after_the_limit_was_lowered_a_cancelled_one_frees_nothing(
    release: Release, sender: Participant
) -> None:
    sent = [send(release, sender, answers(release, right)) for right in (3, 9, 15)]
    take_submissions(release.project, per_day=2)
    cancel_submission(submission=sent[0], actor=sender.user, now=NOW)
    with pytest.raises(QuotaUsed):
        send(release, sender, answers(release, 20))


@pytest.mark.parametrize(("team", "code"), [("Lhasa", ""), ("", ""), ("", "wrong")])
def test_a_team_needs_a_name_of_its_own_or_the_code_of_another(
    release: Release, sender: Participant, team: str, code: str
) -> None:
    with pytest.raises(TeamInvalid):
        join_team(
            project=release.project, user=UserFactory(), team=team, code=code, affiliation="U",
            terms_version=1, now=NOW,
        )  # fmt: skip


def test_cancelling_the_job_cancels_the_submission(release: Release, sender: Participant) -> None:
    sent = send(release, sender, answers(release, 3))
    assert sent.job is not None
    cancel_job(job=sent.job, actor=None, now=NOW)
    sent.refresh_from_db()
    assert sent.state == SubmissionState.CANCELLED


@pytest.mark.parametrize(
    "name", ["lhasa", "Lhasa\u200b", "Ｌhasa", "Lha\nsa", "Lh\u0430sa", "\u3164Lhasa"]
)
def test_names_of_teams_that_look_alike_are_refused(release: Release, name: str) -> None:
    join(release.project, team="Lhasa")
    with pytest.raises(TeamInvalid):
        join(release.project, team=name)


def test_policy_has_bounds_that_the_database_holds(release: Release) -> None:
    with pytest.raises(PolicyInvalid):
        take_submissions(release.project, fewest_in_category=10**20)
