"""Damage by family, planted in sound texts of every language that the checks serve."""

import pytest

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput

SOURCE = ("下列哪一项不是植物？", ("苹果树", "老虎", "小麦", "玫瑰"))
SOUND = {
    "bo": (
        "གཤམ་གྱི་གང་ཞིག་རྩི་ཤིང་མིན་ནམ།",
        ("ཀུ་ཤུའི་སྡོང་པོ།", "སྟག", "གྲོ།", "རྒྱ་སེའི་མེ་ཏོག"),
    ),
    "lo": ("ຂໍ້ໃດຕໍ່ໄປນີ້ບໍ່ແມ່ນພືດ?", ("ຕົ້ນແອັບເປິ້ນ", "ເສືອ", "ເຂົ້າສາລີ", "ດອກກຸຫຼາບ")),
    "mn": ("Дараахын аль нь ургамал биш вэ?", ("Алимны мод", "Бар", "Улаан буудай", "Сарнай")),
    "zh-Hant": ("下列哪一項不是植物？", ("蘋果樹", "老虎", "小麥", "玫瑰")),
}


def codes(question: str, options: tuple[str, ...], language: str) -> set[str]:
    given = CheckInput(*SOURCE, "A", question, options, None, "zh", language)
    return {problem.code for problem in check_text(given)}


@pytest.mark.parametrize("language", SOUND)
def test_sound_texts_have_no_finding(language: str) -> None:
    assert codes(*SOUND[language], language) == set()


@pytest.mark.parametrize("language", SOUND)
@pytest.mark.parametrize(
    ("before", "code"),
    [
        ("Translation (Tibetan): ", "prompt_label"),
        ("Human: ", "prompt_label"),
        ("བསྒྱུར་བ། ", "prompt_label"),
        ("Note: ", "model_chatter"),
        ("Here you go: ", "model_chatter"),
        ("Sorry, I can't do that. ", "model_chatter"),
        ("As an AI, I ", "model_chatter"),
        ("當然！這是翻譯結果：", "model_chatter"),
        ("身為AI語言模型，我", "model_chatter"),
        ("གཤམ་གསལ་ནི་ཡིག་སྒྱུར་ཡིན། ", "model_chatter"),
        ("གཤམ་དུ་བསྒྱུར་ཡོད། ", "model_chatter"),
        ("ຄຳແປເປັນພາສາລາວ: ", "model_chatter"),
        ("ໃນຖານະທີ່ເປັນ AI, ", "model_chatter"),
        ("Энэ бол орчуулга: ", "model_chatter"),
        ("Монгол хэл дээрх орчуулга:\n", "model_chatter"),
        ("Би хиймэл оюун ухааны загвар тул ", "model_chatter"),
        ("[TRANSLATION] ", "markup_left"),
        ("<translation>", "markup_left"),
        ("【译文】", "markup_left"),
        ("<unk>", "markup_left"),
        ("[UNK] ", "markup_left"),
    ],
)
def test_words_of_a_model_before_the_text_are_found(before: str, code: str, language: str) -> None:
    question, options = SOUND[language]
    assert code in codes(before + question, options, language)


@pytest.mark.parametrize("language", SOUND)
@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("\n\nExplanation: it is right.", "model_chatter"),
        ("\n(Note: the term was kept.)", "model_chatter"),
        ("\n注：保留原文。", "model_chatter"),
        (" (translated)", "model_chatter"),
        ("\n希望這對您有幫助", "model_chatter"),
        ("</s>", "markup_left"),
        ("\n---\n", "markup_left"),
        ("&nbsp", "html_left"),
        ("\u2060", "hidden_characters"),
        ("\u2028", "hidden_characters"),
        ("\ufe0f", "hidden_characters"),
        (" \u180b", "hidden_characters"),
        (" which of the following", "other_script"),
        ("''", "empty_brackets"),
        ("<>", "empty_brackets"),
    ],
)
def test_what_was_left_behind_the_text_is_found(after: str, code: str, language: str) -> None:
    question, options = SOUND[language]
    assert code in codes(question + after, options, language)


@pytest.mark.parametrize("language", SOUND)
def test_blank_within_a_question_whose_source_has_none_is_found(language: str) -> None:
    question, options = SOUND[language]
    assert "empty_brackets" in codes(f"{question[:5]}（）{question[5:]}", options, language)
    assert "empty_brackets" not in codes(f"{question}（）", options, language)


@pytest.mark.parametrize("language", SOUND)
def test_text_that_is_there_twice_or_more_is_found(language: str) -> None:
    question, (first, second, *rest) = SOUND[language]
    assert "repeated_text" in codes(f"{question} {question}", (first, second, *rest), language)
    assert "repeated_text" in codes(question, (first, " ".join([second] * 4), *rest), language)


@pytest.mark.parametrize("language", SOUND)
@pytest.mark.parametrize("text", ["N/A", "None", "null", "undefined", "nan", "TBD", "[option B]"])
def test_word_for_no_text_is_an_empty_option(text: str, language: str) -> None:
    question, (first, _second, *rest) = SOUND[language]
    assert "empty_text" in codes(question, (first, text, *rest), language)


@pytest.mark.parametrize(
    ("language", "old", "new", "code"),
    [
        ("bo", "གྱི", "གིྱ", "invalid_sequence"),
        ("bo", "ནམ", "ནམིུ", "invalid_sequence"),
        ("bo", "གང", "གངཱཱ", "invalid_sequence"),
        ("bo", "ཞིག", "ཞིྲག", "invalid_sequence"),
        ("bo", "གྱི", "གྱེུ", "invalid_sequence"),
        ("lo", "ພືດ", "ພືືດ", "invalid_sequence"),
        ("lo", "ພືດ", "ພືຸດ", "invalid_sequence"),
        ("lo", "ນີ້", "ນີ້້", "invalid_sequence"),
        ("lo", "ພືດ", "ພາ່ດ", "invalid_sequence"),
        ("lo", "ພືດ", "ພະະດ", "invalid_sequence"),
        ("mn", "биш", "біш", "other_script"),
        ("mn", "ургамал", "ұргамал", "other_script"),
        ("mn", "биш", "биш\u180b", "hidden_characters"),
        ("zh-Hant", "一項", "一项", "simplified_characters"),
    ],
)
def test_broken_script_is_found(language: str, old: str, new: str, code: str) -> None:
    question, options = SOUND[language]
    assert code in codes(question.replace(old, new), options, language)


@pytest.mark.parametrize(
    "text",
    [
        "ᠠᠯᠢ\u180b\u180b",
        "ᠠᠯᠢ\u202f",
        "\u202fᠠᠯᠢ",
        "ᠠᠯᠢ \u202fᠶᠢᠨ",
        "ᠠᠯᠢ\u202f\u202fᠶᠢᠨ",
        "ᠠᠯᠢ\u180d\u180b",
    ],
)
def test_broken_mongolian_script_is_found(text: str) -> None:
    assert "invalid_sequence" in codes(text, ("ᠨᠢᠭᠡ", "ᠬᠣᠶᠠᠷ", "ᠭᠤᠷᠪᠠ", "ᠳᠥᠷᠪᠡ"), "mn-Mong")


@pytest.mark.parametrize(
    "text", ["ᠠᠯᠢ\u202fᠶᠢᠨ", "ᠠᠯᠢ\u180b", "ᠣᠷᠴᠢᠭᠤᠯᠭ\u180eᠠ", "᠑᠙᠔᠕\u202fᠣᠨ", "1945\u202fᠣᠨ"]
)
def test_sound_mongolian_script_is_silent(text: str) -> None:
    found = codes(text, ("ᠨᠢᠭᠡ", "ᠬᠣᠶᠠᠷ", "ᠭᠤᠷᠪᠠ", "ᠳᠥᠷᠪᠡ"), "mn-Mong")
    assert not found & {"invalid_sequence", "hidden_characters"}
