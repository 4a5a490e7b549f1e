"""What is told of a submission: rounded aggregates on a ladder, and nothing of few answers."""

from collections.abc import Callable
from copy import deepcopy

import pytest
from django.db import transaction

from accounts.models import User
from annotation.items.keys import correct_key
from jobs.actions import cancel_job, resume_job
from jobs.progress import Progress
from jobs.worker import run_now
from leaderboards.queries import board_of
from releases.models import Release, ReleaseItem
from submissions import ladder
from submissions.actions import scoring
from submissions.actions.moderating import (
    NotWithdrawable,
    NotWithdrawn,
    hide_submission,
    restore_submission,
    show_submission,
    withdraw_submission,
)
from submissions.actions.rescoring import (
    NothingCorrected,
    RescoringOvertaken,
    perform_rescoring,
    start_rescoring,
)
from submissions.actions.sending import AlreadySent, LeakReserved, LeakSpent
from submissions.models import Ladder, Participant, Submission, Telling
from submissions.presenters import as_json, result_words
from submissions.queries import account_of, scores_left, standing_of, team_accounts, told_share
from tests.factories import ProjectFactory
from tests.shared_rows import made_once
from tests.submissions.builders import (
    NOW,
    answers,
    join,
    make_part,
    score,
    scored,
    send,
    take_submissions,
    texts_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def make_release() -> Release:
    """Large enough for a ladder of a few steps."""
    project = ProjectFactory(slug="ti", name="Ti")
    take_submissions(project, per_day=100, per_month=1000)
    return make_part(project, n=60)


made = made_once(make_release)


@pytest.fixture
def release(made: Release, db: None) -> Release:
    return deepcopy(made)


def test_the_first_score_is_told_rounded_with_its_interval(
    release: Release, sender: Participant
) -> None:
    done = scored(release, sender, 31)
    told = standing_of(done).score
    assert told is not None
    assert (told.share, told.n, told.was) == (0.5, 60, None)
    assert told.low < 0.5 < told.high
    assert done.scores.get().correct == 31


def test_a_score_that_is_better_by_noise_is_not_told(release: Release, sender: Participant) -> None:
    scored(release, sender, 25)
    done = score(send(release, sender, answers(release, 33, shift=2)))
    assert (done.twin, done.scores.get().counted, standing_of(done).score) == (None, 33, None)
    assert Ladder.objects.get().climbs == 1


def test_a_score_that_is_better_by_more_is_told(release: Release, sender: Participant) -> None:
    scored(release, sender, 20)
    done = scored(release, sender, 50)
    told = standing_of(done).score
    assert told is not None
    assert told.share == ladder.rounded(50, 60)
    standing = Ladder.objects.get()
    assert (standing.requests, standing.climbs, standing.best) == (2, 2, 50)


def test_a_worse_score_is_not_told_and_says_why(release: Release, sender: Participant) -> None:
    scored(release, sender, 40)
    done = scored(release, sender, 5)
    assert as_json(done)["score"] is None
    assert "not better than your team's best" in result_words(done)


def test_answers_that_differ_in_few_places_are_told_the_same(
    release: Release, sender: Participant
) -> None:
    first = scored(release, sender, 30)
    other = scored(release, sender, 30 + ladder.few(60))
    assert other.twin == first
    assert as_json(other)["score"] == as_json(first)["score"]
    assert as_json(other)["categories"] == as_json(first)["categories"]
    row = other.scores.get()
    assert (row.correct, row.counted) == (30 + ladder.few(60), 30)


def test_many_small_steps_are_told_as_one_large_one(release: Release, sender: Participant) -> None:
    """Each is near the one before, but what that was told is not its own score."""
    few = ladder.few(60)
    rows = [scored(release, sender, 5 + few * step) for step in range(5)]
    counted = [row.scores.get().counted for row in rows]
    assert counted == [5, 5, 5 + 2 * few, 5 + 2 * few, 5 + 4 * few]
    assert [row.twin_id for row in rows] == [None, rows[0].pk, None, rows[2].pk, None]
    assert [row.is_told for row in rows] == [True, False, True, False, True]
    other = scored(release, join(release.project, team="Shigatse"), 52)
    assert (other.twin_id, other.scores.get().counted) == (rows[4].pk, 5 + 4 * few)


def test_answers_scored_between_the_reading_and_the_lock_are_found_near(
    release: Release, sender: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = join(release.project, team="Shigatse")
    first = send(release, other, answers(release, 30))
    ours = send(release, sender, answers(release, 30 + ladder.few(60)))
    option_counts = scoring.option_counts

    def meanwhile(part: Release) -> list[int]:
        monkeypatch.setattr(scoring, "option_counts", option_counts)
        score(first)
        return option_counts(part)

    monkeypatch.setattr(scoring, "option_counts", meanwhile)
    assert score(ours).twin == first
    assert ours.scores.get().counted == 30


def test_other_spellings_of_numbers_are_the_same_answers(
    release: Release, sender: Participant
) -> None:
    uids = [uid for uid, _answer in answers(release, 0)]
    release.items.update(kind="number", key="5")
    first = score(send(release, sender, [(uid, "5") for uid in uids]))
    assert first.scores.get().correct == 60
    with pytest.raises(AlreadySent):
        send(
            release,
            sender,
            [(uid, ["5.0", "+5", "༥"][place % 3]) for place, uid in enumerate(uids)],
        )
    other = join(release.project, team="Shigatse")
    few = ladder.few(60)
    pairs = [(uid, "6" if place < few else "5.0") for place, uid in enumerate(uids)]
    assert score(send(release, other, pairs)).twin == first


def test_two_teams_in_concert_learn_nothing_of_single_items(release: Release) -> None:
    one, two = join(release.project), join(release.project, team="Shigatse")
    first = scored(release, one, 30)
    told = set()
    for place in range(12):
        pairs = [
            (uid, "A" if number == place else answer)
            for number, (uid, answer) in enumerate(answers(release, 30))
        ]
        if pairs != answers(release, 30):
            told.add(str(as_json(score(send(release, two, pairs)))["score"]))
    assert told == {str(as_json(first)["score"])}


def test_answers_of_another_team_are_flagged(release: Release) -> None:
    first = scored(release, join(release.project), 30)
    other = scored(release, join(release.project, team="Shigatse"), 30)
    words = (
        f"Answers nearly equal to those of submission {first.pk} of another team: of 30 items that "
        "either has wrong, both have 30 wrong in the same way. By chance, at most one pair in "
        "1,000,000,000 has as many."
    )
    assert (texts_of(other), texts_of(first)) == ([words], [])


def test_good_models_with_other_errors_are_told_the_same_and_not_flagged(release: Release) -> None:
    first = scored(release, join(release.project), 55)
    pairs = answers(release, 60)
    wrong_elsewhere = [*answers(release, 0)[:5], *pairs[5:]]
    other = score(send(release, join(release.project, team="Shigatse"), wrong_elsewhere))
    assert other.twin == first
    assert texts_of(other) == []


def test_errors_that_most_other_teams_make_too_flag_nobody(release: Release) -> None:
    """As where keys are wrong: every good model is wrong in the same way."""
    teams = [scored(release, join(release.project, team=f"Team {n}"), 45) for n in range(4)]
    last = scored(release, join(release.project, team="Shigatse"), 45)
    assert [bool(texts_of(each)) for each in teams] == [False, True, True, True]
    assert texts_of(last) == []


@pytest.mark.parametrize(("wrong_keys", "is_flagged"), [(5, True), (4, False)])
def test_answers_that_follow_every_wrong_key_are_flagged(
    release: Release, sender: Participant, wrong_keys: int, is_flagged: bool
) -> None:
    """As of somebody who has the keys: a model is right where a key is wrong, or wrong elsewise."""
    before, model = scored(release, sender, 60), scored(release, sender, 4)
    for number in range(wrong_keys):
        correct(release, number, answers(release, 0)[number][1], sender.user)
    rescoring = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert rescoring.job is not None
    run_now(rescoring.job)
    after = scored(release, sender, 30)
    rows = Submission.objects.in_bulk([before.pk, model.pk, after.pk])
    words = ["Answers all 5 items whose keys were wrong by those keys."] if is_flagged else []
    assert [texts_of(rows[each.pk]) for each in (before, after)] == [words, words]
    assert texts_of(rows[model.pk]) == []


def test_categories_are_told_above_the_fewest_items(release: Release, sender: Participant) -> None:
    assert standing_of(scored(release, sender, 30)).categories.keys() == {"Humanities"}
    take_submissions(release.project, per_day=100, per_month=1000, fewest_in_category=61)
    other = make_part(release.project, n=60, version="2.0.0")
    assert standing_of(scored(other, sender, 30)).categories == {}


def test_the_account_of_a_team_counts_bits(release: Release, sender: Participant) -> None:
    scored(release, sender, 30)
    scored(release, sender, 3)
    account = team_accounts(release.project)[0]
    assert (account.requests, account.scores, account.most) == (2, 1, 64.0)
    bits = ladder.which_bits(2, 1) + 2 * ladder.score_bits(60)
    assert (account.bits, account.corrections) == (round(bits, 1), 0.0)


def test_the_sender_is_told_by_e_mail_without_any_item(
    release: Release, sender: Participant, deliver: Callable[[], list[object]]
) -> None:
    scored(release, sender, 30)
    mail = deliver()[-1]
    assert mail.to == [sender.user.email]
    body = mail.body
    assert "Accuracy: 50.0 %" in body
    assert "hidden-" not in body
    assert "འདྲི་བ་" not in body


def correct(release: Release, number: int, key: str, actor: User) -> None:
    placed = ReleaseItem.objects.select_related("item__project").get(
        release=release, position=number
    )
    correct_key(item=placed.item, key=key, reason="It was wrong.", actor=actor, now=NOW)


def test_scoring_again_with_corrected_keys_tells_both_figures(
    release: Release, sender: Participant
) -> None:
    done = scored(release, sender, 30)
    for number in range(30, 54):
        correct(release, number, answers(release, 0)[number][1], sender.user)
    rescoring = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert rescoring.job is not None
    run_now(rescoring.job)
    told = standing_of(Submission.objects.get(pk=done.pk)).score
    assert told is not None
    assert (told.share, told.was) == (0.9, 0.5)
    assert Ladder.objects.get().best == 54
    later = scored(release, sender, 29)
    assert [row.correct for row in later.scores.order_by("pk")] == [29, 53]


def test_what_was_sent_after_a_correction_is_told_by_the_corrected_keys_alone(
    release: Release, sender: Participant
) -> None:
    correct(release, 59, answers(release, 0)[59][1], sender.user)
    scored(release, join(release.project, team="Shigatse"), 40)
    score_again(release, sender.user)
    assert figures(scored(release, sender, 10)) == (ladder.rounded(11, 60), None)


def score_again(release: Release, actor: User) -> None:
    rescoring = start_rescoring(release=release, actor=actor, now=NOW)
    assert rescoring.job is not None
    assert run_now(rescoring.job).state == "done"


def figures(submission: Submission) -> tuple[float | None, float | None]:
    """Return the score that is told and the one before corrections."""
    told = standing_of(Submission.objects.get(pk=submission.pk)).score
    return (told.share, told.was) if told else (None, None)


def test_what_climbs_by_the_corrected_keys_is_told_then(
    release: Release, sender: Participant
) -> None:
    """The second is wrong where keys were wrong: by the new ones it is the better by far."""
    first = scored(release, sender, 40, model="first")
    second = score(send(release, sender, answers(release, 38, shift=2), model="second"))
    worse = score(send(release, sender, answers(release, 5, shift=3)))
    own = team_accounts(release.project)[0].bits
    for number in range(40, 60):
        correct(release, number, answers(release, 0, shift=2)[number][1], sender.user)
    score_again(release, sender.user)
    assert figures(first) == (ladder.rounded(40, 60), None)
    assert figures(second) == (ladder.rounded(58, 60), None)
    assert figures(worse) == (None, None)
    found = Submission.objects.get(pk=second.pk)
    assert as_json(found)["score"]["before_corrections"] is None
    assert as_json(found)["categories"].keys() == {"Humanities"}
    rows = board_of(release, release.hidden_part).rows
    assert [(row.model, row.was) for row in rows] == [("second", None), ("first", None)]
    assert Ladder.objects.get().best == 58
    account = team_accounts(release.project)[0]
    told = ladder.correction_bits(before=1, now=1, untold=2, n=60) + 2 * ladder.score_bits(60)
    assert (account.bits, account.corrections) == (own, round(told, 1))
    with pytest.raises(AlreadySent):
        send(release, sender, answers(release, 38, shift=2))


def test_a_correction_that_runs_twice_tells_once(release: Release, sender: Participant) -> None:
    scored(release, sender, 40)
    correct(release, 50, answers(release, 0)[50][1], sender.user)
    rescoring = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert rescoring.job is not None
    for _time in range(2):
        perform_rescoring(rescoring.job, Progress(rescoring.job.pk))
    assert Telling.objects.filter(rescoring=rescoring).count() == 1


def test_what_climbs_by_no_key_stays_untold_however_often_keys_are_corrected(
    release: Release, sender: Participant
) -> None:
    scored(release, sender, 40)
    worse = score(send(release, sender, answers(release, 45, shift=2)))
    for number in (57, 58, 59):
        correct(release, number, answers(release, 0, shift=3)[number][1], sender.user)
        score_again(release, sender.user)
    assert figures(worse) == (None, None)
    assert "not better than your team's best" in result_words(worse)


def test_twins_of_what_is_told_by_corrected_keys_are_told_the_same(
    release: Release, sender: Participant
) -> None:
    """Another team's twin has the figures of the first, and its own ladder says if they are told."""
    scored(release, sender, 40)
    first = score(send(release, sender, answers(release, 38, shift=2)))
    other = join(release.project, team="Shigatse")
    scored(release, other, 30)
    twin = score(send(release, other, answers(release, 36, shift=2)))
    assert (twin.twin, twin.is_told) == (first, False)
    for number in range(40, 60):
        correct(release, number, answers(release, 0, shift=2)[number][1], sender.user)
    score_again(release, sender.user)
    assert figures(first) == figures(twin) == (ladder.rounded(58, 60), None)


def test_a_correction_takes_nothing_of_what_a_team_s_own_submissions_may_tell(
    release: Release, sender: Participant
) -> None:
    for right in (5, 25, 45):
        scored(release, sender, right)
    counts = [4] * 60
    before = account_of(sender.team, release, counts=counts)
    for number in (57, 58, 59):
        correct(release, number, answers(release, 0)[number][1], sender.user)
        score_again(release, sender.user)
    assert account_of(sender.team, release, counts=counts) == before
    account = team_accounts(release.project)[0]
    assert account.bits <= account.most < account.whole
    assert account.whole == round(account.bits + account.corrections, 1)
    send(release, sender, answers(release, 60))


def test_later_rules_change_neither_what_was_told_nor_its_account(
    release: Release, sender: Participant
) -> None:
    done = scored(release, sender, 30)
    account, told = team_accounts(release.project), as_json(done)
    take_submissions(release.project, per_day=100, per_month=1000, fewest_in_category=1_000_000)
    assert (team_accounts(release.project), as_json(done)) == (account, told)
    alone = scored(release, sender, 55)
    assert (alone.is_told, standing_of(alone).categories) == (True, {})
    take_submissions(release.project, per_day=100, per_month=1000)
    assert standing_of(alone).categories == {}


def test_no_team_is_told_more_than_its_submissions_may_tell(
    release: Release, sender: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits counts as if it were told, so however long the queue, scores fit and then categories."""
    monkeypatch.setattr(ladder, "ALWAYS_TOLD_BITS", 20.0)
    monkeypatch.setattr(ladder, "MOST_SHARE_TOLD", 0.0)
    with pytest.raises(LeakReserved):
        for right in range(0, 60, 12):
            send(release, sender, answers(release, right))
    waiting = list(Submission.objects.order_by("pk"))
    assert [score(each).is_told for each in waiting] == [True] * 4
    account = team_accounts(release.project)[0]
    bits = ladder.which_bits(4, 4) + 4 * ladder.score_bits(60)
    assert (account.bits, account.most) == (round(bits, 1), 20.0)
    assert scores_left(sender.team, release) == 0
    with pytest.raises(LeakSpent):
        send(release, sender, answers(release, 60))


def test_figures_stay_until_all_are_scored_again(release: Release, sender: Participant) -> None:
    done = scored(release, sender, 30)
    correct(release, 40, answers(release, 0)[40][1], sender.user)
    start_rescoring(release=release, actor=sender.user, now=NOW)
    told = standing_of(done).score
    assert told is not None
    assert (told.share, told.was) == (0.5, None)


def test_without_a_corrected_key_nothing_is_scored_again(
    release: Release, sender: Participant
) -> None:
    scored(release, sender, 30)
    with pytest.raises(NothingCorrected):
        start_rescoring(release=release, actor=sender.user, now=NOW)


def test_a_team_withdraws_what_is_scored(release: Release, sender: Participant) -> None:
    waiting = send(release, sender, answers(release, 3))
    with pytest.raises(NotWithdrawable):
        withdraw_submission(submission=waiting, actor=sender.user, now=NOW)
    done = score(waiting)
    withdraw_submission(submission=done, actor=sender.user, now=NOW)
    show_submission(submission=done, actor=sender.user, now=NOW)
    done.refresh_from_db()
    assert done.visibility == "withdrawn"


def test_what_was_told_nothing_is_not_withdrawn(release: Release, sender: Participant) -> None:
    scored(release, sender, 40)
    with pytest.raises(NotWithdrawable):
        withdraw_submission(submission=scored(release, sender, 5), actor=sender.user, now=NOW)


def test_a_team_takes_its_withdrawal_back_and_gains_nothing_by_it(
    release: Release, sender: Participant
) -> None:
    done = scored(release, sender, 40)
    ladder_before, told = Ladder.objects.values().get(), as_json(done)
    left = scores_left(sender.team, release)
    withdraw_submission(submission=done, actor=sender.user, now=NOW)
    with pytest.raises(AlreadySent):
        send(release, sender, answers(release, 40))
    assert score(send(release, sender, answers(release, 45))).is_told is False
    restore_submission(submission=done, actor=sender.user, now=NOW)
    assert as_json(Submission.objects.get(pk=done.pk)) == told
    assert Ladder.objects.get().best == ladder_before["best"]
    assert scores_left(sender.team, release) <= left
    with pytest.raises(NotWithdrawn):
        restore_submission(submission=done, actor=sender.user, now=NOW)


def test_a_team_does_not_show_what_a_manager_hid(release: Release, sender: Participant) -> None:
    done = scored(release, sender, 40)
    hide_submission(submission=done, reason="Not a model.", actor=sender.user, now=NOW)
    with pytest.raises(NotWithdrawn):
        restore_submission(submission=done, actor=sender.user, now=NOW)


def test_scoring_that_was_cancelled_is_started_anew_and_then_not_resumed(
    release: Release, sender: Participant
) -> None:
    scored(release, sender, 30)
    correct(release, 40, answers(release, 0)[40][1], sender.user)
    first = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert first.job is not None
    cancel_job(job=first.job, actor=sender.user, now=NOW)
    second = start_rescoring(release=release, actor=sender.user, now=NOW)
    assert second.number == 2
    first.job.refresh_from_db()
    with pytest.raises(RescoringOvertaken), transaction.atomic():
        resume_job(job=first.job, actor=sender.user, now=NOW)


def test_epochs_are_scored_by_their_mean_over_the_items(
    release: Release, sender: Participant
) -> None:
    """12 of 60 right in one epoch and 49 in the other: 30.5 of 60, with the interval of 60 items."""
    one, two = dict(answers(release, 12)), dict(answers(release, 49))
    found = score(send(release, sender, [(uid, [one[uid], two[uid]]) for uid in one]))
    stored = found.scores.get()
    assert (found.epochs, stored.correct, stored.n) == (2, 31, 60)
    assert stored.categories == {"Humanities": [31, 60]}
    told = standing_of(found).score
    assert told is not None
    alone = told_share(31, 60)
    assert (told.share, told.low, told.high, told.n) == (alone.share, alone.low, alone.high, 60)


def test_epochs_that_repeat_earlier_answers_are_told_the_same(
    release: Release, sender: Participant
) -> None:
    first = scored(release, sender, 12)
    again = score(send(release, sender, [(uid, [a] * 3) for uid, a in answers(release, 12)]))
    assert again.twin == first
