"""Terms are found where a reader of the language would find them, and nowhere else."""

import random
import string

import pytest

from annotation.glossary.folding import fold, fold_term
from annotation.glossary.matching import Glossary, Phrases, TermText
from tests.timing import least_cpu


def found(language: str, phrases: list[str], text: str) -> list[str]:
    hits = Phrases([(phrase, phrase) for phrase in phrases], language).find(text)
    return [text[span.start : span.end] for span, _phrase in hits]


@pytest.mark.parametrize(
    ("language", "phrases", "text", "expected"),
    [
        ("en", ["cell"], "Cells, a cellar, cell's", ["Cell", "cell"]),
        ("en", ["US", "DNA"], "Tell us about US dna and DNA", ["US", "DNA"]),
        ("en", ["us", "US"], "us US", ["us", "US"]),
        ("en", ["Nile"], "the nile and Nile", ["nile", "Nile"]),
        ("en", ["heat"], "heat-resistant wheat heats", ["heat", "heat"]),
        ("en", ["heat capacity", "heat"], "heat capacity heat", ["heat capacity", "heat"]),
        ("en", ["heat capacity"], "heat\ncapacity", ["heat\ncapacity"]),
        ("zh", ["民族", "少数民族"], "少数民族和民族", ["少数民族", "民族"]),
        ("zh", ["DNA"], "双链DNA分子", ["DNA"]),
        ("bo", ["མི"], "མི་རིགས་ མིན་ མི། མི", ["མི", "མི", "མི"]),
        ("bo", ["མི་རིགས", "མི"], "མི་རིགས", ["མི་རིགས"]),
        ("bo", ["རྒྱལ་པོ"], "རྒྱལ་པོའི་ རྒྱལ་པོས། རྒྱལ་པོན་ རྒྱལ་པོར", ["རྒྱལ་པོ"] * 3),
        ("bo", ["ནམ་མཁའ"], "ནམ་མཁའི་མདོག ནམ་མཁས", ["ནམ་མཁའ"]),
        ("bo", ["མི་རིགས་"], "མི་རིགས།", ["མི་རིགས"]),
        ("bo", ["མི་རིགས"], "མི\u0f0cརིགས", ["མི\u0f0cརིགས"]),
        ("lo", ["ກາ"], "ການສຶກສາ ການີ້ ກາ", ["ກາ", "ກາ"]),
        ("lo", ["ປະເທດ"], "ໃນປະເທດລາວ ປະ\u200bເທດ", ["ປະເທດ", "ປະ\u200bເທດ"]),
        ("lo", ["ນ"], "ນີ້ ເນ", []),
        ("mn", ["хүн"], "хүний хүнд Хүн хүнс", ["хүн", "хүн", "Хүн"]),
        ("mn", ["хэл"], "хэлний хэлнээс хэлэх", ["хэл", "хэл"]),
        ("mn-Mong", ["ᠬᠦᠮᠦᠨ"], "ᠬᠦᠮᠦᠨ\u202fᠦ ᠬᠦᠮᠦ\u180bᠨ", ["ᠬᠦᠮᠦᠨ", "ᠬᠦᠮᠦ\u180bᠨ"]),
        ("xx", ["é"], "e\u0301 é", ["e\u0301", "é"]),
        ("en", ["", " ", "་"], "anything ་", []),
    ],
)
def test_phrase_is_found_at_the_boundaries_of_its_language(
    language: str, phrases: list[str], text: str, expected: list[str]
) -> None:
    assert found(language, phrases, text) == expected


def test_folding_leads_back_to_the_text() -> None:
    text = "A\u0301b\u00adc İ"
    folded = fold(text)
    assert folded.text == "ábc i̇"
    assert folded.place(0, 1) == (0, 2)
    assert folded.place(1, 3) == (2, 5)
    assert fold_term(" མི་རིགས་ ") == "མི་རིགས"


TERM = TermText("民族", ("མི་རིགས",), ("མི་སྣ",), ("རིགས་རྒྱུད",))


@pytest.mark.parametrize(
    ("target", "is_missing", "is_forbidden"),
    [
        ("མི་རིགས་གང་།", False, False),
        ("མི་སྣ་གང་།", False, False),
        ("གང་།", True, False),
        ("རིགས་རྒྱུད་གང་།", True, True),
        ("མི་རིགས་དང་རིགས་རྒྱུད།", False, True),
    ],
)
def test_hit_says_what_became_of_the_term(
    target: str, is_missing: bool, is_forbidden: bool
) -> None:
    (hit,) = Glossary([TERM], "zh", "bo").hits([("question", "哪个民族？", target)])
    assert (hit.is_missing, hit.is_forbidden) == (is_missing, is_forbidden)
    assert [tuple(span) for span in hit.spans] == [(2, 4)]


def test_forbidden_rendering_within_a_preferred_one_of_another_term_is_none() -> None:
    other = TermText("血统", ("མི་རིགས་རྒྱུད",))
    glossary = Glossary([TermText("民族", ("མི",), forbidden=("མི་རིགས",)), other], "zh", "bo")
    first, _second = glossary.hits([("question", "民族和血统", "མི་དང་མི་རིགས་རྒྱུད")])
    assert not first.is_forbidden


def test_terms_of_one_source_count_as_one() -> None:
    law = TermText("法", ("ཁྲིམས",), forbidden=("ཐབས",))
    way = TermText("法", ("ཐབས",))
    (hit,) = Glossary([law, way], "zh", "bo").hits([("question", "法", "ཐབས")])
    assert not hit.is_forbidden
    assert not hit.is_missing


def test_term_without_source_in_the_item_is_no_hit() -> None:
    assert Glossary([TERM], "zh", "bo").hits([("question", "法律", "རིགས་རྒྱུད")]) == []


@pytest.mark.slow
def test_looking_for_many_terms_costs_hardly_more_than_for_few() -> None:
    """The whole of a long item in 5 ms on one machine; the bound here leaves room for a slow one."""
    drawn = random.Random(1)
    words = [
        "".join(drawn.choices(string.ascii_lowercase, k=drawn.randint(3, 12)))
        for _ in range(10_000)
    ]
    text = " ".join(drawn.choices(words, k=20) + ["unknown"] * 60)
    terms = [TermText(word, (f"r{number}",)) for number, word in enumerate(words)]
    few, many = Glossary(terms[:100], "en", "en"), Glossary(terms, "en", "en")
    fields = [("question", text, text)]
    assert len(many.hits(fields)) >= 15
    of_many = least_cpu(lambda: many.hits(fields))
    assert of_many < 0.05
    assert of_many < 20 * least_cpu(lambda: few.hits(fields))
