"""Plans ask what they say, rank without favour for a place, and read answers tolerantly."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from annotation.asking.answers import Unusable
from annotation.asking.plans import TRIES, Call
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.prompting import Brief
from annotation.translating.strategies import (
    read_ranking,
    read_scores,
    rotations,
)
from annotation.translating.texts import ItemText, Source, read_translation, schema_of
from endpoints.providers.pretend_translations import WAYS, translated

SOURCE = Source(
    ItemText("水在100℃时的密度$\\rho_{1}$是多少？", ("很大", "很小", "DNA和水", "20")), "choice", "A", "zh", "bo"
)  # fmt: skip
BRIEF = Brief(SOURCE, "You translate from Chinese into Tibetan (བོད་ཡིག, bo).", SOURCE.text.as_json())
GOOD = translated(SOURCE.text.parts(), "bo")
TOLERATED = {
    "fences", "words before", "words after", "thoughts", "single quotes", "trailing comma", "new lines",
    "no closing brace",
}  # fmt: skip


def follow(strategy: str, reply: Callable[[Call], str], samples: int = 3) -> ItemText:
    """Give a plan the answers of `reply`. Raises Unusable."""
    plan = STRATEGIES[strategy].plan(BRIEF, samples)
    answers: dict[tuple[str, int], str] = {}
    calls = next(plan)
    while True:
        answers |= {call.key: reply(call) for call in calls}
        try:
            calls = plan.send(answers)
        except StopIteration as ended:
            return ended.value


def numbered(number: int) -> str:
    return json.dumps({**GOOD, "question": f"{GOOD['question']} {'ཀ' * number}"})


@pytest.mark.parametrize("way", WAYS)
def test_answer_is_read_or_refused_in_words(way: str) -> None:
    raw = WAYS[way](dict(GOOD), json.dumps(GOOD, ensure_ascii=False))
    if way in TOLERATED:
        assert read_translation(raw, SOURCE).parts() == GOOD
    else:
        with pytest.raises(Unusable) as refusal:
            read_translation(raw, SOURCE)
        assert str(refusal.value) != refusal.value.code


@pytest.mark.parametrize(("change", "code"), [
    ({"options": ["ཀ", "ཁ", "DNA"]}, "option_count"),
    ({"options": ["ཀ", " ", "DNA", "20"]}, "empty_text"),
    ({"options": ["A. ཀ", "B. ཁ", "C. DNA", "D. 20"]}, "label_in_text"),
    ({"question": "ཀ ཁ $\\rho_{1}$"}, "numbers_differ"),
    ({"question": "ཀ 100℃"}, "formulas_differ"),
    ({"question": SOURCE.text.question, "options": list(SOURCE.text.options)}, "script"),
    ({"question": 7.5}, "numbers_differ"),
])  # fmt: skip
def test_text_with_a_fault_is_not_stored(change: dict[str, object], code: str) -> None:
    with pytest.raises(Unusable) as refusal:
        read_translation(json.dumps({**GOOD, **change}, ensure_ascii=False), SOURCE)
    assert refusal.value.code == code


def as_object(labels: str, order: str) -> str:
    options = dict(zip(labels, GOOD["options"], strict=True))
    return json.dumps({**GOOD, "options": {label: options[label] for label in order}})


@pytest.mark.parametrize("answer", [
    json.dumps({name.upper(): value for name, value in GOOD.items()}),
    json.dumps(json.dumps(GOOD)),
    "\ufeff" + json.dumps(GOOD),
    f"````\n```json\n{json.dumps(GOOD)}\n```\n````",
    json.dumps(SOURCE.text.parts()) + "\n" + json.dumps(GOOD),
    json.dumps({**GOOD, "options": [*GOOD["options"][:3], 20.0]}),
    as_object("ABCD", "BADC"), as_object("abcd", "dcba"), as_object("1234", "2143"),
    as_object("ཀཁགང", "ཁཀགང"),
])  # fmt: skip
def test_answer_in_another_shape_is_read_with_each_option_at_its_place(answer: str) -> None:
    assert read_translation(answer, SOURCE).parts() == GOOD


@pytest.mark.parametrize(("options", "code"), [
    ({"x": "ཀ", "y": "ཁ", "z": "DNA", "w": "20"}, "options_not_list"),
    ([True, "ཁ", "DNA", "20"], "options_not_list"),
    ([f"{label}. ཀ" for label in "ཀཁགང"], "label_in_text"),
    ([f"({label}) ཀ" for label in "abcd"], "label_in_text"),
])  # fmt: skip
def test_options_that_nobody_can_place_are_refused(options: object, code: str) -> None:
    source = Source(ItemText("甲？", ("乙", "丙", "丁", "戊")), "choice", "A", "zh", "bo")
    with pytest.raises(Unusable) as refusal:
        read_translation(json.dumps({"question": "ཀ?", "options": options}), source)
    assert refusal.value.code == code


@pytest.mark.parametrize(("question", "source", "target", "is_refused"), [
    ("学生们在图书馆里学习什么？", "zh", "zh-Hant", True),
    ("学生们在图书馆里学习什么？", "zh", "ja", True),
    ("水的密度是多少？", "zh", "zh-Hant", False),
    ("What is the capital of it?", "en", "fr", True),
    ("Какая столица у этой страны?", "ru", "mn", True),
    ("DNA → RNA?", "en", "fr", False),
    ("$\\mathrm{Temperature}$?", "en", "fr", False),
])  # fmt: skip
def test_source_that_comes_back_is_no_translation(
    question: str, source: str, target: str, is_refused: bool
) -> None:
    text = ItemText(question, ("1", "2"))
    given = Source(text, "choice", "A", source, target)
    if not is_refused:
        assert read_translation(text.as_json(), given) == text
        return
    with pytest.raises(Unusable) as refusal:
        read_translation(text.as_json(), given)
    assert refusal.value.code == "repeated"


def test_answer_cut_within_its_last_text_is_refused_wherever_it_ends() -> None:
    source = Source(
        ItemText("甲？", ("乙",), explanation="丙丁 $\\frac{a}{b}$"), "open", "", "zh", "bo"
    )
    parts = {"question": "ཀ?", "options": ["ཁ"], "explanation": 'ཀ་ཁ "ག" $\\frac{a}{b}$ ང'}
    for whole in (json.dumps(parts), json.dumps(parts, ensure_ascii=False)):
        assert read_translation(whole, source).parts() == parts
        for end in range(whole.index("explanation"), len(whole) - 2):
            with pytest.raises(Unusable):
                read_translation(whole[:end], source)


@pytest.mark.parametrize("answer", ['{"scores": [3, 9, 1', '{"scores": [3, 9, 1.'])
def test_number_that_may_go_on_is_no_score(answer: str) -> None:
    with pytest.raises(Unusable) as refusal:
        read_scores(answer, 3)
    assert refusal.value.code == "cut_off"


def test_backslash_that_json_has_read_is_restored() -> None:
    source = Source(ItemText("$\\frac{a}{b}$ 是"), "open", "", "zh", "bo")
    assert (
        read_translation('{"question": "$\\frac{a}{b}$ ཀ"}', source).question == "$\\frac{a}{b}$ ཀ"
    )


def test_schema_has_the_parts_of_the_item_and_its_number_of_options() -> None:
    schema = schema_of(SOURCE.text)
    assert schema["required"] == ["question", "options"]
    assert schema["properties"]["options"]["minItems"] == 4


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "engine"])
def test_plan_takes_the_calls_that_it_says(strategy: str) -> None:
    asked: list[Call] = []

    def reply(call: Call) -> str:
        asked.append(call)
        if call.step == "score":
            return '{"scores": [3, 9, 4]}'
        return '{"ranking": [1, 2, 3]}' if call.is_judge else json.dumps(GOOD)

    follow(strategy, reply)
    way = STRATEGIES[strategy]
    assert len(asked) == len({call.key for call in asked}) == way.calls(3)
    assert sum(call.is_judge for call in asked) == way.judge_calls(3)


def test_each_candidate_stands_once_at_every_place() -> None:
    assert rotations(3) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    places = Counter((place, who) for order in rotations(5) for place, who in enumerate(order))
    assert set(places.values()) == {1}
    assert len(places) == 25


def test_judge_that_prefers_the_first_place_decides_nothing_and_one_that_prefers_a_text_does() -> (
    None
):
    def reply(call: Call, ranking: str) -> str:
        return ranking if call.is_judge else numbered(call.number) if "cand" in call.step else "?"

    by_place = follow("rank", lambda call: reply(call, '{"ranking": [1, 2, 3]}'))
    assert by_place.question.endswith(" ཀ")  # equal sums: the first candidate

    favourite = {1: "[3, 1, 2]", 2: "[2, 1, 3]", 3: "[1, 2, 3]"}  # candidate 3, wherever it stands
    by_text = follow("rank", lambda call: reply(call, f'{{"ranking": {favourite[call.number]}}}'))
    assert by_text.question.endswith(" ཀཀཀ")


def test_best_of_n_takes_the_highest_score() -> None:
    found = follow(
        "best_of_n",
        lambda call: '{"scores": [3, 9, 4]}' if call.is_judge else numbered(call.number),
    )
    assert found.question.endswith(" ཀཀ")


def test_candidate_that_cannot_be_used_is_left_out_after_three_tries() -> None:
    asked: Counter[str] = Counter()

    def reply(call: Call) -> str:
        asked[call.step] += 1
        if call.is_judge:
            return '{"scores": ["2", "8"]}'
        return "no" if call.number == 1 else numbered(call.number)

    assert follow("best_of_n", reply).question.endswith(" ཀཀཀ")
    assert asked["candidate.1"] == TRIES


def test_correction_that_cannot_be_used_leaves_the_first_text() -> None:
    found = follow("self_check", lambda call: numbered(1) if call.step == "translate" else "no")
    assert found.question.endswith(" ཀ")


@pytest.mark.parametrize("answer", ['{"scores": [1, 2]}', '{"scores": [0, 5, 11]}', "{}", "9"])
def test_scores_that_do_not_fit_are_refused(answer: str) -> None:
    with pytest.raises(Unusable):
        read_scores(answer, 3)


@pytest.mark.parametrize("answer", ['{"ranking": [1, 1, 2]}', '{"ranking": [0, 1, 2]}', "[]"])
def test_ranking_that_does_not_fit_is_refused(answer: str) -> None:
    with pytest.raises(Unusable):
        read_ranking(answer, 3)


@pytest.mark.parametrize("answer", [
    "[" * 60_000, '{"a":' * 3000, '{}}{"question": }}{{{{', '{"' * 200_000, '{"question": ' + "(" * 200_000,
    json.dumps('{"' * 200_000),
])  # fmt: skip
def test_answer_that_no_reader_bears_is_refused(answer: str) -> None:
    with pytest.raises(Unusable):
        read_translation(answer, SOURCE)


def test_answer_with_many_brackets_is_read_if_it_is_json() -> None:
    crowded = {**GOOD, "question": GOOD["question"] + " {x}" * 2_000}
    assert read_translation(json.dumps(crowded), SOURCE).parts() == crowded


def test_half_of_a_surrogate_pair_is_left_out_of_a_text() -> None:
    raw = json.dumps(GOOD | {"question": GOOD["question"] + "\ud800"})
    assert read_translation(raw, SOURCE).question == GOOD["question"]


def test_number_beyond_all_bounds_is_no_score_and_no_place() -> None:
    huge = "1" + "0" * 400
    with pytest.raises(Unusable):
        read_scores(f'{{"scores": [{huge}, 3]}}', 2)
    with pytest.raises(Unusable):
        read_ranking(f'{{"ranking": [{huge}, 1]}}', 2)
