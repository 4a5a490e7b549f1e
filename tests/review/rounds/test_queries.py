"""Questions over rounds: progress, figures, counts."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.enums import ItemState
from annotation.models import Item
from projects.models import Membership, Project
from review.disputes import queries
from review.models import Judgement, Panel, Round
from review.report import queries as report_queries
from review.report.selectors import open_round_of
from review.rounds import queries as rounds_queries
from review.rounds.actions.rounds import close_round
from review.rounds.previews import judging_people

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_progress_counts_panels_and_seats(
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> None:
    round_ = opened(3)
    first, second = reviewers(2)
    judge(round_, first)
    judge(round_, second)
    judge(round_, first)
    judge(round_, second, verdict="reject")
    judge(round_, first)
    round_.refresh_from_db()

    assert rounds_queries.round_progress(round_) == rounds_queries.RoundProgress(3, 1, 1, 1, 6, 5)
    assert rounds_queries.round_progress(round_).percent == 83
    assert rounds_queries.reviewer_progress(round_, second) == rounds_queries.ReviewerProgress(
        5, 6, 2
    )


def test_figures_of_an_open_round_tell_nothing_of_a_half_judged_panel(
    opened: Callable[..., Round],
    project: Project,
    reviewers: Callable[[int], list[User]],
    judge: Callable[..., Judgement],
) -> None:
    round_ = opened(2)
    first, second = reviewers(2)
    judge(round_, first, domain=1, cultural=3)

    assert report_queries.round_figures(round_).items_judged == 0
    assert report_queries.round_figures(round_).means["domain"].value is None
    assert report_queries.subject_table(project) == []
    assert list(report_queries.stage_table(project)) == []

    judge(round_, second, domain=2, cultural=3)

    assert report_queries.round_figures(round_).means["domain"].value == 1.5
    judge(round_, first)
    closed = close_round(round_=round_, actor=None, now=timezone.now())
    assert report_queries.round_figures(closed).means["domain"].n_used == 2


def test_disputes_of_excluded_items_wait_for_nobody(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed(2)
    Item.objects.filter(pk=Panel.objects.order_by("pk")[0].item_id).update(state=ItemState.EXCLUDED)

    assert [panel.pk for panel in queries.disputes(project)] == [Panel.objects.order_by("pk")[1].pk]


def test_frozen_figures_are_those_of_the_moment_of_closing(disputed: Callable[..., Panel]) -> None:
    panel = disputed()
    live = report_queries.round_figures(panel.round)
    closed = close_round(round_=panel.round, actor=None, now=timezone.now())
    Panel.objects.update(tally="A55 A55")

    assert report_queries.round_figures(Round.objects.get(pk=closed.pk)) == live


def test_disputes_come_worst_first_and_not_to_who_judged(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed(2)
    second = Panel.objects.order_by("-pk")[0]
    Panel.objects.filter(pk=second.pk).update(severity=99)
    judge = second.judgements.all()[0].reviewer

    assert next(panel.pk for panel in queries.disputes(project)) == second.pk
    assert list(queries.disputes_for(project, judge)) == []
    assert queries.oldest_dispute_at(project) is not None


def test_selection_counts_leave_disputes_out(
    disputed: Callable[..., Panel], project: Project
) -> None:
    disputed(2)

    assert rounds_queries.selection_counts(project) == {
        "all": 0,
        "not_approved": 0,
        "approved": 0,
        "findings": 0,
    }
    assert sum(person.can_judge for person in judging_people(project)) == 2


def test_project_without_rounds_has_no_open_round(project: Project) -> None:
    assert open_round_of(project) is None


def test_judges_are_those_who_read_the_target_language(
    project: Project, reviewers: Callable[[int], list[User]]
) -> None:
    _all, reads, reads_other = reviewers(3)
    Membership.objects.filter(user=reads).update(languages=["en", "bo"])
    Membership.objects.filter(user=reads_other).update(languages=["en"])

    assert sum(person.can_judge for person in judging_people(project)) == 2
