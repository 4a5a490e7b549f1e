"""Options that stop before their end are found by the other options of the item alone."""

from dataclasses import replace

import pytest

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.cuts import OptionCut
from annotation.checks.catalogue.labels import describe

SOURCE = ("国家保护耕地和森林", "国家禁止买卖土地", "国家鼓励开垦荒地", "国家管理城市用地")
TARGET = (
    "རྒྱལ་ཁབ་ཀྱིས་ཞིང་ས་དང་ནགས་ཚལ་སྲུང་སྐྱོབ་བྱེད།",
    "རྒྱལ་ཁབ་ཀྱིས་ས་ཞིང་ཉོ་ཚོང་བྱེད་པར་བཀག་སྡོམ་བྱེད།",
    "རྒྱལ་ཁབ་ཀྱིས་ས་རྒོད་གསར་སློག་བྱེད་པར་སྐུལ་མ་བྱེད།",
    "རྒྱལ་ཁབ་ཀྱིས་གྲོང་ཁྱེར་གྱི་ས་ཞིང་དོ་དམ་བྱེད།",
)
SOUND = CheckInput("下列哪项正确", SOURCE, "A", "གང་འགྲིག་གམ།", TARGET, None, "zh", "bo")


def found(given: CheckInput) -> list[tuple[str, object]]:
    return [(each.field, each.data["reason"]) for each in OptionCut().run(given)]


def with_option(at: int, text: str) -> CheckInput:
    return replace(SOUND, options=(*TARGET[:at], text, *TARGET[at + 1 :]))


@pytest.mark.parametrize("at", range(4))
def test_half_of_an_option_is_found_wherever_it_is(at: int) -> None:
    half = TARGET[at][: len(TARGET[at]) // 2]

    assert found(with_option(at, half)) == [(f"options.{at}", "short_and_open")]
    assert "no mark ends it" in describe("option_cut", {"reason": "short_and_open"})


def test_whole_options_are_sound_with_and_without_a_mark() -> None:
    assert found(SOUND) == []
    assert found(with_option(2, TARGET[2].rstrip("།"))) == []
    assert found(replace(SOUND, options=tuple(text.rstrip("།") for text in TARGET))) == []


def test_part_of_a_long_option_is_found_where_no_option_ends_with_a_mark() -> None:
    long = replace(
        SOUND,
        source_options=tuple(text * 4 for text in SOURCE),
        options=tuple(text.replace("།", "་") * 4 for text in TARGET),
    )

    assert found(long) == []
    cut = replace(long, options=(long.options[0][:60], *long.options[1:]))
    assert found(cut) == [("options.0", "short")]


def test_numbers_and_latin_words_are_no_short_options() -> None:
    given = replace(
        SOUND,
        source_options=("DNA", "NADH2", *SOURCE[2:]),
        options=("DNA", "NADH2", *TARGET[2:]),
    )

    assert found(given) == []


def test_empty_options_are_left_to_another_check() -> None:
    assert found(with_option(1, "")) == []
    assert found(replace(SOUND, source_options=("",) * 4)) == []
