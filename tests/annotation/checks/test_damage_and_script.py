"""What programs leave in texts, and characters that are not of the language: faulty and sound texts."""

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from annotation.checks import plain_characters
from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.repairs import find_repair

SOURCE = "下列哪项正确，答案是什么"


def given(
    text: str, language: str = "bo", source: str = SOURCE, options: tuple[str, ...] = ("xx", "yy")
) -> CheckInput:
    return CheckInput(source, ("甲", "乙"), "A", text, options, None, "zh", language)


def marked(text: str, language: str = "bo", source: str = SOURCE) -> dict[str, str]:
    """Return the marked part of the question by the code of each finding."""
    problems = check_text(given(text, language, source))
    return {p.code: text[p.start : p.end] for p in problems if p.field == "question"}


@pytest.mark.parametrize(
    ("language", "text", "code", "part"),
    [
        ("bo", "རྒྱལ་ས་��གང་ཡིན།", "broken_characters", "��"),
        ("lo", "ນະຄອນຫຼວງ\ufffd", "broken_characters", "\ufffd"),
        ("bo", "རྩིས། $\frac{1}{2}$", "broken_characters", "\frac"),
        ("mn", "Бод $\theta$", "broken_characters", "\theta"),
        ("mn", "Бод $\neq$", "broken_characters", "\neq"),
        ("bo", "རྒྱལ་ས་\x1f", "broken_characters", "\x1f"),
        ("bo", "རྒྱལ་\u202eས་", "hidden_characters", "\u202e"),
        ("ar", "\ufeffما هي العاصمة", "hidden_characters", "\ufeff"),
        ("bo", "རྒྱལ་\ue123ས་", "hidden_characters", "\ue123"),
        ("bo", "རྒྱལ་ས་ cafÃ© གང་", "mojibake", "Ã© གང་"),
        ("en", "What is â€œxâ€\x9d here", "mojibake", "â€œxâ€\x9d here"),
        ("bo", "A &amp; B གང་", "html_left", "&amp;"),
        ("lo", "ແມ່ນ <br/> ຫຍັງ", "html_left", "<br/>"),
        ("ug", "قايسى&nbsp;توغرا", "html_left", "&nbsp;"),
        ("bo", '\\"དགོས་\\"ཞེས', "escapes_left", '\\"'),
        ("bo", "$\\\\frac{1}{2}$", "escapes_left", "\\\\"),
        ("mn", "бүлэг \\u2167", "escapes_left", "\\u2167"),
        ("bo", "```\nརྒྱལ་ས་\n```", "markup_left", "```"),
        ("zh-Hant", "**問題**是", "markup_left", "**"),
        ("bo", "Sure! Here is the Tibetan translation:\nགང་འགྲིགས།", "model_chatter", "Sure! Here"),
        ("lo", "ແມ່ນ\u200bຫຍັງ\u200b", "hidden_characters", "\u200b"),
        ("bo", "གང་འགྲིགས\u00ad", "hidden_characters", "\u00ad"),
        ("bo", "Sure! གང་འགྲིགས།", "model_chatter", "Sure! ག"),
        ("lo", "ຂໍອະໄພ, ຂ້ອຍບໍ່ສາມາດແປໄດ້", "model_chatter", "ຂໍອະໄພ"),
        ("mn", "Уучлаарай, би орчуулж чадахгүй", "model_chatter", "Уучлаарай,"),
        ("ug", "كەچۈرۈڭ، مەن تەرجىمە قىلالمايمەن", "model_chatter", "كەچۈرۈڭ"),
        ("ar", "عذراً، لا أستطيع ترجمة هذا", "model_chatter", "عذراً،"),
        ("zh-Hant", "抱歉，我無法翻譯", "model_chatter", "抱歉，"),
        ("lo", "Okay, let me translate:\nຂໍ້ໃດ", "model_chatter", "Okay, let"),
        ("mn", "Аль нь зөв?\n\nHope this helps!", "model_chatter", "Hope this helps"),
        (
            "ar",
            "أي صحيح؟\nIs there anything else you'd like?",
            "model_chatter",
            "anything else you'd like",
        ),
        ("ug", '{"question": "قايسى توغرا؟"}', "model_chatter", '{"question": "'),
        ("bo", "བསྒྱུར་ཡིག་གཤམ་གསལ།\nགང་", "model_chatter", "བསྒྱུར་ཡིག་གཤམ་གསལ"),
        ("ug", "تەرجىمىسى: قايسى توغرا", "prompt_label", "تەرجىمىسى: "),
        ("bo", "I apologize, but I cannot help", "model_chatter", "I apologize"),
        ("bo", "དྲི་བ། རྒྱལ་ས་གང་ཡིན།", "prompt_label", "དྲི་བ། "),
        ("bo", "Question: རྒྱལ་ས་གང་ཡིན།", "prompt_label", "Question: "),
        ("lo", "ຄຳຖາມ: ນະຄອນຫຼວງ", "prompt_label", "ຄຳຖາມ: "),
        ("mn", "Асуулт: Нийслэл аль вэ", "prompt_label", "Асуулт: "),
        ("ug", "سوئال: پايتەخت قايسى", "prompt_label", "سوئال: "),
        ("ar", "السؤال: ما هي العاصمة", "prompt_label", "السؤال: "),
        ("zh-Hant", "問題：首都在哪", "prompt_label", "問題："),
        ("bo", "གང་" * 12, "repeated_text", "གང་" * 12),
        ("lo", "ແມ່ນຫຍັງ " * 8, "repeated_text", ("ແມ່ນຫຍັງ " * 8)),
        ("bo", "དེབ་《》ནི་གང་ཡིན།", "empty_brackets", "《》"),
        ("zh", "⾼⼀学⽣", "wrong_script_form", "⾼⼀学⽣"),
        ("lo", "ນໍ້າຢູ່ໃສ", "wrong_script_form", "ໍ້າ"),
        ("lo", "ເເມ່ຢູ່ໃສ", "wrong_script_form", "ເເ"),
        ("ug", "ﻓﯩﺰﯨﻜﺎ قايسى", "wrong_script_form", "ﻓﯩﺰﯨﻜﺎ"),
        ("ar", "ما هو ﻛﺘﺎﺏ", "wrong_script_form", "ﻛﺘﺎﺏ"),
        ("mn", "Нийслэл Улaанбаатар", "wrong_script_form", "a"),
        ("mn", "Мөнх cургууль", "wrong_script_form", "c"),
        ("mn", "Аль нь ɵндɵр вэ", "wrong_script_form", "ɵндɵ"),
        ("bo", "རྒྱལ་ས་下列哪项གང་", "source_left", "下列哪项"),
        ("lo", "下列哪项正确", "source_left", "下列哪项正确"),
        ("ar", "ما هي 正确 العاصمة", "source_left", "正确"),
        ("bo", "རྒྱལ་ས་ सही उत्तर གང་", "other_script", "सह"),
        ("lo", "ນະຄອນ ประเทศ ຫຼວງ", "other_script", "ประเทศ"),
        ("mn-Mong", "ᠮᠣᠩᠭᠣᠯ Монгол", "other_script", "Монгол"),
        ("mn", "Нийслэл ᠮᠣᠩᠭᠣᠯ", "other_script", "ᠮᠣᠩᠭᠣᠯ"),
        ("bo", "རྒྱལ་ིས་", "invalid_sequence", "་ི"),
        ("lo", "ນ້້ຳ", "invalid_sequence", "້້"),
        ("mn-Mong", "ᠮᠣᠩ \u180b", "invalid_sequence", " \u180b"),
        ("zh-Hant", "下列敘述何者为真", "simplified_characters", "为"),
        ("zh-Hant", "計算機軟件是什麼", "mainland_terms", "軟件"),
        ("bo", "།རྒྱལ་ས་གང་ཡིན།", "opens_with_mark", "།"),
        ("ar", "؟ ما هي", "opens_with_mark", "؟"),
    ],
)
def test_damage_is_found_with_its_place(language: str, text: str, code: str, part: str) -> None:
    found = marked(text, language)
    assert code in found
    assert found[code].startswith(part[:2]) if code == "other_script" else found[code] == part


SOUND = {
    "bo": (
        "རྒྱལ་ས་གང་ཡིན་ནམ།",
        "བཀྲ་ཤིས་བདེ་ལེགས། NADH དང་ H₂O 37 °C ཡིན།",
        "༄༅། །གཞུང་།",
        "ཨཱོཾ་མ་ཎི་པདྨེ་ཧཱུྃ༔",
        "ལན་གདབ་རྒྱུའི་དྲི་བ་གང་།",
        "x < y > z; a|b; 2*3",
        "རིམ་པ་ ____ ཡིན།",
        "……………………",
    ),
    "lo": ("ນ້ຳຢູ່ໃສໃນໂລກນີ້ມີຫຼາຍທີ່ສຸດ", "ນະຄອນຫຼວງວຽງຈັນ\u200bແມ່ນຫຍັງ", "ເກົ້າ ເຂົ້າ ແລ້ວ", "ຕ່າງໆ 5 ກິໂລ"),
    "mn": (
        "Нийслэл аль хот вэ?",
        "“Монгол” гэж юу вэ?",
        "Энэ нь зөв үү, буруу юу?",
        "x-ийн, xийн, DNA-ийн ба pH-ийн утга",
        "CO2 хий, 5 кВт, Cu-ийн ион, A ба B цэг",
        "ABC гурвалжны AB тал 5 см",
        "H2O-ийн томьёо, Х тэнхлэг",
    ),
    "mn-Mong": ("ᠮᠣᠩᠭᠣᠯ ᠤᠯᠤᠰ᠃", "ᠪᠦᠬᠦ\u180b ᠨᠢ"),
    "ug": ("پايتەخت قايسى شەھەر؟", "تۆۋەندىكىلەرنىڭ قايسىسى توغرا؟"),
    "ar": ("ما هي عاصمة مالي؟", "أيُّ مِمَّا يَلي صحيحٌ؟", "عذراء"),
    "zh-Hant": ("下列敘述何者為真？", "臺灣的電腦軟體", "群峰裡的台北與臺北", "後面與皇后、里長"),
    "en": (
        "Which of these is not right?",
        "Is it sure that translation is hard?",
        "A café, naïve, Zürich",
    ),
}
QUIET = frozenset({"negation_missing", "blanks_missing", "numbers_differ"})


@pytest.mark.parametrize("language", SOUND)
def test_sound_texts_have_no_such_finding(language: str) -> None:
    found = {text: marked(text, language).keys() - QUIET for text in SOUND[language]}
    assert {text: codes for text, codes in found.items() if codes} == {}


@pytest.mark.parametrize(
    ("language", "code", "parts"),
    [
        ("bo", "markup_left", ("```", "**", "# ", "> ", "<think>", "<|end|>", "[INST]", "[/INST]")),
        ("lo", "wrong_script_form", ("ໍາ", "ໍ້າ", "ຳ້", "້ີ", "ເເ")),
        ("mn", "wrong_script_form", ("ɵ", "Ɵ", "ѳ", "Ѳ")),
        ("zh", "wrong_script_form", ("⺀", "⿕", "\uf900", "\ufaff", "ﭐ", "ﻼ")),
        ("bo", "hidden_characters", ("\u202a", "\u202e", "\u2066", "\u2069", "\ue000", "\uf8ff")),
    ],
)
def test_each_sign_of_a_kind_of_damage_is_enough(
    language: str, code: str, parts: tuple[str, ...]
) -> None:
    found = {part: marked(f"{part}གང", language) for part in parts}

    assert {part: signs.get(code) for part, signs in found.items()} == {
        part: part for part in parts
    }


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("A &lt; B <b>粗</b>", "A &lt; B <b>སྦོམ་</b>"),
        ('路径 \\"x\\"', 'ལམ་ \\"x\\"'),
        ("**重要**", "**གལ་ཆེན་**"),
        ("问题：首都", "དྲི་བ། རྒྱལ་ས་"),
        ("字母 सही 是什么", "ཡི་གེ་ सही ནི།"),
        ("《》里填什么", "《》ནང་གང་འབྲི།"),
        ("哈哈哈哈哈哈哈哈哈哈", "ཧཧཧཧཧཧཧཧཧཧ"),
        ("，后面是", "།དེའི་རྗེས་"),
    ],
)
def test_what_the_source_has_too_is_no_damage(source: str, text: str) -> None:
    found = marked(text, "bo", source).keys() - QUIET
    assert found - {"opens_with_mark"} == set()


@pytest.mark.parametrize(
    ("language", "text", "repaired"),
    [
        ("bo", "རྩིས། $\frac{1}{2}\times 4$", "རྩིས། $\\frac{1}{2}\\times 4$"),
        ("bo", "A &lt; B གང་", "A < B གང་"),
        ("bo", '\\"དགོས་\\"ཞེས', '"དགོས་"ཞེས'),
        ("bo", "$\\\\frac{1}{2}$ གང་", "$\\frac{1}{2}$ གང་"),
        ("bo", "ལེའུ་ \\u2167", "ལེའུ་ Ⅷ"),
        ("bo", "རྒྱལ་\u202eས་", "རྒྱལ་ས་"),
        ("bo", "གང་ cafÃ©", "གང་ café"),
        ("lo", "ນໍ້າຢູ່ໃສ", "ນ້ຳຢູ່ໃສ"),
        ("lo", "ເເມ່ຢູ່ໃສ", "ແມ່ຢູ່ໃສ"),
        ("lo", "ກ\u0ec9\u0eb5ຢູ່ໃສ", "ກີ້ຢູ່ໃສ"),
        ("zh", "⾼⼀学⽣", "高一学生"),
        ("ug", "ﻓﯩﺰﯨﻜﺎ قايسى", "فىزىكا قايسى"),
        ("ar", "ما هو ﻛﺘﺎﺏ", "ما هو كتاب"),
        ("mn", "Улaанбаатар cургууль Мoнгол", "Улаанбаатар сургууль Монгол"),
        ("mn", "Yндсэн ɵндɵр", "Үндсэн өндөр"),
        ("zh-Hant", "何者为真", "何者為真"),
    ],
)
def test_certain_repair_is_offered(language: str, text: str, repaired: str) -> None:
    found = find_repair(given(text, language))
    assert found is not None
    assert (found.steps, found.question, found.options) == (("characters",), repaired, ("xx", "yy"))


def test_name_of_a_species_is_no_label_and_is_not_repaired() -> None:
    options = ("A. thaliana", "B. subtilis")
    item = given("དཔེ་མཚོན་སྐྱེ་དངོས་ཡང་དག་པ་ནི།", options=options)
    assert [problem.code for problem in check_text(item)] == []
    assert find_repair(item) is None


def test_finding_of_damage_explains_what_follows_from_it() -> None:
    problems: list[Problem] = check_text(
        given("རྩིས། $\frac{1}{2}$ མིན།", source="计算 $\\frac{1}{2}$ 不")
    )
    assert {problem.code for problem in problems} == {"broken_characters", "formulas_differ"}


ODD_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")) | st.text(
    alphabet="\\\"'&;<>()（）-−/:%‰²^0123456789一二三十百。，།་གིཀཱ༪ºນ້ຳໍาАв\f\n\t$ABC .*`《》\ufffd\u202e"
)


@any_of(source=ODD_TEXT, text=ODD_TEXT, language=st.sampled_from(sorted(SOUND)))
def test_no_text_makes_a_check_or_a_repair_fail(source: str, text: str, language: str) -> None:
    item = given(text, language, source, options=(text[:3], text[3:]))
    for problem in check_text(item):
        assert 0 <= problem.start <= problem.end
    find_repair(item)


def test_hidden_characters_between_words_are_no_finding_and_stay() -> None:
    text = "ແມ່ນ\u200b\u200bຫຍັງ"
    assert "hidden_characters" not in marked(text, "lo")
    assert plain_characters.in_plain_characters("lo", text, SOURCE) == text
    assert plain_characters.in_plain_characters("lo", f"{text}\u200b\u200b", SOURCE) == text
