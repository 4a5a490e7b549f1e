"""The figures of comparisons and solving rounds, from plain counts and from the database."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from annotation.enums import SplitName, TranslationState
from annotation.items.keys import correct_key
from annotation.items.revisions import text_hash
from annotation.models import Revision, Translation
from common.figure_tables import as_latex
from common.intervals import wilson_interval
from common.months import month_of
from languages import get_language
from languages.base import Language
from projects.criteria import Criterion
from projects.models import Project
from review.answers.actions import withdraw_answer
from review.answers.figures import (
    Opinion,
    SolvedItem,
    best_systems,
    subject_figures,
    system_figures,
)
from review.answers.queries import comparison_results, solving_results
from review.answers.tables import results_of, results_table
from review.enums import RoundKind
from review.models import Round
from review.people.actions import close_statement
from review.people.statements import statement_months, statement_of
from review.report.queries import report
from review.rounds.actions.rounds import close_round
from review.workbench.actions.withdrawals import JudgementPaid
from scoring.overlap import text_counts, text_scores
from tests.review.kinds import add_system, compare, opinion, solve

LANGUAGE = get_language("bo")


def said(item: int, *, yes: bool = True, rating: int = 4, rank: int | None = None) -> Opinion:
    return Opinion("s", item, yes, {"domain": rating, "cultural": rating}, rank)


def figures(opinions: list[Opinion], **more: Any) -> Any:
    values: dict[str, Any] = {"unscored": 0, "panel_size": 2, "is_majority_enough": False}
    scores = text_scores([text_counts(*pair, LANGUAGE) for pair in more.pop("texts", [])])
    return system_figures("s", opinions, scores, **(values | more))


def test_system_approval_asks_for_all_of_a_complete_panel() -> None:
    opinions = [said(1), said(1), said(2), said(2, yes=False), said(3)]

    found = figures(opinions)

    assert (found.items_judged, found.approved) == (2, 1)
    assert found.approval_rate.value == 0.5
    assert found.approval_rate.low == pytest.approx(wilson_interval(1, 2).low)
    assert found.approval_rate.n_left_out == 1


def test_system_approval_by_majority_takes_more_than_half() -> None:
    opinions = [said(1), said(1), said(1, yes=False), said(2), said(2, yes=False)]

    found = figures(opinions, panel_size=2, is_majority_enough=True)

    assert (found.items_judged, found.approved) == (2, 1)


def test_system_means_are_of_all_ratings() -> None:
    found = figures([said(1, rating=5), said(1, rating=4), said(2, rating=0)])

    assert found.means["domain"].value == 3


def test_ranked_first_counts_rankings_and_leaves_out_who_ranked_nothing() -> None:
    found = figures([said(1, rank=1), said(1, rank=2), said(2, rank=1), said(2)])

    assert found.ranked_first.value == pytest.approx(2 / 3)
    assert found.ranked_first.n_used == 2


def test_ranked_first_without_a_rank_has_no_value() -> None:
    assert figures([said(1), said(1)]).ranked_first.value is None


def test_text_scores_have_an_interval_and_say_how_many_are_left_out() -> None:
    texts = [("བོད་ཀྱི་རྒྱལ་ས་གང་ཡིན།", "བོད་ཀྱི་རྒྱལ་ས་གང་རེད།"), ("ལྷ་ས།", "ལྷ་ས།")]

    found = figures([said(1), said(1)], texts=texts, unscored=3)

    assert found.chrf.low < found.chrf.value < found.chrf.high
    assert (found.bleu.n_used, found.bleu.n_left_out) == (2, 3)


def test_text_scores_without_approved_texts_have_no_value() -> None:
    assert figures([said(1), said(1)]).bleu.value is None


def test_best_systems_names_all_that_are_equally_good() -> None:
    rows = [
        said(1, rating=3)._replace(system="b"),
        said(1, rating=3)._replace(system="a"),
        said(2, rating=0, rank=1)._replace(system="a"),
        said(2, rating=5, rank=2)._replace(system="b"),
    ]

    assert best_systems(rows) == {1: ["a", "b"], 2: ["a"]}


def test_best_systems_compare_means_over_different_scales_exactly() -> None:
    """Thirds, fifths and sevenths of a scale, whose sums as floats depend on the order."""
    spans = (3, 5, 7)
    criteria = tuple(
        Criterion(f"by_{span}", "", "", "", (), lowest=1, highest=1 + span) for span in spans
    )
    chance = random.Random(7)
    rows = [
        Opinion(
            system,
            item,
            is_approved=True,
            ratings={c.name: chance.choice(c.scale) for c in criteria},
            rank=None,
        )
        for item in range(300)
        for system in "abc"
        for _judge in range(2)
    ]

    def mean(item: int, system: str) -> Fraction:
        said = [row for row in rows if (row.item, row.system) == (item, system)]
        parts = [Fraction(row.ratings[c.name] - 1, c.span) for row in said for c in criteria]
        return sum(parts, Fraction(0)) / len(parts)

    plain = {}
    for item in range(300):
        means = {system: mean(item, system) for system in "abc"}
        plain[item] = [each for each in "abc" if means[each] == max(means.values())]
    assert best_systems(rows, criteria) == plain
    assert any(len(systems) > 1 for systems in plain.values())


def test_subject_figures_count_answers_and_majorities() -> None:
    items = [
        SolvedItem(1, answers=2, right=2, unsure=0, is_doubted=False),
        SolvedItem(1, answers=2, right=1, unsure=1, is_doubted=False),
        SolvedItem(1, answers=1, right=0, unsure=0, is_doubted=True),
    ]

    found = subject_figures("law", "Law", items, panel_size=2)

    assert (found.items, found.answers, found.unsure, found.doubted) == (3, 5, 1, 1)
    assert found.accuracy.value == 0.6
    assert (found.majority.value, found.majority.n_used, found.majority.n_left_out) == (0.5, 2, 1)


def test_accuracy_of_one_answer_an_item_is_wilsons() -> None:
    items = [SolvedItem(1, 1, right, 0, is_doubted=False) for right in (1, 1, 1, 0)]

    found = subject_figures("", "", items, panel_size=1).accuracy

    expected = wilson_interval(3, 4)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.fixture
def compared(
    project: Project,
    items: Callable[[int], None],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> Callable[[int], Round]:
    """A closed comparison: "mt" is approved by both, "other" by one and ranked first."""

    def make(count: int) -> Round:
        items(count)
        add_system(project)
        round_ = opened(0, kind=RoundKind.COMPARISON)
        for number, user in enumerate(reviewers(2)):
            of = {"mt": opinion(rank=2), "other": opinion(rank=1, is_approved=bool(number))}
            for _item in range(count):
                compare(round_, user, of)
        return close_round(round_=round_, actor=None, now=timezone.now())

    return make


@pytest.mark.django_db
def test_comparison_results_are_by_system(compared: Callable[[int], Round]) -> None:
    found = comparison_results(compared(2))

    assert [each.system for each in found.systems] == ["mt", "other"]
    assert [each.approval_rate.value for each in found.systems] == [1, 0]
    assert [each.ranked_first.value for each in found.systems] == [0, 1]
    assert [each.bleu.value for each in found.systems] == [None, None]
    assert found.items == 2


@pytest.mark.django_db
def test_comparison_results_compare_with_the_approved_texts(
    compared: Callable[[int], Round],
) -> None:
    round_ = compared(2)
    Translation.objects.filter(system="mt").update(state=TranslationState.APPROVED)

    mt, other = comparison_results(round_).systems

    assert mt.chrf.value == pytest.approx(100)
    assert mt.chrf.n_used == 2
    assert other.chrf.value is not None
    assert other.chrf.value < 100


@pytest.mark.django_db
def test_comparison_with_the_approved_texts_reads_explanations(
    compared: Callable[[int], Round],
) -> None:
    round_ = compared(2)
    Translation.objects.filter(system="mt").update(state=TranslationState.APPROVED)
    mine = Revision.objects.filter(translation__system="mt").order_by("pk")
    Revision.objects.update(question=mine[0].question)
    mine.update(explanation="དེའི་ཕྱིར།")

    mt, other = comparison_results(round_).systems

    assert mt.chrf.value == pytest.approx(100)
    assert other.chrf.value is not None
    assert other.chrf.value < 100


@pytest.mark.django_db
def test_comparison_results_leave_out_dev_items(
    project: Project, compared: Callable[[int], Round]
) -> None:
    round_ = compared(2)
    project.items.filter(uid="s/00000").update(split=SplitName.DEV)

    assert comparison_results(round_).items == 1


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 3])
def test_comparison_results_take_the_same_queries_for_any_size(
    compared: Callable[[int], Round],
    count: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    round_ = compared(count)
    Translation.objects.filter(system="mt").update(state=TranslationState.APPROVED)
    assert round_.project.slug

    with django_assert_num_queries(6):
        comparison_results(round_)
    with django_assert_num_queries(5):
        comparison_results(round_)


@pytest.mark.django_db
def test_comparison_results_count_each_pair_of_texts_once_and_follow_later_approvals(
    compared: Callable[[int], Round],
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []

    def counts(ours: str, reference: str, language: Language) -> list[int]:
        counted.append(ours)
        return text_counts(ours, reference, language)

    monkeypatch.setattr("review.answers.text_scores.text_counts", counts)
    round_ = compared(3)
    assert round_.project.slug
    for number, text in enumerate(Revision.objects.order_by("pk")):
        question = f"{text.question}{'ཀ' * number}"
        new_hash = text_hash(question, text.options)
        Revision.objects.filter(pk=text.pk).update(question=question, content_hash=new_hash)
    first, second, _third = Translation.objects.filter(system="mt").order_by("pk")
    Translation.objects.filter(pk=first.pk).update(state=TranslationState.APPROVED)
    before = comparison_results(round_)
    at_first = len(counted)

    with django_assert_num_queries(5):
        again = comparison_results(round_)
    assert at_first and len(counted) == at_first
    Translation.objects.filter(pk=second.pk).update(state=TranslationState.APPROVED)
    with django_assert_num_queries(6):
        later = comparison_results(round_)

    assert len(counted) == 2 * at_first  # those of the second item alone
    assert again == before
    assert [each.chrf.n_used for each in before.systems] == [1, 1]
    assert [each.chrf.n_used for each in later.systems] == [2, 2]
    cache.clear()
    assert later == comparison_results(round_)


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 3])
def test_solving_results_take_the_same_queries_for_any_size(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    count: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    round_ = _solved(opened, reviewers, "A" * count)

    with django_assert_num_queries(4):
        solving_results(round_)


@pytest.mark.django_db
def test_solving_results_follow_corrected_keys_and_say_how_many(
    project: Project, opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    round_ = _solved(opened, reviewers, "AB")
    item = project.items.get(panels__answers__choice="B")
    before = solving_results(round_)
    correct_key(item=item, key="B", reason="misprint", actor=None, now=timezone.now())

    after = solving_results(round_)

    assert (before.total.accuracy.value, before.corrected_keys) == (0.5, 0)
    assert (after.total.accuracy.value, after.corrected_keys) == (1, 1)


@pytest.mark.django_db
def test_figures_of_review_do_not_know_rounds_of_other_kinds(
    project: Project, compared: Callable[[int], Round]
) -> None:
    round_ = compared(1)

    found = report(project)

    assert found.stages == ()
    assert found.systems == ()
    assert not hasattr(round_, "tables")


@pytest.mark.django_db
def test_a_comparison_between_rounds_changes_no_stage(
    project: Project,
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Any],
) -> None:
    first, second = reviewers(2)
    round_ = opened(1)
    for user in (first, second):
        judge(round_, user)
    close_round(round_=round_, actor=None, now=timezone.now())
    before = report(project).as_json()
    add_system(project)
    middle = opened(0, kind=RoundKind.COMPARISON)
    compare(middle, first, {"mt": opinion(), "other": opinion()})
    close_round(round_=middle, actor=None, now=timezone.now())

    audit = opened(0)

    assert report(project).as_json() == before
    assert (audit.number, audit.purpose) == (3, "audit")


@pytest.mark.django_db
@pytest.mark.parametrize("format_", ["markdown", "csv", "latex"])
def test_round_results_command_prints_the_table(
    compared: Callable[[int], Round], capsys: pytest.CaptureFixture[str], format_: str
) -> None:
    round_ = compared(1)

    call_command("round_results", round_.project.slug, "1", "--format", format_)

    printed = capsys.readouterr().out
    assert "other" in printed
    assert "chrf" in printed.lower()


@pytest.mark.django_db
def test_texts_that_no_job_made_have_no_costs(compared: Callable[[int], Round]) -> None:
    results = comparison_results(compared(1))

    assert ["cost" in each for each in results.systems_json()] == [False, False]
    assert [each.name for each in results_table(results).printed()] == ["comparison"]


@pytest.mark.django_db
def test_latex_of_results_is_escaped(compared: Callable[[int], Round]) -> None:
    text = as_latex([results_table(results_of(compared(1)))])

    assert r"\toprule" in text
    assert " % " not in text.replace(r"\%", "").split("\n", 1)[1]


@pytest.mark.django_db
def test_statements_count_answers_as_work_once(
    project: Project, opened: Callable[..., Round], reviewers: Callable[[int], list[User]]
) -> None:
    (user,) = reviewers(1)
    round_ = opened(1, kind=RoundKind.SOLVING)
    answer = solve(round_, user)
    now, month = timezone.now(), month_of(answer.submitted_at)

    assert [line.judgements for line in statement_of(project, month).lines] == [1]
    close_statement(project=project, month=month, actor=None, now=month.end)

    assert [line.judgements for line in statement_of(project, month).lines] == [1]
    assert [each.judgements for each in statement_months(project)] == [1]
    with pytest.raises(JudgementPaid):
        withdraw_answer(answer=answer, reviewer=user, now=now)


def _solved(
    opened: Callable[..., Round], reviewers: Callable[[int], list[User]], choices: str
) -> Round:
    round_ = opened(len(choices), kind=RoundKind.SOLVING, panel_size=1)
    (user,) = reviewers(1)
    for choice in choices:
        solve(round_, user, choice)
    return close_round(round_=round_, actor=None, now=timezone.now())
