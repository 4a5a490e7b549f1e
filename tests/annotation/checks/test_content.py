"""What items say: names of options inside options, missing figures, answers that are given away."""

import pytest

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput

CODES = {"option_names_differ", "figure_missing", "answer_given"}


def found(
    question: str,
    options: tuple[str, ...],
    source: str = "问",
    sources: tuple[str, ...] = (),
    language: str = "bo",
) -> set[tuple[str, str]]:
    sources = sources or tuple(f"选{n}" for n in range(len(options)))
    given = CheckInput(source, sources, "B", question, options, None, "zh", language)
    return {(p.code, p.field) for p in check_text(given) if p.code in CODES}


@pytest.mark.parametrize(
    ("source", "text", "language", "is_found"),
    [
        ("A和B都对", "A དང་ C འགྲིག", "bo", True),
        ("A和B都对", "ཀ་དང་ག་འགྲིག", "bo", True),
        ("仅A", "ཁོ་ན།", "bo", True),
        ("同B", "Зөвхөн A", "mn", True),
        ("A和B都对", "A དང་ B འགྲིག", "bo", False),
        ("A和B都对", "ཀ་དང་ཁ་འགྲིག", "bo", False),
        ("A和B都对", "A ແລະ B ຖືກ", "lo", False),
        ("仅A", "A فقط", "ar", False),
        ("维生素A", "འཚོ་བཅུད།", "bo", False),
        ("以上都对", "གོང་གསལ་ཚང་མ་འགྲིག", "bo", False),
    ],
)
def test_names_of_options_are_those_of_the_source(
    source: str, text: str, language: str, is_found: bool
) -> None:
    sources = ("一", "二", "三", source)
    codes = found("གང་།", ("ཀ་པ", "ཁ་པ", "ག་པ", text), sources=sources, language=language)
    assert (("option_names_differ", "options.3") in codes) == is_found


@pytest.mark.parametrize(
    ("language", "question", "is_found"),
    [
        ("zh", "如图所示，选择", True),
        ("zh-Hant", "如下圖所示，何者正確", True),
        ("bo", "དཔེ་རིས་ལྟར་གདམ།", True),
        ("en", "Which line in the figure below is longest?", True),
        ("ar", "ما هو الشكل التالي", True),
        ("lo", "ດັ່ງຮູບ ແມ່ນຫຍັງ", True),
        ("mn", "Зурагт үзүүлсэн", True),
        ("zh", "地图是什么", False),
        ("zh", "图书馆在哪", False),
        ("en", "Who is the best known figure of the time?", False),
        ("bo", "རི་མོ་འདི་སུས་བྲིས།", False),
    ],
)
def test_figure_that_is_not_there(language: str, question: str, is_found: bool) -> None:
    assert (
        ("figure_missing", "question") in found(question, ("x", "y"), language=language)
    ) == is_found


@pytest.mark.parametrize(
    ("question", "options", "is_found"),
    [
        ("The sign of iron is Fe26; what is it?", ("Na11", "Fe26"), True),
        ("The signs Na11 and Fe26 mean what?", ("Na11", "Fe26"), False),
        ("What is the sign of iron?", ("Na11", "Fe26"), False),
        ("Is it a or b?", ("a", "b"), False),
        ("π≈3.14159", ("2.72", "3.14"), False),
        ("The speed is 5 km/h.", ("5 kg", "5 km"), False),
        ("C2H5OH is what?", ("CO2", "H5O"), False),
        ("What is a pineapple?", ("pear", "apple"), False),
        ("Are apples sweet?", ("pear", "apple"), True),
        ("Is π 3.14? Or", ("2.72", "3.14"), True),
    ],
)
def test_answer_in_the_question(question: str, options: tuple[str, ...], is_found: bool) -> None:
    assert (("answer_given", "question") in found(question, options, language="en")) == is_found
