"""Planted faults: each is what its name says, one at a time, the same for the same seed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from languages import get_language
from review.enums import FaultKind
from review.selection.degrading import FAULTS, Text, degrade, plant

EN = get_language("en")
ENGLISH = Text(
    "Which of these 3 elements is not a metal at room temperature and normal pressure?",
    ("Oxygen", "Iron", "Copper wire", "Zinc plate"),
    0,
    EN,
)
TIBETAN = Text(
    "འདི་དག་ལས་༣་པ་ནི་གང་ཡིན་ནམ། དེ་ནི་ལྕགས་མ་ཡིན།",
    ("ལྕགས་རིགས།", "ཟངས་རིགས།", "གསེར་རིགས།", "དངུལ་རིགས།"),
    2,
    get_language("bo"),
)
OPEN = Text(
    "?",
    (),
    None,
    EN,
    answer="It is not 3 metres long but it stands here as if it were so.",
    explanation="Because nobody has ever measured 4 of them at once in the north.",
)
BARE = Text("", ("", ""), None, EN)


def changed_fields(before: Text, after: Text) -> list[str]:
    fields = ["question"] * (before.question != after.question)
    pairs = zip(before.options, after.options, strict=True)
    fields += [f"options.{n}" for n, (old, new) in enumerate(pairs) if old != new]
    fields += ["answer"] * (before.answer != after.answer)
    return fields + ["explanation"] * (before.explanation != after.explanation)


def test_every_kind_has_a_function_and_a_name() -> None:
    assert set(FAULTS) == set(FaultKind.values)


@pytest.mark.parametrize("text", [ENGLISH, TIBETAN], ids=["en", "bo"])
@pytest.mark.parametrize("kind", FAULTS)
def test_fault_changes_the_field_that_it_names(kind: str, text: Text) -> None:
    found = plant(kind, text, random.Random(1))

    assert found is not None
    changed = changed_fields(text, found.text)
    assert found.field in changed
    assert len(changed) == (2 if kind == "options_swapped" else 1)
    assert found.kind == kind


@pytest.mark.parametrize("kind", FAULTS)
def test_text_that_offers_no_place_gets_no_fault(kind: str) -> None:
    assert plant(kind, BARE, random.Random(1)) is None
    assert degrade(BARE, "1") is None


def test_changed_number_keeps_its_script() -> None:
    found = plant("number_changed", TIBETAN, random.Random(5))

    assert found is not None
    (digit,) = [sign for sign in found.text.question if sign.isdecimal()]
    assert digit in "༠༡༢༤༥༦༧༨༩"


def test_dropped_negation_leaves_the_rest() -> None:
    found = plant("negation_dropped", ENGLISH, random.Random(1))

    assert found is not None
    assert found.text.question == ENGLISH.question.replace("not ", "")


def test_word_that_only_contains_a_negation_stays() -> None:
    text = Text("The notary noted a knot.", ("a", "b"), 0, EN)

    assert plant("negation_dropped", text, random.Random(1)) is None


def test_swapped_options_make_the_key_wrong() -> None:
    found = plant("options_swapped", ENGLISH, random.Random(1))

    assert found is not None
    assert found.text.options[0] != "Oxygen"
    assert sorted(found.text.options) == sorted(ENGLISH.options)


def test_repeated_option_says_what_the_key_says() -> None:
    found = plant("option_repeated", ENGLISH, random.Random(1))

    assert found is not None
    assert found.text.options.count("Oxygen") == 2
    assert found.text.options[0] == "Oxygen"


@pytest.mark.parametrize(
    "kind", ["number_changed", "negation_dropped", "label_spliced", "term_replaced", "text_cut"]
)
def test_faults_are_planted_into_answers_and_explanations(kind: str) -> None:
    found = [each for seed in range(20) if (each := plant(kind, OPEN, random.Random(seed)))]

    places = {each.field for each in found}
    assert places == ({"answer"} if kind == "negation_dropped" else {"answer", "explanation"})
    assert all(changed_fields(OPEN, each.text) == [each.field] for each in found)


@pytest.mark.parametrize("kind", ["options_swapped", "option_repeated"])
def test_faults_of_options_need_options(kind: str) -> None:
    assert plant(kind, OPEN, random.Random(1)) is None


def test_cut_question_is_a_beginning() -> None:
    found = plant("text_cut", ENGLISH, random.Random(1))

    assert found is not None
    assert ENGLISH.question.startswith(found.text.question)


words = st.text(max_size=60)
texts = st.builds(
    Text,
    words,
    st.lists(words, min_size=2, max_size=6).map(tuple),
    st.none() | st.integers(0, 7),
    st.sampled_from([get_language(code) for code in ("bo", "en", "zh", "lo", "mn", "xx")]),
    words,
    words,
)


@given(texts, st.text(max_size=10))
def test_any_text_is_degraded_or_left_and_always_alike(text: Text, seed: str) -> None:
    found = degrade(text, seed)

    assert found == degrade(text, seed)
    if found is not None:
        assert found.text != text
        assert len(found.text.options) == len(text.options)
        assert found.field in changed_fields(text, found.text)
