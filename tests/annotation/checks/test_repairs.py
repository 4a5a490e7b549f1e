"""A repair is offered only where no other text can have been meant."""

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput
from annotation.checks.repairs import CHARACTERS, Repair, find_repair
from annotation.importers.base import SourceRow, TranslationRow
from annotation.importers.formats import open_import

QUESTION = "NADH脱氢酶以下列哪一个为受氢体"
SOURCES = ("FAD", "NAD+", "FMN", "CoQ")


def given(
    question: str,
    options: Sequence[str] = (),
    sources: Sequence[str] = SOURCES,
    source: str = QUESTION,
) -> CheckInput:
    return CheckInput(source, sources, "A", question, options, None, "zh", "bo")


def test_repair_puts_cut_letters_back_and_divides() -> None:
    text = "N\nA. \nD. H ལེན་མཁན་ནི། \nA. F\nA. \nD. \nB. N\nA. \nD. + \nC. FMN \nD. \nC. oQ"

    assert find_repair(given(text)) == Repair(
        ("letters", "options"), "NADH ལེན་མཁན་ནི།", ("FAD", "NAD+", "FMN", "CoQ")
    )


def test_repair_puts_a_closing_ga_back() -> None:
    text = "དྲིས་བ། \nA. ཞིབ་འཇུ \nC. \nB. ང་ཡིན། \nC. མི་འདུ \nC. ག་རེ་རེད། \nD. ཁོ་རེད།"

    found = find_repair(given(text, sources=("研究", "是我", "没有什么", "是他"), source="问"))

    assert found
    assert found.options == ("ཞིབ་འཇུག", "ང་ཡིན།", "མི་འདུག ག་རེ་རེད།", "ཁོ་རེད།")


def test_repair_spreads_options_that_are_glued_into_the_question() -> None:
    found = find_repair(given("དྲིས་བ། A. FAD B. NAD+ C. FMN D. CoQ", ("", "", "", "")))

    assert found == Repair(("options",), "དྲིས་བ།", ("FAD", "NAD+", "FMN", "CoQ"))


def test_repair_spreads_options_that_are_glued_into_the_first() -> None:
    found = find_repair(given("NADH དྲིས་བ།", ("FAD\nB. NAD+\nC. FMN\nD. CoQ", "", "", "")))

    assert found == Repair(("options",), "NADH དྲིས་བ།", ("FAD", "NAD+", "FMN", "CoQ"))


def test_repair_takes_options_out_of_the_question_that_have_their_fields() -> None:
    found = find_repair(given("NADH དྲིས་བ།\nA. FAD\nB. NAD+\nC. FMN\nD. CoQ", SOURCES))

    assert found == Repair(("options",), "NADH དྲིས་བ།", SOURCES)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("NADH དྲིས་བ།", ("A. FAD", "B. NAD+", "C. FMN", "D. CoQ")),
        ("NADH དྲིས་བ།", ("FAD", "B. NAD+", "FMN", "CoQ")),
        ("NADH དྲིས་བ།\nA.", SOURCES),
        ("NADH དྲིས་བ།", ("FAD\nB.", "NAD+", "FMN", "CoQ")),
    ],
)
def test_repair_strips_stray_labels(question: str, options: tuple[str, ...]) -> None:
    assert find_repair(given(question, options)) == Repair(("labels",), "NADH དྲིས་བ།", SOURCES)


def test_repair_joins_a_word_in_a_field() -> None:
    found = find_repair(given("N\nA. \nD. H དྲིས་བ།", SOURCES))

    assert found == Repair(("letters",), "NADH དྲིས་བ།", SOURCES)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        pytest.param("NADH དྲིས་བ།", SOURCES, id="sound"),
        pytest.param("", (), id="empty"),
        pytest.param("དྲིས་བ། FAD NAD+ FMN CoQ", (), id="no label"),
        pytest.param("དྲིས་བ།\nA. FAD\nA. NAD+\nB. FMN\nC. CoQ", (), id="a label twice"),
        pytest.param("དྲིས་བ།\nB. FAD\nA. NAD+\nC. FMN\nD. CoQ", (), id="another order"),
        pytest.param("NADH དྲིས་བ།", ("FAD", "C. NAD+", "FMN", "CoQ"), id="another's label"),
        pytest.param("NADH དྲིས་བ།", ("FAD\nC. ཟེར།", "NAD+", "FMN", "CoQ"), id="in a sentence"),
        pytest.param("A. " * 5000, (), id="many labels"),
        pytest.param("\n".join("ABCD"[n % 4] + ". x" for n in range(200)), (), id="many lists"),
    ],
)
def test_no_repair_is_offered_in_doubt(question: str, options: tuple[str, ...]) -> None:
    assert find_repair(given(question, options)) is None


def test_no_repair_is_offered_that_leaves_an_option_far_too_short() -> None:
    text = "$\nA. $དང་$\nB. $གི་རིམ་པ་nཡིན། \nA. དང་\nB. གཉིས་ཀྱི་རིམ་པ་ནི་nལས་ཆུང་། \nC. གཉིས་ཀྱི་རིམ་པ་nཡིན། \nD. ཀླད་ཀོར་ཡིན།"
    sources = ("一个小于n，一个等于n", "都小于n", "都等于n", "必有一个等于零")

    assert find_repair(given(text, sources=sources, source="$A$和$B$的秩")) is None


def cut(text: str, chance: random.Random) -> str:
    """What the rule made of a text that published the benchmark."""
    text = re.sub("[A-D]", lambda match: f"\n{match[0]}. ", text)
    ga = r"(?<=[\u0f40-\u0fbc])ག(?=[ \n]|$)"
    return re.sub(ga, lambda _match: " \nC. " if chance.random() < 0.6 else "ག", text)


def same(text: str) -> str:
    return re.sub(r"\s+", "", text)


def check_input(source: SourceRow, row: TranslationRow, **text: Any) -> CheckInput:
    return CheckInput(
        source.question,
        source.options,
        source.key,
        text.get("question", row.question),
        text.get("options", row.options),
        row.key,
        "zh",
        "bo",
    )


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> list[tuple[SourceRow, TranslationRow]]:
    """Every published text beside its source; the few-shot texts too."""
    sources = {
        row.uid: row
        for row in open_import(shared_data / "cmmlu").rows
        if isinstance(row, SourceRow)
    }
    rows = [
        row
        for folder in ("ti_mmlu", "ti_mmlu_5shot")
        for row in open_import(shared_data / folder).rows
        if isinstance(row, TranslationRow)
    ]
    return [(sources[row.uid], row) for row in rows]


def test_repair_of_published_texts_makes_most_whole(
    pairs: list[tuple[SourceRow, TranslationRow]],
) -> None:
    """Each repaired text was read beside its source; none was divided wrongly."""
    broken = [(source, row) for source, row in pairs if not row.options]

    found = {row.uid: find_repair(check_input(source, row)) for source, row in broken}

    assert (len(broken), sum(each is not None for each in found.values())) == (36, 27)


def test_repair_leaves_published_texts_that_are_whole_alone(
    pairs: list[tuple[SourceRow, TranslationRow]],
) -> None:
    """Only escapes that were never read are taken out; each such text was read."""
    whole = [(source, row) for source, row in pairs if row.options]

    repairs = [find_repair(check_input(source, row)) for source, row in whole]
    assert [repair.steps for repair in repairs if repair] == [(CHARACTERS,)] * 13


def test_repair_of_texts_that_were_cut_on_purpose_is_never_wrong(
    pairs: list[tuple[SourceRow, TranslationRow]],
) -> None:
    """The rule is done to texts that are whole, so that the right answer is known."""
    chance = random.Random(7)
    whole = 0
    for source, row in pairs:
        if not row.options or any(
            problem.severity == "error" for problem in check_text(check_input(source, row))
        ):
            continue
        options = [cut(f"{option} ", chance) for option in row.options]
        labelled = zip("ABCD", options, strict=True)
        text = cut(f"{row.question} ", chance) + "".join(f" \n{n}. {o}" for n, o in labelled)
        found = find_repair(check_input(source, row, question=text.strip(), options=()))
        if found:
            whole += 1
            assert same(found.question) == same(row.question)
            assert list(map(same, found.options)) == list(map(same, row.options))

    assert whole > len(pairs) * 0.8
