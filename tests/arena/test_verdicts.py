"""Reading verdicts, rubrics, style and the plan of battles: plain functions."""

from collections import Counter

from arena.design import against_baseline, balanced
from arena.rubric import PLACEHOLDERS, REQUIRED, RUBRIC, judge_messages
from arena.style import Style, difference, style_of
from arena.verdicts import VERDICTS, read_verdict, score_for_first
from prompts.rubrics import rubric_fault


def test_verdicts_are_read_strictly() -> None:
    for text, verdict in (
        ("[[A>>B]]", "A>>B"),
        ("so\n[[A>B]]", "A>B"),
        ("[[A=B]]", "A=B"),
        ("[[B>A]] … [[B>A]]", "B>A"),
        ("**[[B>>A]]**", "B>>A"),
        ("[[A>B]] or [[B>A]]", ""),
        ("[[A<B]]", ""),
        ("[[A > B]]", ""),
        ("[[A>B]] [[maybe]]", ""),
        ("[A>B]", ""),
        ("A is better", ""),
        ("", ""),
    ):
        assert read_verdict(text) == verdict, text


def test_score_of_first_turns_with_the_sides() -> None:
    for verdict, score in VERDICTS.items():
        assert score_for_first(verdict, is_swapped=False) == score
        assert score_for_first(verdict, is_swapped=True) == -score


def test_rubric_fills_texts_with_braces_as_they_are() -> None:
    (message,) = judge_messages(RUBRIC, question="{x}", reference="", answers=("{answer_b}", "two"))

    assert "<question>\n{x}\n</question>" in message.content
    assert "<answer A>\n{answer_b}\n</answer A>" in message.content
    assert "reference" not in message.content
    assert rubric_fault(RUBRIC, known=PLACEHOLDERS, required=REQUIRED) == ""


def test_style_counts_markdown_outside_of_code() -> None:
    text = "# One\n- a\n2. b\n**bold** and __bold__\n```\n# no heading\n```\n"

    assert style_of(text) == Style(length=len(text), headings=1, lists=2, bold=2)
    assert difference(Style(30, 0, 1, 0), Style(10, 0, 3, 2)) == (0.5, 0.0, -0.5, -1.0)


def test_baseline_plan_leaves_out_what_it_did_not_answer() -> None:
    answered = {1: [5, 6, 7], 2: [6, 7], 3: [5, 7]}

    assert list(against_baseline(answered, 5)) == [(1, 6, 5), (1, 7, 5), (3, 7, 5)]


def test_balanced_plan_is_even() -> None:
    answered = {question: list(range(8)) for question in range(50)}
    for each, battles_a_question in ((1, 4), (2, 8), (3, 12), (7, 28), (20, 28)):
        battles = list(balanced(answered, each=each, seed=3))
        met = Counter((first, second) for _question, first, second in battles)
        busy = Counter(who for _question, first, second in battles for who in (first, second))

        assert battles == list(balanced(answered, each=each, seed=3))
        assert len(set(battles)) == len(battles) == 50 * battles_a_question
        assert set(busy.values()) == {50 * battles_a_question // 4}
        assert len(met) == 28
        assert max(met.values()) < 2 * min(met.values()), (each, met)


def test_balanced_plan_of_an_odd_number_leaves_one_out() -> None:
    battles = list(balanced({1: [1, 2, 3, 4, 5]}, each=1, seed=3))
    busy = [who for _question, first, second in battles for who in (first, second)]

    assert len(battles) == 2
    assert len(set(busy)) == 4
