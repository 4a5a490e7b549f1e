"""Differences keep both texts, go by syllable and word, and are no mosaic."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.diffs import diff
from tests.timing import least_cpu

CASES = json.loads(Path(__file__).with_name("diff_cases.json").read_text("utf-8"))
TEXTS = st.text(alphabet="བོདསྐྱུ་། ab12中ກາю", max_size=40)


@pytest.mark.parametrize("case", CASES, ids=[case["rule"] for case in CASES])
def test_diff_goes_by_the_units_of_the_script(case: dict[str, Any]) -> None:
    """The workbench's script is held to the same cases: tests/browser/test_texts.py."""
    assert [list(segment) for segment in diff(case["old"], case["new"])] == case["segments"]


@given(TEXTS, TEXTS)
def test_diff_of_any_texts_gives_both_back(old: str, new: str) -> None:
    segments = diff(old, new)
    assert "".join(s.text for s in segments if s.op != "ins") == old
    assert "".join(s.text for s in segments if s.op != "del") == new


@given(TEXTS, TEXTS)
def test_diff_has_no_empty_segment_and_no_two_of_a_kind_in_a_row(old: str, new: str) -> None:
    segments = diff(old, new)
    assert all(segment.text for segment in segments)
    ops = [segment.op for segment in segments]
    assert all(a != b for a, b in pairwise(ops))
    assert ("ins", "del") not in pairwise(ops)


@pytest.mark.slow
def test_very_long_texts_are_compared_at_once() -> None:
    assert least_cpu(lambda: diff(f"བོད་{'ཀ་' * 5_000}", f"བོད་{'ཁ་' * 5_000}")) < 1


def test_middle_of_very_long_texts_is_told_as_replaced() -> None:
    segments = diff(f"བོད་{'ཀ་' * 5_000}", f"བོད་{'ཁ་' * 5_000}")
    assert [segment.op for segment in segments] == ["del", "ins"]
