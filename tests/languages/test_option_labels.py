"""Labels before options are known in every list that a language has, and nothing else is a label."""

import pytest

from languages.option_labels import in_order_of_labels, labels_before, without_labels


@pytest.mark.parametrize(("texts", "labels"), [
    (["A. x", "B. y"], ["A. ", "B. "]),
    (["(b) x", "(c) y"], ["(b) ", "(c) "]),
    (["Ａ．x", "Ｂ．y"], ["Ａ．", "Ｂ．"]),
    (["1. 5 m", "2. 6 m"], ["1. ", "2. "]),
    (["༡། ཀ", "༢། ཁ"], ["༡། ", "༢། "]),
    (["༼ཀ༽ x", "༼ཁ༽ y"], ["༼ཀ༽ ", "༼ཁ༽ "]),
    (["А) x", "Б) y"], ["А) ", "Б) "]),
    (["ກ. x", "ຂ. y"], ["ກ. ", "ຂ. "]),
    (["1.5 m", "2.5 m"], []),
    (["1:2", "2:3"], []),
    (["A. Einstein", "N. Bohr"], []),
    (["A. x", "y"], []),
    (["A. x"], []),
    (["3", "4"], []),
    (["", ""], []),
    ([], []),
])  # fmt: skip
def test_labels_follow_one_another_in_all_texts(texts: list[str], labels: list[str]) -> None:
    assert labels_before(texts) == labels
    assert without_labels(texts) == [
        text[len(label) :] for text, label in zip(texts, labels or [""] * len(texts), strict=True)
    ]


@pytest.mark.parametrize(("labels", "order"), [
    ("BADC", [1, 0, 3, 2]), ("ba", [1, 0]), ("213", [1, 0, 2]), ("01", [0, 1]), ("ཁཀ", [1, 0]),
    (["option_b", "Option A"], None), (["option_b", "option_a"], [1, 0]), (["B.", "(A)"], [1, 0]),
    ("xy", None), ("AA", None), ("AC", None), ("²¹", None), ([], None),
])  # fmt: skip
def test_order_is_that_of_the_labels_or_none(labels: list[str], order: list[int] | None) -> None:
    assert in_order_of_labels([*labels]) == order
