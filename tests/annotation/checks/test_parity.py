"""Checks against the source: numbers, formulas, terms, brackets, blanks and negation."""

from functools import partial

import pytest

from annotation.checks.catalogue import run_checks
from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.denials import find_negation
from annotation.checks.catalogue.labels import describe
from annotation.checks.catalogue.numbers import numbers
from annotation.checks.catalogue.tokens import blanks, formulas, latin_terms, unbalanced_bracket
from languages import LANGUAGES, get_language
from tests.timing import least_cpu


def codes(source: str, target: str, language: str = "bo", source_language: str = "zh") -> set[str]:
    given = CheckInput(
        source_question=source,
        source_options=("甲", "乙"),
        source_key="A",
        question=target,
        options=("x", "y"),
        key=None,
        source_language=source_language,
        target_language=language,
    )
    problems = run_checks(given)
    assert all(describe(problem.code, problem.data) for problem in problems)
    return {problem.code for problem in problems}


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("1971年", "ལོ་ཞིག་ལ།", {"numbers_differ"}),
        ("1971年", "༡༩༧༡ལོར།", set()),
        ("12,000元", "12000 སྒོར།", set()),
        ("0.10%", "0.1%", set()),
        ("2次", "ཐེངས་གཉིས།", set()),
        ("2次", "ཐེངས་མང་པོ།", {"numbers_differ"}),
        ("五年", "ལོ་5", set()),
        ("很多年", "ལོ་5", {"numbers_differ"}),
        ("共200000元", "སྒོར་200 000", set()),
        ("共200 000元", "སྒོར་200,000", set()),
        ("共200 000元", "སྒོར་300 000", {"numbers_differ"}),
        ("共200\u202f000元", "སྒོར་200\u2009000", set()),
        ("24 100", "24 དང་ 100", set()),
        ("20万元", "སྒོར་200,000", set()),
        ("1.5亿人", "མི་150 000 000", set()),
        ("200000元", "སྒོར་ཁྲི་20", set()),
        ("l972年l5个", "༡༩༧༢ལོར་༡༥", set()),
        ("O≤P≤1", "0≤P≤1", set()),
        ("第III型和IV型", "རིགས་གསུམ་པ་དང་བཞི་པ།", set()),
        ("第II型", "རིགས་2", set()),
        ("CO2是", "CO₂ནི།", set()),
        ("NH3是", "ནི།", {"latin_terms_missing"}),
        ("VitB12是", "ནི།", {"latin_terms_missing"}),
        ("B12是", "ནི།", {"numbers_differ"}),
        ("$\\frac{1}{e^{\\frac{x}{x-1}}-1}$", "$\\dfrac{1}{e^{x/(x-1)}-1}$", set()),
        ("$\\frac{x-x^3}{\\sin \\pi x}$", "$\\dfrac{x - x^3}{\\sin(\\pi x)}$", set()),
        ("$\\frac{x}{x-1}$", "$x/x-1$", {"formulas_differ"}),
        ("交流无间隙避雷器", "ཐོག་སྲུང་།", set()),
        ("$H_0$成立", "H₀ ཡིན།", set()),
        ("$f(x)=\\frac{1}{x}$", "$f(x) = \\dfrac{1}{x}$ ཡིན།", set()),
        ("$x+y=1$", "$x-y=1$ ཡིན།", {"formulas_differ"}),
        ("$x+y$", "$x+y ཡིན།", {"formulas_differ"}),
        ("NADH是", "ནི།", {"latin_terms_missing"}),
        ("NADH是", "nadh ནི།", set()),
        ("长10mm", "རིང་ཚད་10མི་ལི།", set()),
        ("关于（A）", "སྐོར། (", {"brackets_unbalanced"}),
        ("区间[0，1)", "བར། [0,1)", set()),
        ("牛（）最高。", "གླང་མཐོ་ཤོས།", {"blanks_missing"}),
        ("牛（）最高。", "གླང་____མཐོ་ཤོས།", set()),
        ("牛最高的是（）。", "གླང་གང་ཡིན།", set()),
        ("牛（）最高。", "གླང་ལ་གང་ཞིག་མཐོ་ཤོས་ཡིན།", set()),
        ("（）的牛（）最高。", "གླང་ལ་གང་ཞིག་མཐོ་ཤོས་ཡིན།", {"blanks_missing"}),
        ("牛（）最高。", "གངས་ཀྱི་གླང་མཐོ་ཤོས།", {"blanks_missing"}),
        ("不正确的是", "ཡང་དག་པ་གང་ཡིན།", {"negation_missing"}),
        ("不正确的是", "ཡང་དག་མིན་པ་གང་ཡིན།", set()),
        ("非洲是否不仅", "ཨ་ཧྥེ་རི་ཁ།", set()),
        ("驾驶不得超过多长时间", "དུས་ཡུན་ག་ཚོད་ཡིན།", set()),
        ("厚度的否决指标", "མཐུག་ཚད་ཀྱི་དཔྱད་གཞི།", set()),
        ("独一无二的南非", "ཁྱད་དུ་འཕགས་པ།", set()),
        ("有无差异", "ཁྱད་པར་ཡོད་མ་ཡོད།", set()),
        ("下列各项中非金属是", "འདིའི་ནང་གི་ལྕགས།", {"negation_missing"}),
        ("不得停车的是", "འཁོར་ལོ་འཇོག་ས།", {"negation_missing"}),
    ],
)
def test_parity_of_a_question(source: str, target: str, expected: set[str]) -> None:
    assert codes(source, target) == expected


def test_formula_of_the_question_may_be_left_out_of_an_option() -> None:
    given = CheckInput(
        source_question="设函数 $f(x)=x^2$，则",
        source_options=("$x=0$ 是 $f(x)$ 的间断点", "$x=1$ 是 $g(x)$ 的间断点"),
        source_key="A",
        question="$f(x) = x^2$ ཡིན་ན།",
        options=("$x=0$ ནི་བར་ཆད།", "$x=1$ ནི་བར་ཆད་ཡིན།"),
        key=None,
        source_language="zh",
        target_language="bo",
    )
    assert [(p.code, p.field, p.data) for p in run_checks(given)] == [
        ("formulas_differ", "options.1", {"missing": "g(x)"})
    ]


def test_parity_is_silent_for_a_language_without_words() -> None:
    assert codes("不正确的是", "foo", "xx") == set()


def test_negation_english_counts_whole_words_only() -> None:
    assert codes("Which is not a noun?", "ཡིན།", source_language="en") == {"negation_missing"}
    assert codes("Which is a notion?", "ཡིན།", source_language="en") == set()
    assert codes("No. 10 by least squares?", "10ཡིན།", source_language="en") == set()


def test_tokens_read_digits_of_every_script() -> None:
    assert numbers("༡༥ ໑໕ ᠑᠕ १५ 15 015.0 ٣٫٥") == ["15", "15", "15", "15", "15", "15", "3.5"]


def test_tokens_of_one_text() -> None:
    text = "见 CO2 和 pH 值 $a_1$ （ ） ____ A型"
    assert formulas(text) == ["a_1"]
    assert latin_terms(text) == ["CO2"]
    assert len(blanks(text)) == 2
    assert unbalanced_bracket("a)b") == 1
    assert unbalanced_bracket("《a（b）》[0,1)") is None


def test_languages_known_shortened_and_unknown() -> None:
    assert get_language("zh-TW") is LANGUAGES["zh-hant"]
    assert get_language("zh_Hant_HK") is LANGUAGES["zh-hant"]
    assert get_language("mn-Cyrl") is LANGUAGES["mn"]
    assert get_language("mn-Mong") is LANGUAGES["mn-mong"]
    assert get_language("tlh").negations == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["1 ", "1,", "(", ")", "$", "$a$ ", "_", "( ", "A", "ABC1 ", "\n", " ", "A. ", "\nC. ", "不",
     "མ་", "。 ", "N\nA. "],
)  # fmt: skip
def test_checks_long_text_stays_linear(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    distinct = " ".join(f"{number}AB{number}" for number in range(10_000))
    for source, target in ((text, text), (distinct, text), (text, distinct)):
        assert least_cpu(partial(codes, source, target), runs=1) < 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("གཤམ་གྱི་གོམས་གཤིས་གང་ཞིག་གློ་བར་ཕན་པ་རེད།", None),
        ("གཤམ་གྱི་གོམས་གཤིས་གང་ཞིག་གློ་བར་མི་ཕན་པ་རེད།", "མི་"),
        ("འདི་ཡག་པོ་མ་རེད།", "མ་རེད"),
        ("མི་དམངས་ཀྱི་ཁྲིམས།", None),
    ],
)
def test_tibetan_negation_begins_a_syllable(text: str, expected: str | None) -> None:
    assert find_negation(text, get_language("bo")) == expected


@pytest.mark.parametrize("language", ["bo", "lo", "mn", "ug", "ar", "zh-Hant", "en"])
@pytest.mark.parametrize(
    ("formula", "other"),
    [
        ("H2O", "H3O"),
        ("H₂O", "H₃O"),
        ("Fe₂O₃", "Fe₃O₄"),
        ("Fe2O3", "Fe₃O₄"),
        ("C6H12O6", "C6H12O5"),
        ("Ca(OH)2", "Ca(OH)3"),
        ("CH3COOH", "CH2COOH"),
    ],
)
def test_changed_number_in_a_formula_is_found(formula: str, other: str, language: str) -> None:
    assert codes(formula, other, language)
    assert codes(other, formula, language)


@pytest.mark.parametrize("language", ["bo", "lo", "mn", "ug", "ar", "zh-Hant"])
def test_number_that_comes_to_a_formula_or_leaves_it_is_found(language: str) -> None:
    assert (
        codes("CO气体", "CO2", language) == codes("NO", "NO₂", language) == {"latin_terms_missing"}
    )
    assert codes("CO2", "CO", language)


@pytest.mark.parametrize(
    ("source", "target", "language"),
    [
        ("H₂O", "H2O", "lo"),
        ("SO₄²⁻", "SO42-", "bo"),
        ("SO₄²⁻", "SO42-", "en"),
        ("NH₄⁺", "NH4+", "mn"),
        ("CO和CO2", "CO དང་ CO2", "bo"),
        ("水H2O", "water", "en"),
        ("GDP", "GDP2023", "lo"),
    ],
)
def test_same_formula_is_silent(source: str, target: str, language: str) -> None:
    assert not codes(source, target, language) & {"latin_terms_missing", "numbers_differ"}


@pytest.mark.parametrize(
    ("language", "text", "sound"),
    [
        ("mn", "Аль нь зөв?", "Аль нь хамаарахгүй вэ?"),
        ("mn", "Аль нь ажилладаг вэ?", "Аль нь ажилладаггүйг ол."),
        ("ug", "قايسىسى توغرا؟", "قايسىسى كىرمەيدۇ؟"),
        ("ug", "قايسىسى ئۆسىدۇ؟", "قايسىسى ئۆسمەيدىغان ئۆسۈملۈك؟"),
    ],
)
def test_ending_that_denies_is_a_negation(language: str, text: str, sound: str) -> None:
    assert "negation_missing" in codes("下列哪项不正确", text, language)
    assert "negation_missing" not in codes("下列哪项不正确", sound, language)
