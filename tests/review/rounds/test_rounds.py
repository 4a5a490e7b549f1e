"""Opening and closing rounds, what they choose, in which order, and what they refuse."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import AuditEvent, User
from annotation.enums import ItemState, TranslationState
from annotation.models import Finding, Item, Translation
from projects.models import Project
from review.enums import PanelState, RoundState, SeatState, Selection
from review.guidelines.actions.guidelines import GuidelineOutdated, create_guideline
from review.models import Assignment, Guideline, Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat
from review.selection.item_choice import ChosenItem
from review.selection.sampling import stratified_sample
from tests.factories import RUBRIC, RoundFactory, SubjectFactory, make_translated_item
from tests.review.conftest import OPTIONS
from tests.review.kinds import refusal

pytestmark = pytest.mark.both_databases

Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]


def open_(project: Project, **settings: Any) -> Round:
    return open_round(
        project=project, settings=RoundSettings(**settings), actor=None, now=timezone.now()
    )


def uids(round_: Round) -> list[str]:
    return list(round_.panels.order_by("position").values_list("item__uid", flat=True))


@pytest.mark.django_db
def test_round_opens_with_a_panel_an_item_and_its_seats(opened: Open) -> None:
    round_ = opened(3, panel_size=2)

    assert (round_.number, round_.state, round_.panel_count, round_.judged_count) == (
        1,
        "open",
        3,
        0,
    )
    assert Round.objects.get().panel_count == 3
    seats = Counter(Assignment.objects.values_list("panel", "state"))
    assert seats == {(pk, SeatState.OPEN): 2 for pk in Panel.objects.values_list("pk", flat=True)}
    assert round_.guideline.version == 1
    assert AuditEvent.objects.get(verb="round.opened").data == {
        "number": 1,
        "panels": 3,
        "panel_size": 2,
    }


@pytest.mark.django_db
def test_second_round_while_one_is_open_is_refused(opened: Open, project: Project) -> None:
    opened(1)

    error = refusal(lambda: open_(project))
    assert error.code == "round_already_open"
    assert "1" in str(error)


@pytest.mark.django_db
def test_round_over_nothing_is_refused_and_leaves_nothing(project: Project) -> None:
    assert refusal(lambda: open_(project)).code == "nothing_to_review"
    assert not Round.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"panel_size": 0}, "panel_size"),
        ({"panel_size": 10}, "panel_size"),
        ({"score_gap": 0}, "score_gap"),
        ({"score_gap": 6}, "score_gap"),
        ({"reservation_minutes": 0}, "reservation_minutes"),
        ({"reservation_minutes": 1441}, "reservation_minutes"),
        ({"cap_per_person": 0}, "cap_per_person"),
        ({"seed": -1}, "seed"),
        ({"selection": Selection.SAMPLE}, "sample_size"),
        ({"verdict_rule": "dice"}, "verdict_rule"),
        ({"panel_size": 10**30}, "panel_size"),
    ],
)
def test_impossible_settings_are_refused_by_field(
    project: Project, items: Callable[[int], None], settings: dict[str, Any], field: str
) -> None:
    items(1)

    error = refusal(lambda: open_(project, **settings))
    assert (error.code, error.status, list(error.fields)) == ("round_invalid", 400, [field])


@pytest.mark.django_db
def test_excluded_untranslated_and_decided_items_are_left_out(project: Project) -> None:
    make: dict[str, Any] = {
        "project": project,
        "source__project": project,
        "subject__project": project,
    }
    pending, approved, rejected, excluded, bare = (make_translated_item(**make) for _ in range(5))
    for item, state in (
        (approved, TranslationState.APPROVED),
        (rejected, TranslationState.REJECTED),
    ):
        Translation.objects.filter(item=item).update(state=state)
    Item.objects.filter(pk=excluded.pk).update(state=ItemState.EXCLUDED)
    Item.objects.filter(pk=bare.pk).update(working_translation=None)

    first = open_(project)
    assert uids(first) == [pending.uid]
    close_round(round_=first, actor=None, now=timezone.now())
    second = open_(project, selection=Selection.ALL)
    assert set(uids(second)) == {pending.uid, approved.uid, rejected.uid}


@pytest.mark.django_db
def test_only_the_working_translation_of_several_systems_is_judged(project: Project) -> None:
    item = make_translated_item(project=project, source__project=project, subject__project=project)
    Translation.objects.create(item=item, system="other", created_at=timezone.now())

    round_ = open_(project)

    assert round_.panels.get().revision == item.working_translation.current_revision


@pytest.mark.django_db
def test_risky_items_are_offered_first(project: Project) -> None:
    make: dict[str, Any] = {
        "project": project,
        "source__project": project,
        "subject__project": project,
    }
    sound, warned, wrong, dismissed = (make_translated_item(uid=uid, **make) for uid in "abcd")
    for item, severity in ((warned, "warning"), (wrong, "error"), (dismissed, "error")):
        Finding.objects.create(
            revision=item.working_translation.current_revision, code="c", severity=severity, field="item",
            created_at=timezone.now(),
        )  # fmt: skip
    Finding.objects.filter(revision=dismissed.working_translation.current_revision).update(
        dismissed_at=timezone.now(),
        dismissed_by=RoundFactory().opened_by or _anybody(),
        dismissal_reason="r",
    )

    assert uids(open_(project)) == [wrong.uid, warned.uid, sound.uid, dismissed.uid]


@pytest.mark.django_db
def test_items_of_one_risk_are_offered_as_people_count(project: Project) -> None:
    shared = {"project": project, "source__project": project, "subject__project": project}
    for uid in ("law/10", "law/2", "law/1", "law/02"):
        make_translated_item(uid=uid, **shared)

    assert uids(open_(project)) == ["law/1", "law/2", "law/02", "law/10"]


def _anybody() -> User:
    from tests.factories import UserFactory

    return UserFactory()


@pytest.mark.django_db
def test_next_round_takes_the_new_revisions_and_leaves_disputes_out(
    opened: Open, reviewers: People, judge: Judge, project: Project
) -> None:
    round_ = opened(3)
    first, second, third, fourth = reviewers(4)
    judge(round_, first, correction=Correction("གསར།", OPTIONS))
    judge(round_, second, correction=Correction("གསར།", OPTIONS))
    judge(round_, first)
    judge(round_, second, verdict="reject")
    judge(round_, first)
    judge(round_, second)
    close_round(round_=round_, actor=None, now=timezone.now())

    again = open_(project)

    panel = again.panels.get()
    assert (again.number, again.is_same_panel_allowed) == (2, False)
    assert (panel.item.uid, panel.revision.number) == ("s/00000", 2)
    now = timezone.now()
    assert claim_seat(round_=again, reviewer=first, now=now) is None
    assert claim_seat(round_=again, reviewer=second, now=now) is None
    assert claim_seat(round_=again, reviewer=third, now=now)
    assert claim_seat(round_=again, reviewer=fourth, now=now)


@pytest.mark.django_db
def test_same_people_may_judge_again_but_never_the_author_where_there_are_no_others(
    opened: Open, reviewers: People, judge: Judge, project: Project
) -> None:
    round_ = opened(1)
    author, second = reviewers(2)
    judge(round_, author, correction=Correction("གསར།", OPTIONS))
    judge(round_, second, correction=Correction("གསར།", OPTIONS))
    close_round(round_=round_, actor=None, now=timezone.now())

    again = open_(project, panel_size=1)

    assert claim_seat(round_=again, reviewer=author, now=timezone.now()) is None
    assert again.is_same_panel_allowed is False
    Round.objects.update(is_same_panel_allowed=True)
    again.refresh_from_db()
    assert claim_seat(round_=again, reviewer=author, now=timezone.now()) is None
    assert claim_seat(round_=again, reviewer=second, now=timezone.now())


@pytest.mark.django_db
def test_close_frees_held_seats_and_freezes_the_figures(
    opened: Open, reviewers: People, judge: Judge
) -> None:
    round_ = opened(3)
    first, second = reviewers(2)
    for user in (first, second):
        judge(round_, user)
    judge(round_, first)
    claim_seat(round_=round_, reviewer=second, now=timezone.now())

    closed = close_round(round_=round_, actor=None, now=timezone.now())

    assert closed.state == RoundState.CLOSED
    assert closed.closed_at is not None
    assert Counter(Assignment.objects.values_list("state", flat=True)) == {"judged": 3, "closed": 3}
    assert Counter(Panel.objects.values_list("state", flat=True)) == {"settled": 1, "unfinished": 2}
    assert Round.objects.get().figures["items_judged"] == 1
    assert AuditEvent.objects.filter(verb="round.closed").count() == 1


@pytest.mark.django_db
def test_close_keeps_disputes_in_the_queue(disputed: Callable[..., Panel]) -> None:
    close_round(round_=disputed().round, actor=None, now=timezone.now())

    assert Panel.objects.get().state == PanelState.DISPUTED


@pytest.mark.django_db
def test_close_twice_is_refused_and_changes_nothing(opened: Open) -> None:
    round_ = opened(1)
    first = close_round(round_=round_, actor=None, now=timezone.now())

    error = refusal(
        lambda: close_round(round_=round_, actor=None, now=timezone.now() + timedelta(1))
    )
    assert error.code == "round_not_open"
    assert Round.objects.get().closed_at == first.closed_at


@pytest.mark.django_db
def test_guideline_gets_the_next_version_and_rounds_keep_theirs(
    opened: Open, project: Project
) -> None:
    round_ = opened(1)
    newer = create_guideline(
        project=project, text="New.", rubric=RUBRIC, actor=None, now=timezone.now()
    )

    assert newer.version == 2
    assert Round.objects.get(pk=round_.pk).guideline.version == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "rubric"),
    [
        (" ", RUBRIC),
        ("Text", {**RUBRIC, "domain": RUBRIC["domain"][:5]}),
        ("Text", {"domain": RUBRIC["domain"]}),
        ("Text", {**RUBRIC, "cultural": ["", *RUBRIC["cultural"][1:]]}),
    ],
)
def test_incomplete_guideline_is_refused(
    project: Project, text: str, rubric: dict[str, Any]
) -> None:
    error = refusal(
        lambda: create_guideline(
            project=project, text=text, rubric=rubric, actor=None, now=timezone.now()
        )
    )
    assert (error.code, error.status) == ("guideline_invalid", 400)


@pytest.mark.django_db
def test_sample_round_holds_its_size(project: Project) -> None:
    for slug, count in (("law", 6), ("art", 3)):
        subject = SubjectFactory(project=project, slug=slug)
        for number in range(count):
            make_translated_item(
                project=project, source__project=project, subject=subject, uid=f"{slug}/{number}"
            )

    round_ = open_(project, selection=Selection.SAMPLE, sample_size=3, seed=7)

    assert Counter(uid.split("/")[0] for uid in uids(round_)) == {"law": 2, "art": 1}


sizes = st.lists(st.integers(1, 30), min_size=1, max_size=6)


def _items(sizes: list[int]) -> list[ChosenItem]:
    return [
        ChosenItem(pk=0, uid=f"{subject}/{number}", subject=subject, revision=0, author=None)
        for subject, size in enumerate(sizes, start=1)
        for number in range(size)
    ]


@given(sizes, st.integers(1, 200), st.integers(0, 2**31 - 1))
def test_sample_has_its_size_and_shares_in_proportion(
    sizes: list[int], size: int, seed: int
) -> None:
    items = _items(sizes)
    chosen = stratified_sample(items, size, seed)

    assert len(chosen) == len({item.uid for item in chosen}) == min(size, len(items))
    assert chosen == stratified_sample(list(reversed(items)), size, seed)
    taken = Counter(item.subject for item in chosen)
    for subject, count in enumerate(sizes, start=1):
        fair = min(size, len(items)) * count / len(items)
        assert abs(taken[subject] - fair) < 1


@given(sizes, st.integers(1, 100), st.integers(0, 100), st.integers(0, 999))
def test_larger_sample_with_the_same_seed_keeps_each_subjects_order(
    sizes: list[int], size: int, more: int, seed: int
) -> None:
    items = _items(sizes)
    small, large = stratified_sample(items, size, seed), stratified_sample(items, size + more, seed)

    quota = Counter(item.subject for item in large)
    kept = Counter(item.subject for item in small)
    for item in small:
        if quota[item.subject] >= kept[item.subject]:
            assert item in large


@pytest.mark.django_db(transaction=True)
def test_of_guidelines_written_at_once_each_is_a_version_or_refused(project: Project) -> None:
    told: list[str] = []

    def write() -> None:
        try:
            made = create_guideline(
                project=project, text="Judge.", rubric=RUBRIC, actor=None, now=timezone.now()
            )
            told.append(str(made.version))
        except GuidelineOutdated as refused:
            told.append(refused.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    written = sorted(text for text in told if text.isdigit())
    assert len(told) == 6
    assert written == [str(n) for n in range(1, len(written) + 1)]
    assert set(told) <= {*written, "guideline_outdated"}
    assert Guideline.objects.count() == len(written)
