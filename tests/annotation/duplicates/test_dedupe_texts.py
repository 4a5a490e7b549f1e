"""Comparing whole items and their keys."""

import pytest

from annotation.duplicates.dedupe.texts import ItemText, comparison_text, key_text, same_key


def _item(options: tuple[str, ...], key: str) -> ItemText:
    return ItemText(id=1, question="Which?", options=options, key=key)


def test_comparison_text_options_in_other_order_is_equal() -> None:
    assert comparison_text(_item(("b", "a"), "A")) == comparison_text(_item(("a", "b"), "A"))


@pytest.mark.parametrize(
    ("options", "key", "expected"),
    [
        (("one", "two"), "B", "two"),
        (("one", "two"), "b", "two"),
        (("one", "two"), "C", "C"),
        ((), "A", "A"),
        ((), "42", "42"),
    ],
)
def test_key_text_letter_stands_for_its_option(
    options: tuple[str, ...], key: str, expected: str
) -> None:
    assert key_text(_item(options, key)) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (_item(("x", "y"), "A"), _item(("y", "x"), "B"), True),
        (_item(("x", "y"), "A"), _item(("y", "x"), "A"), False),
        (_item(("Lhasa", "Xining"), "A"), _item(("lhasa.", "Xining"), "A"), True),
        (_item(("AA", "Aa"), "A"), _item(("AA", "Aa"), "B"), False),
        (_item((), "12"), _item((), "12"), True),
        (_item(("?", "!"), "A"), _item(("?", "!"), "B"), False),
    ],
)
def test_same_key_compares_option_text_not_letter(a: ItemText, b: ItemText, expected: bool) -> None:
    assert same_key(a, b) is expected
    assert same_key(b, a) is expected
