"""What each extraction method takes from a response: published cases, edges of each rule."""

from decimal import Decimal
from fractions import Fraction

import pytest

from languages import get_language
from scoring.lao_words import CUTTING
from scoring.scorers import SCORERS, AskedItem, Extraction, extract
from scoring.scorers.letters import OptionLetters
from scoring.scorers.numeric import decimal_of, parse_key
from scoring.segmenters import SYLLABLES

FOUR = AskedItem(OptionLetters(4))
TWO = AskedItem(OptionLetters(2))
SIX = AskedItem(OptionLetters(6))
LETTER_METHODS = ("direct", "concern_all", "first_option", "anchored")


def asked(*options: str, question: str = "", language: str = "bo") -> AskedItem:
    return AskedItem(
        OptionLetters(len(options), get_language(language).option_letters), options, question
    )


@pytest.mark.parametrize(
    ("response", "method", "item", "letter"),
    [
        *[("B", method, FOUR, "B") for method in LETTER_METHODS],
        *[("<think>A or C</think>D", method, FOUR, "D") for method in LETTER_METHODS],
        ("The answer is B", "direct", FOUR, "B"),
        ("A good answer: B", "direct", FOUR, None),
        ("A good answer: B", "anchored", FOUR, "B"),
        ("A, B, C, D: B", "direct", FOUR, None),
        ("A, B, C, D: B", "concern_all", FOUR, "B"),
        ("ABCDABCDC", "concern_all", FOUR, "C"),
        ("ABCD", "direct", FOUR, None),
        ("ABCD", "concern_all", FOUR, None),
        ("ལན་ནི་ཁ།", "direct", FOUR, "B"),
        ("ལན་ནི་ཁ།", "concern_all", FOUR, "B"),
        ("AAB", "concern_all", FOUR, None),
        ("BBB", "concern_all", FOUR, "B"),
        ("BBB", "direct", FOUR, "B"),
        ("AB", "concern_all", TWO, None),
        ("ABA", "concern_all", TWO, "A"),
    ],
)
def test_method_published_case_takes_the_letter(
    response: str, method: str, item: AskedItem, letter: str | None
) -> None:
    assert extract(method, response, item).letter == letter


@pytest.mark.parametrize(
    ("response", "item", "expected"),
    [
        ("", FOUR, Extraction(None, failure="no_answer")),
        ("b", FOUR, Extraction(None, failure="no_answer")),
        ("Ｂ", FOUR, Extraction(None, failure="no_answer")),
        ("E", FOUR, Extraction(None, failure="no_answer")),
        ("E", SIX, Extraction("E", ("E",))),
        ("C or D", TWO, Extraction(None, failure="no_answer")),
        ("A or B", FOUR, Extraction(None, ("A", "B"), "several_answers")),
        ("A or B: ང", FOUR, Extraction("D", ("D",))),
        ("A or B: ཀ ང", FOUR, Extraction(None, ("A", "B"), "several_answers")),
        ("DCBA", FOUR, Extraction(None, ("A", "B", "C", "D"), "repeater")),
        ("ཀ ཁ", FOUR, Extraction(None, ("A", "B"), "several_answers")),
        ("ཆ", FOUR, Extraction(None, failure="no_answer")),
        ("ཆ", SIX, Extraction("F", ("F",))),
        ("NADH", FOUR, Extraction(None, ("A", "D"), "several_answers")),
    ],
)
def test_direct_response_gives_whole_extraction(
    response: str, item: AskedItem, expected: Extraction
) -> None:
    assert extract("direct", response, item) == expected


@pytest.mark.parametrize(
    ("response", "item", "expected"),
    [
        ("", FOUR, Extraction(None, failure="no_answer")),
        ("A or B: ང", FOUR, Extraction(None, ("A", "B"), "several_answers")),
        ("BADC, C!", FOUR, Extraction("C", ("C",))),
        ("ABCD then ABDC", FOUR, Extraction(None, failure="repeater")),
        ("AABCD", FOUR, Extraction(None, ("A", "B", "C", "D"), "repeater")),
        ("AABCDA", FOUR, Extraction("A", ("A",))),
        ("BAABCD", FOUR, Extraction(None, ("A", "B"), "several_answers")),
        ("ཀ ཁ ག ང ཁ", FOUR, Extraction("B", ("B",))),
        ("ཀ ཁ ཀ", TWO, Extraction("A", ("A",))),
        ("ABCDEFE", SIX, Extraction("E", ("E",))),
        ("ABCDEF", FOUR, Extraction(None, failure="repeater")),
    ],
)
def test_concern_all_response_gives_whole_extraction(
    response: str, item: AskedItem, expected: Extraction
) -> None:
    assert extract("concern_all", response, item) == expected


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("(B)", "B"),
        ("B.", "B"),
        ("B) C", "B"),
        ("Ｂ", "B"),
        ("ཁ", "B"),
        ("ལན་ནི་ཁ།", "B"),
        ("答案是B。", "B"),
        ("ཁ་བ་ནི་C", "C"),
        ("Because of DNA, D", "D"),
        ("B-cells, so C", "C"),
        ("B12 or A1: D", "D"),
        ("26°C, so B", "B"),
        ("E. then D", "D"),
        ("BBB", None),
        ("none", None),
    ],
)
def test_first_option_code_is_a_token_of_its_own(response: str, letter: str | None) -> None:
    assert extract("first_option", response, FOUR).letter == letter


@pytest.mark.parametrize(
    "response",
    [
        "The answer is B, not A.",
        "I think A looks odd. Correct answer: **B**",
        "The correct option is (B). C is wrong.",
        "正确答案：B。A不对",
        "所以答案是 B，不是 A",
        "ལན་ནི་B ཡིན། A མིན།",
        "ལན་ནི་ཁ། A མིན།",
        "Хариулт: B (A биш)",
        "Зөв хариулт нь B, A биш",
        "ຄຳຕອບ: B ບໍ່ແມ່ນ A",
        "ຄຳຕອບທີ່ຖືກຕ້ອງແມ່ນ B ບໍ່ແມ່ນ A",
        r"A and C fail, so \boxed{B}",
        r"A fails: \boxed{\text{B}}",
        "answer is B. I repeat: Answer: B",
    ],
)
def test_anchored_explicit_statement_wins_over_other_letters(response: str) -> None:
    found = extract("anchored", response, FOUR)
    assert found._replace(span=None) == Extraction("B", ("B",))
    assert found.span
    assert response[slice(*found.span)].rstrip("}").endswith(("B", "ཁ"))


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("**(B)**", "B"),
        ("「Ｂ」", "B"),
        (" ཁ། ", "B"),
        ("B and", None),
        ("A or B", None),
        ("The answer is A. No: the answer is B", "B"),
        ("The answer is A. The answer is B", None),
        ("The answer is not B", None),
        ("The answer is Bern", None),
        ("E", None),
    ],
)
def test_anchored_without_statement_reads_only_a_bare_code(
    response: str, letter: str | None
) -> None:
    assert extract("anchored", response, FOUR).letter == letter


@pytest.mark.parametrize(
    ("response", "options", "letter"),
    [
        ("It is Lhasa.", ("Lhasa", "Gyantse", "Shigatse"), "A"),
        ("It is LHASA\n city.", ("Lhasa city", "Gyantse"), "A"),
        ("100 km", ("10", "100"), "B"),
        ("100 km", ("10", "1"), None),
        ("Lhasa or Gyantse", ("Lhasa", "Gyantse", "Shigatse"), None),
        ("答案就是农业", ("农业", "工业"), "A"),
        ("New York City", ("New York", "New York City"), "B"),
        ("nothing", ("", "x"), None),
    ],
)
def test_anchored_option_text_repeated_once_is_the_answer(
    response: str, options: tuple[str, ...], letter: str | None
) -> None:
    assert extract("anchored", response, asked(*options)).letter == letter


@pytest.mark.parametrize("language", ["zh", "en", "bo", "mn", "lo"])
def test_statements_every_noun_with_a_colon_anchors(language: str) -> None:
    statement = get_language(language).statement
    assert statement
    found = {noun: extract("anchored", f"A C {noun}: B", FOUR).letter for noun in statement.nouns}
    assert found == dict.fromkeys(statement.nouns, "B")


@pytest.mark.parametrize(
    ("response", "number"),
    [
        ("So the total is 12.", "12"),
        ("<think>7</think>It is 5", "5"),
        ("1,234.50", "1234.5"),
        ("1.234,50", "1234.5"),
        ("$1,234", "1234"),
        ("₮1 234 567", "1234567"),
        ("1,234,567", "1234567"),
        ("1.234.567", "1234567"),
        ("3,5", "3.5"),
        ("0,125", "0.125"),
        ("1.234", "1.234"),
        ("༡༢༣", "123"),
        ("ຄຳຕອບ ໔໒", "42"),
        ("᠑᠐", "10"),
        ("-5", "-5"),
        ("−5", "-5"),
        ("10-5", "5"),
        ("$-5", "-5"),
        ("in 1999 12", "12"),
        ("x = 1.5,2.5", "2.5"),
        ("x = 1,5.2,5", "2.5"),
        ("1,234.51,234.5", "234.5"),
    ],
)
def test_numeric_last_number_equals_as_decimal(response: str, number: str) -> None:
    extraction = extract("numeric", response, FOUR)
    assert (extraction.number, extraction.failure) == (Decimal(number), None)


def test_numeric_reads_units_latex_fractions_and_powers_of_ten() -> None:
    expected = {
        r"So \boxed{42}": Fraction(42),
        r"$\frac{3}{4}$": Fraction(3, 4),
        r"x = -\dfrac{3}{4}": Fraction(-3, 4),
        r"$1\frac{3}{4}$ hours": Fraction(7, 4),
        r"$-1\frac{3}{4}$": Fraction(-7, 4),
        "12{,}345": Fraction(12345),
        r"12\,345": Fraction(12345),
        r"75\%": Fraction(75),
        "75 %": Fraction(75),
        "12 km²": Fraction(12),
        "12 km2": Fraction(12),
        "9.8 m/s^2": Fraction(98, 10),
        r"9.8 \text{m/s}^{2}": Fraction(98, 10),
        r"5 \text{ m}^{-3}": Fraction(5),
        "44 g of CO2": Fraction(44),
        "3×10^4": Fraction(30000),
        r"1.5 \times 10^{-3}": Fraction(15, 10000),
        "༣×10^༤": Fraction(30000),
        "12 平方千米": Fraction(12),
        "໑໒ ກິໂລແມັດ": Fraction(12),
        "᠑᠒ км": Fraction(12),
        "2^3": Fraction(3),
        "x2.5": Fraction(5, 2),
        "x25": Fraction(25),
    }
    found = {text: extract("numeric", text, FOUR).number for text in expected}
    assert {text: value and Fraction(value) for text, value in found.items()} == expected


def test_numeric_without_number_is_no_answer() -> None:
    assert extract("numeric", "none", FOUR) == Extraction(None, failure="no_answer")


def test_numeric_trailing_zeros_do_not_matter() -> None:
    assert decimal_of("12.50") == parse_key("12,5") == Decimal("12.5")


@pytest.mark.parametrize("key", ["", "B", "12 or 13", "about 5", "1.5,2.5"])
def test_parse_key_text_that_is_not_one_number_is_none(key: str) -> None:
    assert parse_key(key) is None


def test_failure_repeated_question_is_a_repeater() -> None:
    item = asked("x", "y", question="Which one?")
    assert extract("direct", "Which one? …", item).failure == "repeater"


def test_excluded_strings_are_removed_before_reading() -> None:
    assert extract("direct", "Option A? B", FOUR, ("Option A?",)).letter == "B"


def test_registry_names_are_the_scorers_own() -> None:
    assert {name: (scorer.name, scorer.version) for name, scorer in SCORERS.items()} == {
        **{
            name: (name, "1")
            for name in (
                *("direct", "concern_all", "first_option", "tmlu", "tmlu_cot"),
                *("likelihood", "likelihood_text", "likelihood_norm"),
            )
        },
        "anchored": ("anchored", "2"),
        "numeric": ("numeric", "3"),
        "exact": ("exact", "1"),
        "judge": ("judge", "1"),
        "translation": ("translation", "2"),
    }


def test_translation_is_the_whole_response_without_its_reasoning() -> None:
    assert extract("translation", "<think>hm</think>\n བཀྲ་ཤིས།\nབདེ་ལེགས། \n", FOUR).letter == (
        "བཀྲ་ཤིས།\nབདེ་ལེགས།"
    )
    assert extract("translation", "<think>hm", FOUR).failure == "no_answer"


def test_new_segmenters_make_a_new_version_of_translation() -> None:
    """Stored counts are of a version: raise it whenever a text may be cut in another way."""
    assert (SCORERS["translation"].version, SYLLABLES, CUTTING) == ("2", "lotsawa-tsheg-2", 1)


def test_extract_unknown_method_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        extract("nonsense", "B", FOUR)
