"""Directions of translations as files write them."""

import pytest

from scoring.directions import read_direction


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("zh-bo", "zh-bo"),
        (" EN → lo ", "en-lo"),
        ("en->bo", "en-bo"),
        ("zh-Hant-bo", "zh-Hant-bo"),
        ("zho_Hans-bod_Tibt", "zh-Hans-bo-Tibt"),
        ("xx-yy", "xx-yy"),
        ("", "zh-bo"),
        ("both ways", "zh-bo"),
        ("into Tibetan, please", "zh-bo"),
        ("a-b-c", "zh-bo"),
    ],
)
def test_direction_names_two_languages_or_is_that_of_the_project(said: str, expected: str) -> None:
    assert str(read_direction(said, source="zh", target="bo")) == expected


def test_direction_with_hyphens_in_its_tags_is_cut_between_them() -> None:
    assert read_direction("zh-Hant-bo", source="", target="") == ("zh-Hant", "bo")
    assert read_direction("en-zh-Hant", source="", target="") == ("en", "zh-Hant")
