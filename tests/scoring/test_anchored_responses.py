"""What `anchored` reads in responses as models write them, in many languages and forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from languages import get_language
from scoring.scorers import AskedItem, extract
from scoring.scorers.letters import OptionLetters
from tests.test_linear_patterns import AT_MOST, END, SECONDS, UNITS
from tests.timing import least_cpu

TABLE = Path(__file__).parent / "data" / "anchored_responses.jsonl"
OPTIONS = {
    "en": ("Mercury", "Mars", "Saturn", "Jupiter"),
    "zh": ("水星", "火星", "土星", "木星"),
    "zh-Hant": ("水星", "火星", "土星", "木星"),
    "ja": ("水星", "火星", "土星", "木星"),
    "mn": ("Буд", "Ангараг", "Санчир", "Бархасбадь"),
    "lo": ("ດາວພຸດ", "ດາວອັງຄານ", "ດາວເສົາ", "ດາວພະຫັດ"),
    "bo": ("གཟའ་ལྷག་པ", "གཟའ་མིག་དམར", "གཟའ་སྤེན་པ", "གཟའ་ཕུར་བུ"),
    "ug": ("مېركۇرىي", "مارس", "ساتۇرن", "يۇپىتېر"),
}


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


def read(language: str, response: str) -> str | None:
    letters = OptionLetters(4, get_language(language).option_letters)
    return extract("anchored", response, AskedItem(letters, OPTIONS[language])).letter


def test_table_of_responses_is_read_as_a_person_reads_it() -> None:
    wrong = [
        (row["language"], row["response"], row["reading"], found)
        for row in rows()
        if (found := read(row["language"], row["response"])) != row["reading"]
    ]
    assert wrong == []


def test_table_of_responses_covers_languages_and_refusals() -> None:
    table = rows()
    assert len(table) >= 120
    assert {row["language"] for row in table} == set(OPTIONS)
    assert sum(row["reading"] is None for row in table) >= 25


REPEATED = {
    "statements": "answer: A ",
    "joined letters": "answer is A or B, ",
    "boxes": "\\boxed{",
    "tags": "<answer>",
    "fields": '"answer": "',
    "lists of options": "答案：A. ",
    "options": "Jupiter ",
    "corrections": "answer: A wait ",
}


@pytest.mark.slow
def test_anchored_takes_time_in_proportion_to_the_length_of_a_response() -> None:
    slow = []
    for kind, unit in {**UNITS, **REPEATED}.items():
        short, long = (unit * (size // len(unit)) + END for size in (2_500, 10_000))
        seconds = least_cpu(lambda text=long: read("en", text), 5)
        at_most = AT_MOST * least_cpu(lambda text=short: read("en", text), 5)
        if seconds > max(SECONDS, at_most):
            slow.append(kind)
    assert slow == []
