"""The stand-in endpoint writes open answers, verdicts and opinions and wrong answers in the shapes that are asked of it."""

from contextlib import suppress

from annotation.asking.answers import Unusable
from annotation.enums import Screen
from annotation.making.from_pool.prompting import SCORES_FRAME, ask_for_scores, read_scores
from annotation.making.prompting import DISTRACTORS_FRAME, ask_for_wrong, reader_of
from annotation.screening.screens import QUESTIONS, ask, read_opinion
from annotation.translating.texts import ItemText
from arena.rubric import RUBRIC, judge_messages
from arena.verdicts import VERDICTS, read_verdict
from endpoints.providers.stand_in import reply

QUESTION = "Why do people dry fish?"
ITEM = ItemText("What is 2 + 2?", ("3", "4", "5"), "", "")


def said(model: str, text: str, seed: int = 0) -> str:
    request = {"messages": [{"role": "user", "content": text}]}
    return reply(request, model, text, str(seed), {})


def judged(model: str, first: str, second: str, seed: int = 0) -> int:
    asked = judge_messages(RUBRIC, question=QUESTION, reference="", answers=(first, second))
    return VERDICTS[read_verdict(said(model, asked[0].content, seed))]


def test_open_question_gets_sentences_and_the_same_ones_again() -> None:
    answers = [said("stand-in-strong", QUESTION, seed) for seed in range(5)]

    assert answers == [said("stand-in-strong", QUESTION, seed) for seed in range(5)]
    assert len(set(answers)) > 1
    assert all(QUESTION in answer and len(answer) > 70 for answer in answers)


def test_judge_prefers_the_stronger_persona_mildly() -> None:
    games = [
        judged(
            "stand-in-judge", said("stand-in-strong", QUESTION, n), said("stand-in-weak", QUESTION, n), n
        )
        for n in range(200)
    ]  # fmt: skip

    won = sum(score > 0 for score in games) / len(games)
    assert 0.55 < won < 0.95
    assert set(games) == {2, 1, 0, -1, -2}


def test_judge_mostly_says_the_same_in_both_orders() -> None:
    strong = [said("stand-in-strong", QUESTION, n) for n in range(100)]
    weak = [said("stand-in-weak", QUESTION, n) for n in range(100)]
    pairs = [
        (judged("stand-in-judge", a, b), -judged("stand-in-judge", b, a))
        for a, b in zip(strong, weak, strict=True)
    ]

    assert 0.8 < sum(one == other for one, other in pairs) / len(pairs) < 1


def test_screens_read_the_opinions() -> None:
    found, unusable = {}, 0
    for screen in Screen.values:
        for n in range(30):
            asked = ask(screen, QUESTIONS[screen], text=ITEM, source=ITEM)[0].content
            try:
                opinion = read_opinion(
                    screen, said("stand-in-strong", asked, n), key="B", option_count=3
                )
            except Unusable:
                unusable += 1
            else:
                found[screen] = found.get(screen, 0) + opinion.is_doubt
    assert set(found) == set(Screen.values)
    assert sum(found.values()) > 0
    assert unusable < 18


def test_scores_of_prompts_can_mostly_be_read() -> None:
    usable = 0
    for n in range(30):
        asked = ask_for_scores(SCORES_FRAME, text=f"Name {n} rivers")
        with suppress(Unusable):
            read_scores(said("stand-in-strong", asked.messages[0].content, n))
            usable += 1
    assert 20 < usable <= 30


def test_wrong_answers_can_mostly_be_used() -> None:
    usable = 0
    for n in range(30):
        asked = ask_for_wrong(DISTRACTORS_FRAME, question="2 + 2?", answer=["4", "vier"][n % 2])
        try:
            read = reader_of("4" if n % 2 == 0 else "vier")
            usable += len(read(said("stand-in-strong", asked.messages[0].content, n))) == 3
        except Unusable:
            continue
    assert 20 < usable <= 30
