"""What a set of items shows as a whole: uneven keys, longest options, several translations."""

import random

import pytest

from annotation.checks.whole_set import SetItem, SeveralWays, Wording, check_whole_set


def item(number: int, key: str = "A", options: tuple[str, ...] = ("a", "b", "c", "d")) -> SetItem:
    return SetItem(f"s/{number}", key, f"question {number}", options)


def translated(number: int, source: tuple[str, ...], target: tuple[str, ...]) -> SetItem:
    return SetItem(f"s/{number}", "A", f"t{number}", target, f"q{number}", source)


def test_keys_are_counted_by_number_of_options_and_tested() -> None:
    keys = "A" * 30 + "B" * 14 + "C" * 15 + "D" * 15
    items = [item(n, key) for n, key in enumerate(keys)] + [item(99, "B", ("x", "y"))]

    two, four = check_whole_set(items).balances

    assert (two.option_count, two.counts, two.p, two.is_uneven) == (
        2,
        {"A": 0, "B": 1},
        None,
        False,
    )
    assert four.counts == {"A": 30, "B": 14, "C": 15, "D": 15}
    # By hand: sum of (observed - 18.5)² / 18.5 is 177 / 18.5 = 9.568, with 3 degrees of freedom.
    assert four.p == pytest.approx(0.02262, abs=1e-4)
    assert not four.is_uneven


def test_even_keys_pass_and_uneven_ones_do_not() -> None:
    draw = random.Random(1)
    even = [item(n, draw.choice("ABCD")) for n in range(2000)]
    uneven = [item(n, draw.choice("AABCD")) for n in range(2000)]

    assert [each.is_uneven for each in check_whole_set(even).balances] == [False]
    assert [each.is_uneven for each in check_whole_set(uneven).balances] == [True]


def test_longest_option_is_compared_with_chance() -> None:
    long_first = ("the longest option", "b", "c", "d")
    items = [item(n, "A" if n < 20 else "B", long_first) for n in range(40)]

    longest = check_whole_set([*items, item(99, "A", ("ab", "cd"))]).longest

    assert (longest.right, longest.expected, longest.n) == (20, 10.0, 40)
    # By hand: z = (20 - 0.5 - 10) / sqrt(40 · 0.25 · 0.75) = 3.469.
    assert longest.p == pytest.approx(0.000261, abs=1e-5)
    assert longest.is_uneven


def test_one_source_text_translated_in_several_ways_is_listed_the_most_frequent_first() -> None:
    items = [
        translated(1, ("以上都对", "水"), ("གོང་གསལ་ཚང་མ་འགྲིག", "ཆུ")),
        translated(2, ("以上都对", "火"), ("ཡོངས་རྫོགས་འགྲིག", "མེ")),
        translated(3, ("以上都对", "水"), ("གོང་གསལ་ཚང་མ་འགྲིག", "ཆུ\u200b")),
        translated(4, ("12", "金"), ("12", "གསེར")),
        translated(5, ("12",), ("༡༢", "too many")),
    ]

    found = check_whole_set(items)

    assert found.several_ways_count == 1
    assert found.several_ways == (
        SeveralWays(
            "以上都对",
            (
                Wording("གོང་གསལ་ཚང་མ་འགྲིག", 2, "s/1"),
                Wording("ཡོངས་རྫོགས་འགྲིག", 1, "s/2"),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("source", "again", "one", "same", "other"),
    [
        ("叶绿体", "叶绿体。", "ལྗང་རྡུལ།", "ལྗང་རྡུལ", "ལོ་མའི་ལྗང་ཁུ།"),
        ("叶绿体", "叶绿体 ", "ຄລໍໂຣພລາສ", "ຄລໍໂຣພລາສ\u200b", "ເມັດສີຂຽວ"),
        ("葉綠體", "葉綠體；", "Хлоропласт", "хлоропласт.", "ногооны мөхлөг"),
        ("Chloroplast", "chloroplast", "خلوروپلاست", "خلوروپلاست.", "يېشىل تانىچە"),
        ("ＤＮＡ", "DNA", "البلاستيدة؟", "البلاستيدة", "الكلوروبلاست"),
    ],
)
def test_marks_at_the_ends_and_case_make_no_other_wording(
    source: str, again: str, one: str, same: str, other: str
) -> None:
    alike = [translated(1, (source, "x"), (one, "x")), translated(2, (again, "y"), (same, "y"))]
    found = check_whole_set([*alike, translated(3, (again, "z"), (other, "z"))])

    assert check_whole_set(alike).several_ways == ()
    [ways] = found.several_ways
    assert [(each.text, each.count) for each in ways.wordings] == [(one, 2), (other, 1)]


def test_set_without_items_says_nothing() -> None:
    found = check_whole_set([])

    assert (found.balances, found.longest.n, found.longest.p, found.several_ways) == (
        (),
        0,
        None,
        (),
    )
