"""What is read as answers, and what is wrong with them."""

from decimal import Decimal
from typing import Any

import pytest

from submissions.checking import (
    MOST_EPOCHS,
    Asked,
    NotAnObject,
    NotText,
    NotTwoColumns,
    TooManyEpochs,
    check,
    number_of,
    one_spelling,
    read_file,
)

ASKED = Asked({"a": 4, "b": 2, "c": 0}, frozenset({"open"}), "ཀཁགང")


@pytest.mark.parametrize(
    ("data", "pairs"),
    [
        (b'{"a": "A", "b": null}', [("a", "A"), ("b", None)]),
        (b'{"a": "A", "a": "B"}', [("a", "A"), ("a", "B")]),
        (b"id,answer\na,A\nb,\n", [("a", "A"), ("b", "")]),
        (b"\xef\xbb\xbfa,A\r\n\r\na,B\r\n", [("a", "A"), ("a", "B")]),
    ],
)
def test_json_and_csv_are_read_with_doubled_ids(data: bytes, pairs: list[tuple[str, Any]]) -> None:
    assert read_file(data) == pairs


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b'["a"]', NotAnObject),
        (b'[["a", "A"]]', NotAnObject),
        (b"{" * 100_000, NotAnObject),
        (b'{"a": ', NotAnObject),
        (b'{"\\ud800": "A"}', NotAnObject),
        (b"a,A,x", NotTwoColumns),
        (b"\xff\xfe", NotText),
    ],
)
def test_other_files_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_file(data)


def test_good_answers_are_kept_in_the_order_of_the_items() -> None:
    found, faults = check([("c", " 1,234 "), ("b", "Ｂ"), ("a", "གང"[0]), ("open", "x")], ASKED)
    assert (found, bool(faults)) == (["C", "B", "1234"], False)


def test_answers_of_several_epochs_follow_each_other() -> None:
    pairs = read_file(
        '{"a": ["A", "ཁ"], "b": ["B", null], "c": [1, "༢"], "open": ["x", "ལན།"]}'.encode()
    )
    found, faults = check(pairs, ASKED)
    assert (found, bool(faults)) == (["A", "B", "1", "B", "", "2"], False)


@pytest.mark.parametrize(
    ("odd", "name"),
    [
        (["A"], "uneven"),
        ("A", "uneven"),
        ([], "uneven"),
        (["A"] * 3, "uneven"),
        (["A", "E"], "no_option"),
        (["A", ["A"]], "no_option"),
        (["A", [("x", "A")]], "no_option"),
    ],
)
def test_every_item_has_the_same_number_of_answers(odd: Any, name: str) -> None:
    found, faults = check([("b", ["A", "B"]), ("c", ["1", "2"]), ("a", odd)], ASKED)
    assert (found, getattr(faults, name)) == ([], ("a",))


def test_epochs_are_bounded() -> None:
    with pytest.raises(TooManyEpochs) as raised:
        check([(uid, ["1"] * (MOST_EPOCHS + 1)) for uid in "abc"], ASKED)
    assert raised.value.epochs == MOST_EPOCHS + 1
    one_more = [
        ("a", ["A"] * (MOST_EPOCHS + 1)),
        ("b", ["A"] * MOST_EPOCHS),
        ("c", ["1"] * MOST_EPOCHS),
    ]
    assert check(one_more, ASKED)[1].uneven == ("a",)
    assert check([(uid, []) for uid in "abc"], ASKED)[1].uneven == ("a", "b", "c")


@pytest.mark.parametrize("answer", [None, "", "  "])
def test_an_answer_may_be_missing_where_the_model_gave_none(answer: Any) -> None:
    found, faults = check([("a", answer), ("b", answer), ("c", answer)], ASKED)
    assert (found, bool(faults)) == (["", "", ""], False)


@pytest.mark.parametrize("answer", ["E", "AB", "ཀཁ", 3, True, ["E"], {}, "1"])
def test_an_answer_that_is_no_option_is_named(answer: Any) -> None:
    _found, faults = check([("a", answer), ("b", "A"), ("c", 5)], ASKED)
    assert faults.no_option == ("a",)


@pytest.mark.parametrize("answer", ["five", "1 2", True, "9" * 50])
def test_an_answer_that_is_no_number_is_named(answer: Any) -> None:
    _found, faults = check([("a", "A"), ("b", "A"), ("c", answer)], ASKED)
    assert faults.no_option == ("c",)


@pytest.mark.parametrize(
    ("spellings", "kept"),
    [
        ([5, 5.0, "5.0", "05", "+5", "५", "༥", "５", "10/2", "$5", " 5.000 "], "5"),
        (["0.125", "1/8", "+0.1250", "2/16", "०.१२५"], "0.125"),
        (["-3/4", "−0.75", "-0.750"], "-0.75"),
        (["1/3", "2/6", "१/३"], "1/3"),
        ([0, "-0", "0.0", "0/7"], "0"),
        (["1,234", "1234", "1'234", "1 234,0"], "1234"),
        (["9" * 40], "9" * 40),
        (["0." + "0" * 37 + "1"], "0." + "0" * 37 + "1"),
        (["1/" + "8" + "0" * 37], "1/8" + "0" * 37),
    ],
)
def test_a_number_is_kept_in_one_spelling(spellings: list[Any], kept: str) -> None:
    for each in spellings:
        found, faults = check([("a", "A"), ("b", "A"), ("c", each)], ASKED)
        assert (found[2], bool(faults)) == (kept, False), each
    assert number_of(kept) == number_of(str(spellings[0]).strip())


def test_a_number_longer_than_any_answer_is_none() -> None:
    for number in ("9" * 41, "9" * 20_000, "0." + "1" * 20_000):
        assert one_spelling(Decimal(number)) is None, len(number)


def test_every_fault_is_listed_at_once() -> None:
    _found, faults = check([("a", "A"), ("a", "B"), ("x", "A"), ("b", "C")], ASKED)
    assert faults.unknown == ("x",)
    assert faults.missing == ("c",)
    assert faults.doubled == ("a",)
    assert faults.no_option == ("b",)


def test_long_lists_are_shortened_and_counted_whole() -> None:
    _found, faults = check([(f"x{n}", "A") for n in range(500)], ASKED)
    assert len(faults.unknown) == 100
    assert faults.counts == {
        "unknown": 500,
        "missing": 3,
        "doubled": 0,
        "no_option": 0,
        "uneven": 0,
    }
