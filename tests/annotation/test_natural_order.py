"""Uids sort as people count, and every uid has an order of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.natural_order import LONGEST_ORDER, natural_order

pytestmark = pytest.mark.both_databases

uids = st.text(alphabet="019a/-é", max_size=30)


def test_natural_order_sorts_numbers_by_their_value() -> None:
    given = ["law/10", "law/2", "law/1", "law/2b", "law/100", "art/3", "law/2/10", "law/2/9"]
    assert sorted(given, key=natural_order) == [
        "art/3",
        "law/1",
        "law/2",
        "law/2/9",
        "law/2/10",
        "law/2b",
        "law/10",
        "law/100",
    ]


@pytest.mark.parametrize(
    ("uid", "order"),
    [
        ("", ""),
        ("law", "law"),
        ("law/7", "law/017"),
        ("law/10", "law/0210"),
        ("law/007", "law/01702"),
        ("law/0", "law/010"),
    ],
)
def test_natural_order_counts_digits_and_keeps_leading_zeros(uid: str, order: str) -> None:
    assert natural_order(uid) == order


@given(one=uids, other=uids)
def test_natural_order_of_two_uids_is_the_same_only_if_they_are(one: str, other: str) -> None:
    assert (natural_order(one) == natural_order(other)) == (one == other)


@pytest.mark.parametrize("uid", ["01a" * 66 + "01", "1a" * 100, "0" * 200, "9" * 200])
def test_natural_order_of_the_longest_uid_fits(uid: str) -> None:
    assert len(natural_order(uid)) <= LONGEST_ORDER
