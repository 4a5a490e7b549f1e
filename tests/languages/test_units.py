"""The units of a text, which show what two texts share."""

import pytest

from languages import get_language
from languages.units import units_of


@pytest.mark.parametrize(
    ("language", "text", "units"),
    [
        ("lo", "ບໍ່ດີ 5", ["ບໍ່", "ດີ", "5"]),
        ("ar", "كِتَابٌ، 5", ["كِتَابٌ", "5"]),
        ("zh", "学生（5）", ["学", "生", "5"]),
        ("mn", "Эсийн тухай.", ["Эсийн", "тухай"]),
        ("bo", "བོད་ཡིག།", ["བོད", "ཡིག"]),
    ],
)
def test_units_keep_signs_with_letters_and_leave_punctuation_out(
    language: str, text: str, units: list[str]
) -> None:
    assert units_of(text, get_language(language)) == units
