"""Prompts are the same every time, keep item text as it is, and say what is wrong with a template."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endpoints.providers.base import Message
from languages import LANGUAGES
from prompts.rendering import (
    CHAIN_OF_THOUGHT,
    DIRECT,
    LATIN,
    NUMBERS,
    ONE_TEXT,
    SCRIPT,
    PromptError,
    PromptItem,
    Template,
    TemplateError,
    check_template,
    default_template,
    frames_of,
    labels_of,
    render,
)

ITEM = PromptItem("How many?", ("one", "two", "three"), subject="everyday_science")
SHOT = PromptItem("1 + 1?", ("1", "2"), key="B", explanation="One and one is two.")
PLAIN = Template("en", DIRECT, "Answer.", "{question}\n{options}\n[{letters}] ({subject})")


def test_direct_prompt_with_a_shot_is_system_shot_and_item() -> None:
    assert render(ITEM, template=PLAIN, shots=[SHOT]) == (
        Message("system", "Answer."),
        Message("user", "1 + 1?\nA. 1\nB. 2\n[A / B] ()"),
        Message("assistant", "B"),
        Message("user", "How many?\nA. one\nB. two\nC. three\n[A / B / C] (everyday science)"),
    )


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("bo", "ལན་ནི་B"),
        ("zh", "答案：B"),
        ("en", "The answer is B"),
        ("lo", "ຄຳຕອບ: B"),
        ("mn", "Хариулт: B"),
        ("zh-Hant", "答案：B"),
        ("xx", "The answer is B"),
    ],
)
def test_reasoned_shot_ends_with_the_statement_of_its_language(language: str, answer: str) -> None:
    template = default_template(language, CHAIN_OF_THOUGHT)

    turns = render(ITEM, template=template, shots=[SHOT])

    assert turns[2] == Message("assistant", f"One and one is two.\n{answer}")


def test_reasoned_shot_without_explanation_is_the_statement_alone() -> None:
    shot = PromptItem("1 + 1?", ("1", "2"), key="B")
    turns = render(ITEM, template=default_template("en", CHAIN_OF_THOUGHT), shots=[shot])

    assert turns[2].content == "The answer is B"


@pytest.mark.parametrize("language", [code for code, each in LANGUAGES.items() if each.frames])
@pytest.mark.parametrize("style", [DIRECT, CHAIN_OF_THOUGHT])
def test_built_in_templates_are_sound_and_in_their_own_words(language: str, style: str) -> None:
    template = default_template(language, style)

    check_template(template)
    assert "{letters}" in template.frame
    assert (template.frame == default_template("en", style).frame) == (language == "en")


@pytest.mark.parametrize(
    ("system", "frame", "code", "placeholder"),
    [
        ("", "{question}", "missing", "options"),
        ("", "{options}", "missing", "question"),
        ("", "{question} {options} {key}", "unknown", "key"),
        ("{answer}", "{question} {options}", "unknown", "answer"),
        ("", "{question.__class__} {options}", "unknown", "question.__class__"),
        ("", "{question!r} {options}", "unknown", "question"),
        ("", "{question:>9} {options}", "unknown", "question"),
        ("", "{} {question} {options}", "unknown", ""),
        ("", "{question} {options", "braces", ""),
        ("}", "{question} {options}", "braces", ""),
    ],
)
def test_template_at_fault_is_refused_with_the_placeholder(
    system: str, frame: str, code: str, placeholder: str
) -> None:
    with pytest.raises(TemplateError) as caught:
        check_template(Template("en", DIRECT, system, frame))

    assert (caught.value.code, caught.value.placeholder) == (code, placeholder)


def test_unknown_style_is_refused() -> None:
    with pytest.raises(TemplateError) as caught:
        default_template("en", "poem")

    assert caught.value.code == "style"


@pytest.mark.parametrize(
    "item",
    [PromptItem("q", ()), PromptItem("q", tuple("1234567890x")), PromptItem("q", ("1",) * 99)],
)
def test_item_with_a_number_of_options_without_letters_is_refused(item: PromptItem) -> None:
    with pytest.raises(PromptError):
        render(item, template=PLAIN)


@pytest.mark.parametrize("key", ["", "C", "b", "AB"])
def test_shot_whose_key_is_no_option_is_refused(key: str) -> None:
    with pytest.raises(PromptError, match="key"):
        render(ITEM, template=PLAIN, shots=[PromptItem("q", ("1", "2"), key=key)])


def test_empty_system_text_makes_no_turn() -> None:
    turns = render(ITEM, template=Template("en", DIRECT, " ", "{question}{options}"))

    assert [turn.role for turn in turns] == ["user"]


@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=2, max_size=6))
def test_item_text_is_put_in_as_it_is(question: str, options: list[str]) -> None:
    item = PromptItem(question, tuple(options))
    template = Template("en", DIRECT, "", "<{question}|{options}>")
    lines = "\n".join(f"{x}. {o}" for x, o in zip("ABCDEF", options, strict=False))

    first, second = render(item, template=template), render(item, template=template)

    assert first == second == (Message("user", f"<{question.strip()}|{lines}>"),)


def test_language_tag_with_a_region_finds_its_frames() -> None:
    assert frames_of("BO-CN") is LANGUAGES["bo"].frames


def test_shots_in_one_text_stand_where_the_frame_says() -> None:
    template = replace(
        PLAIN,
        layout=ONE_TEXT,
        frame="On {subject}:\n\n{examples}\n\n{question}\n{options}\nAnswer:",
    )

    (system, alone) = render(ITEM, template=template)
    (_system, asked) = render(ITEM, template=template, shots=[SHOT])

    question = "How many?\nA. one\nB. two\nC. three\nAnswer:"
    assert (system.role, alone.content) == ("system", f"On everyday science:\n\n{question}")
    own = replace(template, shot_frame="Q: {question}\n{options}\n= {answer}")
    (_system, framed) = render(ITEM, template=own, shots=[SHOT, SHOT])
    example = "Q: 1 + 1?\nA. 1\nB. 2\n= B"
    assert framed.content == f"On everyday science:\n\n{example}\n\n{example}\n\n{question}"
    shown = "On :\n\n1 + 1?\nA. 1\nB. 2\nAnswer:\nB"
    assert asked.content == f"On everyday science:\n\n{shown}\n\n{question}"


def test_shots_in_one_text_come_first_where_the_frame_names_no_place() -> None:
    (_system, asked) = render(ITEM, template=replace(PLAIN, layout=ONE_TEXT), shots=[SHOT])

    assert asked.content.startswith("1 + 1?\nA. 1\nB. 2\n[A / B] ()\nB\n\nHow many?\n")


def test_frame_of_shots_differs_from_that_of_the_item() -> None:
    template = replace(PLAIN, shot_frame="{question} {options}")

    turns = render(ITEM, template=template, shots=[SHOT])

    assert turns[1:3] == (Message("user", "1 + 1? A. 1\nB. 2"), Message("assistant", "B"))


def test_options_and_answers_of_shots_have_the_letters_of_the_prompt() -> None:
    expected = {
        ("bo", SCRIPT): ("(ཀ) 1", "ཁ"),
        ("lo", SCRIPT): ("(ກ) 1", "ຂ"),
        ("bo", NUMBERS): ("(1) 1", "2"),
        ("bo", LATIN): ("(A) 1", "B"),
    }
    for (language, labels), (option, answer) in expected.items():
        template = Template(
            language, DIRECT, "", "{question}\n{options}", labels=labels,
            option_line="({letter}) {option}",
        )  # fmt: skip
        turns = render(ITEM, template=template, shots=[SHOT])
        assert option in turns[0].content, labels
        assert turns[1].content == answer, labels


def test_ten_options_cannot_be_numbered_and_have_latin_letters() -> None:
    assert labels_of(NUMBERS, "bo", 9) == "123456789"
    assert labels_of(NUMBERS, "bo", 10) == "ABCDEFGHIJ"
    assert labels_of(SCRIPT, "en", 4) == "ABCD"


def test_reasoned_shot_states_the_letter_of_the_script() -> None:
    template = replace(default_template("bo", CHAIN_OF_THOUGHT), labels=SCRIPT)

    turns = render(ITEM, template=template, shots=[SHOT])

    assert turns[2].content == "One and one is two.\nལན་ནི་ཁ"


def test_prefill_is_the_last_turn_of_the_model() -> None:
    turns = render(ITEM, template=replace(PLAIN, prefill="The answer is {"))

    assert turns[-1] == Message("assistant", "The answer is {")


def test_items_that_a_number_answers_have_their_own_frame_and_system_message() -> None:
    template = replace(
        PLAIN, number_system="You count.", number_frame="{question} =", layout=ONE_TEXT
    )
    item = PromptItem("2 + 2", (), has_number=True)
    shot = PromptItem("1 + 1", (), key="2", has_number=True)

    assert render(item, template=template, shots=[shot]) == (
        Message("system", "You count."), Message("user", "1 + 1 =\n2\n\n2 + 2 ="),
    )  # fmt: skip
