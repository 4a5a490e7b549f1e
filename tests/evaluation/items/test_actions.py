"""Analysing items, and sending what is suspicious to a round."""

import uuid

import pytest

from accounts.models import AuditEvent
from common.reasons import ReasonMissing
from evaluation.enums import SuggestionKind, SuggestionState
from evaluation.items.actions import (
    AnalysisUnderway,
    NothingSelected,
    ReferenceIsSame,
    RunsMissing,
    SuggestionDecided,
    dismiss_suggestion,
    send_suggestions,
    start_analysis,
)
from evaluation.items.queries import hit_rates, is_outdated, suggestions_of
from evaluation.models import ItemFigure, ReviewSuggestion
from projects.models import Project
from review.models import Judgement, Panel, Round
from review.rounds.actions.rounds import RoundAlreadyOpen, discard_round
from tests.evaluation.builders import NOW
from tests.evaluation.items.builders import GOOD, WEAK, analysed, answered_run, six_items
from tests.factories import GuidelineFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
# Strong models all take C for item 1, whose key is B; everybody fails item 3.
DOUBTED = ["ACCAAB", "ACCBAB", "ACCCAB", "DBDCBC", "BBDCBC"]


def test_analysis_stores_a_row_for_each_item(project: Project) -> None:
    analysis = analysed(six_items(project), [GOOD, GOOD, WEAK])

    rows = ItemFigure.objects.filter(analysis=analysis).order_by("position")
    assert [round(row.difficulty or 0, 3) for row in rows] == [0.667, 1, 1, 0.667, 1, 0.667]
    assert rows[0].chosen == [0.6667, 0.3333, 0, 0]
    assert rows[0].strong_chosen == [1, 0, 0, 0]
    assert analysis.facts == {
        "items": 6,
        "runs": 3,
        "models": 3,
        "respondents": 3,
        "methods": ["anchored"],
    }


def test_answers_that_a_run_copied_from_another_count_once(project: Project) -> None:
    release = six_items(project)
    first, second = (answered_run(release, "model-0", GOOD) for _time in range(2))
    bought = dict(first.responses.values_list("release_item", "pk"))
    for copy in second.responses.all():
        second.responses.filter(pk=copy.pk).update(reused_from=bought[copy.release_item_id])

    analysis = analysed(release)

    assert (analysis.facts["runs"], analysis.facts["respondents"]) == (2, 1)
    assert list(ItemFigure.objects.values_list("answers", flat=True)) == [1] * 6


def test_analysing_again_replaces_figures_and_open_suggestions(project: Project) -> None:
    release = six_items(project)
    first = analysed(release, DOUBTED)
    before = set(ReviewSuggestion.objects.values_list("placed__uid", "kind"))
    kept = ReviewSuggestion.objects.get(kind=SuggestionKind.KEY_DOUBTED)
    answered_run(release, "model-9", "ADDDDD")
    assert is_outdated(first)

    again = analysed(release)

    assert again.pk == first.pk
    assert not is_outdated(again)
    assert ItemFigure.objects.count() == 6
    after = set(ReviewSuggestion.objects.values_list("placed__uid", "kind"))
    assert ("history/test-3", "none_solve") in before - after
    assert ReviewSuggestion.objects.get(kind=SuggestionKind.KEY_DOUBTED).pk == kept.pk


def test_strong_models_that_agree_against_the_key_make_a_suggestion(project: Project) -> None:
    analysed(six_items(project), DOUBTED)

    found = suggestions_of(project).get(kind=SuggestionKind.KEY_DOUBTED)
    assert found.placed.uid == "history/test-1"
    assert found.evidence["option"] == "C"
    assert found.evidence["key"] == "B"
    assert (found.evidence["strong_agree"], found.evidence["strong"]) == (3, 3)


def test_analysis_needs_finished_runs(project: Project) -> None:
    release = six_items(project)
    with pytest.raises(RunsMissing):
        start_analysis(release=release, reference=None, actor=None, now=NOW)


def test_release_is_not_compared_with_itself(project: Project) -> None:
    release = six_items(project)
    answered_run(release, "model-1", GOOD)
    with pytest.raises(ReferenceIsSame):
        start_analysis(release=release, reference=release, actor=None, now=NOW)


def test_second_analysis_at_a_time_is_refused(project: Project) -> None:
    release = six_items(project)
    answered_run(release, "model-1", GOOD)
    start_analysis(release=release, reference=None, actor=None, now=NOW)
    with pytest.raises(AnalysisUnderway):
        start_analysis(release=release, reference=None, actor=None, now=NOW)


def test_selected_suggestions_open_a_round_on_their_items(project: Project) -> None:
    found = _doubted(project)

    round_ = send_suggestions(project=project, ids=[found.pk], panel_size=2, actor=None, now=NOW)

    panels = Panel.objects.filter(round=round_).values_list("item", flat=True)
    assert list(panels) == [found.item_id]
    found.refresh_from_db()
    assert (found.state, found.round) == (SuggestionState.SENT, round_)
    assert AuditEvent.objects.filter(verb="suggestions.sent", scope=project.slug).count() == 1


def test_suggestion_is_sent_once_and_not_while_a_round_is_open(project: Project) -> None:
    found = _doubted(project)
    other = suggestions_of(project).exclude(pk=found.pk)[0]
    send_suggestions(project=project, ids=[found.pk], panel_size=2, actor=None, now=NOW)

    with pytest.raises(NothingSelected):
        send_suggestions(project=project, ids=[found.pk], panel_size=2, actor=None, now=NOW)
    with pytest.raises(RoundAlreadyOpen):
        send_suggestions(project=project, ids=[other.pk], panel_size=2, actor=None, now=NOW)
    other.refresh_from_db()
    assert other.state == SuggestionState.OPEN


@pytest.mark.parametrize("ids", [[], [10**9]])
def test_nothing_selected_is_refused(project: Project, ids: list[int]) -> None:
    with pytest.raises(NothingSelected):
        send_suggestions(project=project, ids=ids, panel_size=2, actor=None, now=NOW)


def test_suggestions_of_a_discarded_round_are_open_again(project: Project) -> None:
    found = _doubted(project)
    round_ = send_suggestions(project=project, ids=[found.pk], panel_size=2, actor=None, now=NOW)
    discard_round(round_=round_, actor=None, now=NOW)
    assert not Round.objects.exists()

    analysed(found.release)

    found.refresh_from_db()
    assert (found.state, found.round_id, found.decided_at) == (SuggestionState.OPEN, None, None)


def test_dismissed_suggestion_stays_dismissed_after_another_analysis(project: Project) -> None:
    found = _doubted(project)
    dismiss_suggestion(suggestion=found, reason=" a trick question ", actor=None, now=NOW)

    analysed(found.release)

    found.refresh_from_db()
    assert (found.state, found.reason) == (SuggestionState.DISMISSED, "a trick question")
    with pytest.raises(SuggestionDecided):
        dismiss_suggestion(suggestion=found, reason="again", actor=None, now=NOW)


def test_dismissal_needs_a_reason(project: Project) -> None:
    with pytest.raises(ReasonMissing):
        dismiss_suggestion(suggestion=_doubted(project), reason="  ", actor=None, now=NOW)


def test_hit_rate_counts_items_whose_panel_did_not_approve(project: Project) -> None:
    found = _doubted(project)
    other = suggestions_of(project).filter(kind=SuggestionKind.NONE_SOLVE)[0]
    ids = [found.pk, other.pk]
    round_ = send_suggestions(project=project, ids=ids, panel_size=2, actor=None, now=NOW)
    settled = {"state": "settled", "decided_at": NOW, "settled_at": NOW}
    Panel.objects.filter(round=round_, item=found.item_id).update(outcome="revised", **settled)
    Panel.objects.filter(round=round_, item=other.item_id).update(outcome="approved", **settled)

    rates = {each.kind: (each.sent, each.judged, each.found) for each in hit_rates(project)}

    assert rates == {SuggestionKind.KEY_DOUBTED: (1, 1, 1), SuggestionKind.NONE_SOLVE: (1, 1, 0)}
    key = next(each for each in hit_rates(project) if each.kind == SuggestionKind.KEY_DOUBTED)
    assert key.share == 1
    assert key.interval.low == pytest.approx(0.2065, abs=1e-3)


def test_hit_rate_says_where_a_program_judged(project: Project) -> None:
    found = _doubted(project)
    round_ = send_suggestions(project=project, ids=[found.pk], panel_size=2, actor=None, now=NOW)
    panel = Panel.objects.get(round=round_)
    assert [each.simulated for each in hit_rates(project)] == [0]
    program = UserFactory(is_simulated=True)
    seat = panel.assignments.order_by("seat").first()
    assert seat is not None
    Judgement.objects.create(
        assignment=seat, panel=panel, revision=panel.revision, reviewer=program,
        verdict="approve", ratings={"domain": 5, "cultural": 5}, idempotency_key="a",
        receipt=uuid.uuid4(), submitted_at=NOW,
    )  # fmt: skip

    assert [each.simulated for each in hit_rates(project)] == [1]


def _doubted(project: Project) -> ReviewSuggestion:
    GuidelineFactory(project=project)
    analysed(six_items(project), DOUBTED)
    found: ReviewSuggestion = suggestions_of(project).get(kind=SuggestionKind.KEY_DOUBTED)
    return found


def test_another_order_of_options_is_another_prompt(project: Project) -> None:
    """Of six items, a model that always takes what stands first is right at two when B does."""
    release = six_items(project)
    answered_run(release, "m", GOOD)
    answered_run(release, "m", "AAAAAA", rotation=1)

    figures = analysed(release).figures.order_by("position")

    assert [each.prompt_spread for each in figures] == [1.0, 0.0, 1.0, 1.0, 1.0, 0.0]
