"""The table of candidates: how often experts chose the text that a translation job ranked first."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, TranslationJob
from annotation.translating.candidates import nearest
from annotation.translating.texts import ItemText
from endpoints.providers.base import ChatRequest
from projects.enums import Role
from projects.models import Project
from review.enums import RoundKind, Selection
from review.models import Round
from review.outcomes import Correction
from review.report.candidates import Choice, Left, candidate_figures
from review.report.tables import make_tables
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from tests.annotation.translating.builders import good, make_items, make_job, work_off
from tests.review.kinds import add_text, compare, opinion

pytestmark = pytest.mark.django_db
WORDS = ("ཆུའི་རང་བཞིན", "མེའི་ཚ་བ", "རླུང་གི་གཡོ་བ")


class Different:
    """Answers with candidates that differ in their first words; the second has the best score and ranks.

    The rounds of `rank` show the candidates as 1 2 3, 2 3 1 and 3 1 2.
    """

    def __init__(self) -> None:
        self.numbers = count()
        self.rankings = iter([[2, 3, 1], [1, 2, 3], [3, 1, 2]])

    def __call__(self, request: ChatRequest) -> str:
        shape = request.messages[-1].content.rpartition("shape only: ")[2].splitlines()[0]
        if "scores" in shape:
            return json.dumps({"scores": [5, 9, 1]})
        if "ranking" in shape:
            return json.dumps({"ranking": next(self.rankings)})
        answer = json.loads(good(request))
        words = WORDS[next(self.numbers) % 3]
        return json.dumps({**answer, "question": f"{words} {answer['question']}"})


@pytest.fixture
def translated(project: Project) -> Callable[..., TranslationJob]:
    """Translate items with three candidates each, of which the second is ranked first."""

    def make(number: int = 1, strategy: str = "best_of_n") -> TranslationJob:
        make_items(project, number)
        started = make_job(project, strategy=strategy, concurrency=1)
        work_off(started, Different())
        assert started.items.filter(state="translated").count() == number
        return started

    return make


def review(project: Project) -> Round:
    settings = RoundSettings(selection=Selection.ALL, panel_size=1)
    return open_round(project=project, settings=settings, actor=None, now=timezone.now())


def test_text_approved_as_it_stood_is_the_one_ranked_first(
    translated: Callable[..., TranslationJob], project: Project, member: Any, judge: Any
) -> None:
    translated()
    judge(review(project), member(Role.REVIEWER))

    [found] = candidate_figures(project, None)

    assert (found.system, found.choice, found.ranks) == ("m1", Choice.APPROVED, (1, 0, 0))
    assert (found.translated, found.decided, found.left_out) == (1, 1, {})
    assert found.chance == pytest.approx(1 / 3)
    assert found.first.value == 1.0


def test_revised_text_counts_for_the_candidate_that_it_is_most_like(
    translated: Callable[..., TranslationJob], project: Project, member: Any, judge: Any
) -> None:
    text = translated().items.get().revision
    assert text is not None
    third = text.question.replace(WORDS[1], WORDS[2]) + "བཅོས།"
    correction = Correction(third, tuple(text.options))
    judge(review(project), member(Role.REVIEWER), correction=correction, comment="better")

    [found] = candidate_figures(project, None)

    assert (found.choice, found.ranks) == (Choice.REVISED, (0, 0, 1))


def test_items_without_a_rank_are_counted_by_their_reason(
    translated: Callable[..., TranslationJob], project: Project, member: Any, judge: Any
) -> None:
    translated(strategy="fuse")
    judge(review(project), member(Role.REVIEWER))

    [found] = candidate_figures(project, None)

    assert (found.ranks, found.left_out, found.chance) == ((0,), {Left.UNRANKED: 1}, None)
    assert found.as_json()["first"]["undefined"] == "no_items"
    assert found.as_json()["left_out"] == {"unranked": 1, "alike": 0, "tied": 0}


def test_rejected_text_is_no_choice_and_excluded_items_do_not_count(
    translated: Callable[..., TranslationJob], project: Project, member: Any, judge: Any
) -> None:
    translated(2)
    round_, reviewer = review(project), member(Role.REVIEWER)
    judge(round_, reviewer, verdict="reject")
    judge(round_, reviewer)
    [found] = candidate_figures(project, None)
    assert (found.translated, found.decided) == (2, 1)
    Item.objects.update(state="excluded")
    assert candidate_figures(project, None) == ()


def test_ranks_of_several_rounds_are_read_as_the_strategy_reads_them(
    translated: Callable[..., TranslationJob], project: Project, member: Any, judge: Any
) -> None:
    text = translated(strategy="rank").items.get().revision
    assert text is not None
    third = text.question.replace(WORDS[0], WORDS[2])
    correction = Correction(third, tuple(text.options))
    judge(review(project), member(Role.REVIEWER), correction=correction, comment="better")

    [found] = candidate_figures(project, None)

    assert found.ranks == (0, 1, 0)


def test_best_text_of_a_comparison_counts_also_if_another_system_made_it(
    translated: Callable[..., TranslationJob], project: Project, member: Any
) -> None:
    text = translated().items.get().revision
    assert text is not None
    first = text.question.replace(WORDS[1], WORDS[0])
    add_text(text.translation.item, "other", f"{first}།")
    settings = RoundSettings(selection=Selection.ALL, panel_size=1, kind=RoundKind.COMPARISON)
    round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
    reviewer = member(Role.REVIEWER)
    compare(round_, reviewer, {"other": opinion(rank=1), "m1": opinion(rank=2)})
    assert candidate_figures(project, None) == ()  # the comparison is still open
    close_round(round_=round_, actor=None, now=timezone.now())

    [found] = candidate_figures(project, None)

    assert (found.choice, found.ranks) == (Choice.COMPARED, (0, 1, 0))
    User.objects.filter(pk=reviewer.pk).update(is_simulated=True)
    [table] = make_tables(project, ["candidates"])
    assert "a program gave 1 judgement" in table.title


def test_page_and_api_show_the_table(
    translated: Callable[..., TranslationJob],
    project: Project,
    member: Any,
    judge: Any,
    browser_of: Callable[[User], Client],
) -> None:
    translated()
    judge(review(project), member(Role.REVIEWER))
    browser = browser_of(member(Role.MANAGER))

    page = browser.get("/projects/ti/report/").content.decode()
    told = browser.get("/api/v1/projects/ti/report/", {"table": "candidates"}).json()

    assert "Ranks of candidates against the texts that experts chose" in page
    assert "approved as it stood" in page
    assert [row["ranks"] for row in told["candidates"]] == [[1, 0, 0]]


def test_nearest_text_is_found_in_scripts_without_blanks_and_none_among_equals() -> None:
    lao = [ItemText("ນ້ຳແມ່ນຫຍັງ"), ItemText("ໄຟແມ່ນຫຍັງ"), ItemText("ลมคืออะไร")]
    assert nearest(lao, ItemText("ໄຟແມ່ນຫຍັງ?")) == 1
    assert nearest(lao, ItemText("ئۇيغۇرچە تېكىست")) is None
    assert nearest([ItemText("སྔོན abc"), ItemText("སྔོན xyz")], ItemText("སྔོན")) is None
    assert nearest([], ItemText("x")) is None
