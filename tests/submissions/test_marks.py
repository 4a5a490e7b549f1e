"""Orders of options that mark what a team's endpoint is asked: even, stable, and an exact chance."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product
from math import factorial
from random import Random

import pytest

from languages.letters import letters_of
from submissions.false_keys import LEVEL
from submissions.marks import (
    ONE_IN,
    Evidence,
    Seen,
    Wording,
    can_move,
    marked_order,
    new_secret,
    released_letter,
    weigh,
)

SECRET = "0123456789abcdef" * 4
ITEMS = range(1, 20_001)


def orders_of(option_count: int, secret: str = SECRET) -> dict[int, str]:
    """The orders of the items that are marked."""
    drawn = ((item, marked_order(secret, item, option_count)) for item in ITEMS)
    return {item: order for item, order in drawn if order}


@pytest.mark.parametrize("option_count", [3, 4, 10])
def test_one_item_in_twenty_is_marked_and_never_in_the_released_order(option_count: int) -> None:
    orders = orders_of(option_count)
    assert len(orders) == pytest.approx(len(ITEMS) / ONE_IN, rel=0.1)
    assert all(sorted(order) == [*letters_of(option_count)] for order in orders.values())
    assert letters_of(option_count) not in orders.values()


@pytest.mark.parametrize("option_count", [0, 1, 2, 11])
def test_items_with_too_few_or_too_many_options_are_not_marked(option_count: int) -> None:
    assert orders_of(option_count) == {}


def test_every_other_order_is_drawn_as_often() -> None:
    counts = Counter[str]()
    for team in range(24):
        counts.update(orders_of(4, f"{SECRET}{team}").values())
    assert len(counts) == factorial(4) - 1
    mean = counts.total() / len(counts)
    squares = sum((each - mean) ** 2 / mean for each in counts.values())
    assert squares < 48.3  # chi-squared with 22 degrees of freedom, 0.1 % level


def test_marks_depend_on_the_team_and_not_on_the_number_of_options() -> None:
    assert orders_of(4) == orders_of(4)
    assert orders_of(3).keys() == orders_of(4).keys()
    one, other = orders_of(4).keys(), orders_of(4, new_secret()).keys()
    assert len(one & other) < len(one) / 5
    assert new_secret() != new_secret()


def test_letters_are_read_back_by_the_order() -> None:
    options = ("a", "b", "c", "d")
    for order in map("".join, permutations("ABCD")):
        asked = [options["ABCD".index(letter)] for letter in order]
        for letter, text in zip("ABCD", asked, strict=True):
            assert options["ABCD".index(released_letter(letter, order))] == text
    assert (released_letter("B", ""), released_letter("", "BCA")) == ("B", "")


@pytest.mark.parametrize(
    ("options", "language", "is_free"),
    [
        (["red", "green", "blue"], "en", True),
        (["red", "green", "All of the above"], "en", False),
        (["red", "green", "both A and B"], "en", False),
        (["red", "green", "red"], "en", False),
        (["红", "绿", "以上都对"], "zh", False),
        (["དམར་པོ།", "ལྗང་ཁུ།", "གོང་གི་ཚང་མ།"], "bo", False),
    ],
)
def test_options_that_name_others_stay_where_they_are(
    options: list[str], language: str, is_free: bool
) -> None:
    plain = Wording("Which?", ["one", "two", "three"], "en")
    other = Wording("Which?", options, language)
    assert can_move([other]) is is_free
    assert can_move([plain, other]) is is_free


def orders_drawn(count: int) -> list[str]:
    """All orders of `count` options but the released one."""
    return [*map("".join, permutations(letters_of(count)))][1:]


@pytest.mark.parametrize(
    "items",
    [
        [(3, {"BAC"}), (3, {"CBA"}), (3, {"BCA"})],
        [(3, {"ABC"}), (3, {"CBA"}), (4, {"BADC"})],
        [(3, {"ABC", "BAC", "BCA"}), (3, {"CBA", "ACB"}), (3, {"ABC"})],
        [(4, {"ABCD"}), (3, {"ABC"})],
    ],
)
def test_the_chance_is_the_share_of_draws_that_match_as_often(
    items: list[tuple[int, set[str]]],
) -> None:
    draws = list(product(*(orders_drawn(count) for count, _found in items)))
    for draw in draws:
        pairs = list(zip(draw, items, strict=True))
        evidence = weigh([[Seen(order, found)] for order, (_count, found) in pairs], teams=1)
        as_many = sum(matches(other, items) >= evidence.matched for other in draws)
        assert evidence.matched == matches(draw, items)
        assert evidence.chance == pytest.approx(as_many / len(draws))


def matches(draw: Sequence[str], items: list[tuple[int, set[str]]]) -> int:
    return sum(order in found for order, (_count, found) in zip(draw, items, strict=True))


def test_the_chance_counts_teams_and_wordings() -> None:
    two = [[Seen("BAC", {"BAC"})], [Seen("CAB", {"CAB"})]]
    assert weigh(two, teams=1) == Evidence(2, 2, pytest.approx(1 / 25))
    assert weigh(two, teams=3).chance == pytest.approx(3 / 25)
    worded_twice = [[Seen("BAC", {"BAC"}), Seen("BAC", {"CBA"})]]
    assert weigh(worded_twice, teams=1) == Evidence(1, 1, pytest.approx(2 / 5))
    assert weigh([], teams=7) == Evidence(0, 0, 1.0)


def test_what_does_not_come_from_the_team_is_hardly_ever_named() -> None:
    """A text in which all options were shuffled, by somebody who sees no secret."""
    named, tries, items = 0, 1000, range(300)
    for number in range(tries):
        own = {item: marked_order(f"{number}", item, 4) for item in items}
        rng = Random(number)
        seen = [[Seen(order, {"".join(rng.sample("ABCD", 4))})] for order in own.values() if order]
        named += weigh(seen, teams=1).chance <= LEVEL
    assert named <= 4  # one is expected at most


@pytest.mark.parametrize(("marked", "is_named"), [(2, False), (3, True)])
def test_three_items_of_four_options_are_enough(marked: int, *, is_named: bool) -> None:
    evidence = weigh([[Seen("BACD", {"BACD"})]] * marked, teams=10)
    assert (evidence.chance <= LEVEL) is is_named


@pytest.mark.parametrize(("items", "share"), [(50, 0.46), (100, 0.88), (150, 0.98)])
def test_leaks_of_a_hundred_items_are_mostly_enough(items: int, share: float) -> None:
    """A leak of everything that a team was asked, among twelve teams."""
    named = 0
    for number in range(500):
        orders = (marked_order(f"{number}", item, 4) for item in range(items))
        seen = [[Seen(order, {order})] for order in orders if order]
        named += len(seen) > 0 and weigh(seen, teams=12).chance <= LEVEL
    assert named / 500 == pytest.approx(share, abs=0.05)
