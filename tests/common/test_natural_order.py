"""Sorting as people count."""

from hypothesis import given
from hypothesis import strategies as st

from common.natural_order import natural_key


def test_numbers_sort_by_size_wherever_they_stand() -> None:
    names = ["s/10", "s/2", "s/1b", "s/1", "s/02a", "r/100", "s"]

    assert sorted(names, key=natural_key) == ["r/100", "s", "s/1", "s/1b", "s/2", "s/02a", "s/10"]


@given(st.integers(0, 10**60), st.integers(0, 10**60))
def test_keys_of_numbers_compare_as_the_numbers(a: int, b: int) -> None:
    assert (natural_key(f"x{a}y") < natural_key(f"x{b}y")) == (a < b)


def test_key_of_the_longest_uid_fits_its_column() -> None:
    assert len(natural_key("1a" * 100)) <= 800
