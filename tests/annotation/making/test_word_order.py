"""Items that ask for the right order of words: three wrong orders, and a checker that names faults."""

import json
from itertools import permutations
from pathlib import Path

import pytest

from annotation.making.base import Fault, fault_text
from annotation.making.free_order import FREE_ORDERS, FreeOrder, is_legal_reordering
from annotation.making.word_order import check_word_order, make_word_order
from annotation.making.words import bare, without_outer_marks, words_of
from languages import get_language
from languages.base import Language
from tests.timing import least_cpu

MANY_MARKS = "Go " + "!" * 20_000 + "a"
MN, EN, BO, LO = map(get_language, ("mn", "en", "bo", "lo"))


def test_sentence_makes_an_item_whose_wrong_options_keep_the_marks_and_the_capital() -> None:
    made = make_word_order(["The old man saw a dog today."], EN, question="Which?", seed=3)

    (item,) = made.items
    assert item.options["ABCD".index(item.key)] == "The old man saw a dog today."
    assert check_word_order(item.options, item.key, EN) == []
    for option in item.options:
        assert option.endswith(".")
        assert option[0].isupper()
        assert option[1:] == option[1:].lower()
    assert item.recipe == "word-order 2, seed 3"


def test_item_depends_on_its_sentence_and_the_seed_only() -> None:
    first, second = "The cat sat on it.", "A dog ran to us."
    alone = make_word_order([second], EN, question="?", seed=1).items
    together = make_word_order([first, "", second], EN, question="?", seed=1).items
    assert together[1:] == alone
    other = make_word_order([second], EN, question="?", seed=2).items
    assert other[0].uid == alone[0].uid
    assert other != alone


def test_lines_without_an_item_say_why() -> None:
    lines = ["Go home.", "a a b", "", "The cat sat.", " The cat sat. "]
    made = make_word_order(lines, EN, question="?", seed=1)
    assert len(made.items) == 1
    assert made.faults == [
        Fault("too_few_words", 1),
        Fault("too_few_orders", 2),
        Fault("same_sentence", 5, {"line": 4}),
    ]
    assert fault_text(made.faults[2]) == "The sentence stands in line 4 already."


def test_tibetan_words_are_parted_by_bars_and_put_together_with_tshegs() -> None:
    made = make_word_order(["ང་སློབ་གྲྭ་ལ་འགྲོ།", "ང་|སློབ་གྲྭ་|ལ་|འགྲོ།"], BO, question="?", seed=1)
    assert made.faults == [Fault("words_not_parted", 1)]
    (item,) = made.items
    assert item.options["ABCD".index(item.key)] == "ང་སློབ་གྲྭ་ལ་འགྲོ།"
    assert all("སློབ་གྲྭ" in option and option.endswith("།") for option in item.options)
    assert len(set(item.options)) == 4


def test_legal_reordering_is_never_made() -> None:
    sentence = "Өнөөдөр Бат Дорж ба ирсэн."
    for seed in range(40):
        (item,) = make_word_order([sentence], MN, question="?", seed=seed).items
        assert check_word_order(item.options, item.key, MN) == []
        assert "Бат өнөөдөр Дорж ба ирсэн." not in item.options


def test_rules_know_movable_words_and_joined_neighbours() -> None:
    rules = FreeOrder(frozenset({"today"}), frozenset({"and"}))
    right = "today ann and bob came".split()
    for text, is_legal in {
        "ann and bob today came": True,
        "today bob and ann came": True,
        "bob and ann today came": True,
        "ann and bob came today": False,
        "ann bob and today came": False,
        "and ann bob today came": False,
    }.items():
        assert is_legal_reordering(right, text.split(), rules) == is_legal, text


def every_swap(words: list[str], joiners: frozenset[str]) -> list[list[str]]:
    """Return the words as they are, and with each choice of joined neighbours changed."""
    found = [words]
    for place in range(1, len(words) - 1):
        if words[place] in joiners:
            found += [
                [*w[: place - 1], w[place + 1], w[place], w[place - 1], *w[place + 2 :]]
                for w in found
            ]
    return found


def test_every_choice_of_changed_neighbours_is_known() -> None:
    rules = FreeOrder(joiners=frozenset({"and", "or"}))
    for text in ("a and b and c or d", "a and a and and b", "a and", "a or a and b"):
        words = text.split()
        for order in {*permutations(words)}:
            is_legal = words in every_swap([*order], rules.joiners)
            assert is_legal_reordering(words, order, rules) == is_legal, order


def test_many_joined_words_and_many_marks_are_answered() -> None:
    """A search through all orders would never end."""
    joined = " and ".join(f"w{number}" for number in range(100)).split()
    rules = FreeOrder(joiners=frozenset({"and"}))
    assert is_legal_reordering(joined, [joined[-1], "and", *joined[:-2]], rules)
    assert not is_legal_reordering(joined, joined[::-1], rules)
    assert without_outer_marks(MANY_MARKS) == ("", MANY_MARKS, "")


@pytest.mark.slow
def test_many_marks_take_no_time() -> None:
    assert least_cpu(lambda: without_outer_marks(MANY_MARKS)) < 0.5


@pytest.mark.parametrize(("sentence", "parts"), [
    ("Go home?!", ("", "Go home", "?!")),
    ("Go home ?", ("", "Go home", " ?")),
    ("“Go home.”", ("“", "Go home", ".”")),
    ("— Go 80%.", ("— ", "Go 80%", ".")),
    ("-5 is $x$.", ("", "-5 is $x$", ".")),
    ("a!b x_", ("", "a!b x_", "")),
    ("ང་|འགྲོ|།།", ("", "ང་|འགྲོ", "།།")),
    ("ང་|དང་།", ("", "ང་|དང", "་།")),
    ("ང་|དཔེ༌", ("", "ང་|དཔེ༌", "")),
    ("...", ("...", "", "")),
    ("", ("", "", "")),
])  # fmt: skip
def test_marks_at_both_ends_are_parted_from_a_sentence(
    sentence: str, parts: tuple[str, str, str]
) -> None:
    assert without_outer_marks(sentence) == parts


@pytest.mark.parametrize(("sentence", "language", "before", "after"), [
    ("ང་|སློབ་གྲྭ་|ལ་|འགྲོ།", BO, "", "།"),
    ("ང་|སློབ་གྲྭ་|ལ་|འགྲོ|།", BO, "", "།"),
    ("ຂ້ອຍ|ໄປ|ບໍ່|ໄດ້", LO, "", ""),
    ("Сайн байна уу найз минь ?", MN, "", " ?"),
    ("«Бат өчигдөр сургуульд явлаа.»", MN, "«", ".»"),
])  # fmt: skip
def test_shuffles_keep_each_word_whole_and_the_outer_marks_in_their_place(
    sentence: str, language: Language, before: str, after: str
) -> None:
    """Vowel signs and tone marks belong to their word."""
    _before, inner, _after = without_outer_marks(sentence)
    for seed in range(10):
        (item,) = make_word_order([sentence], language, question="?", seed=seed).items
        for option in item.options:
            assert option.startswith(before)
            assert option.endswith(after)
            rest = option[len(before) : len(option) - len(after)]
            for word in words_of(inner, language):
                assert word.rstrip("་").casefold() in rest.casefold()


def test_words_that_differ_by_a_vowel_sign_are_two_and_rules_are_written_as_words_compare() -> None:
    for first, second in (("བོད", "བད"), ("ບໍ່", "ບີ"), ("हिन्दी", "हनद")):
        assert bare(first) != bare(second)
    for rules in FREE_ORDERS.values():
        assert all(bare(word) == word for word in rules.movable | rules.joiners)


def test_sentence_of_more_than_a_thousand_characters_is_left_out() -> None:
    texts = ["a b c " + "d" * 994, "a b c " + "d" * 995]
    made = make_word_order(texts, EN, question="?", seed=1)
    assert len(made.items) == 1
    (fault,) = made.faults
    assert fault == Fault("sentence_too_long", 2, {"most": 1_000})
    assert fault_text(fault) == "The sentence has more than 1000 characters."


def test_checker_names_each_fault() -> None:
    options = ["Сайн байна уу?", "сайн, байна уу", "уу сайн байв", "байна уу сайн"]
    assert check_word_order(options, "A", MN) == [
        Fault("same_option", data={"first": "A", "second": "B"}),
        Fault("other_words", data={"option": "C"}),
    ]
    assert check_word_order(options[:3], "A", MN) == [Fault("option_count")]
    legal = ["Бат өнөөдөр ирсэн", "Өнөөдөр Бат ирсэн", "ирсэн Бат өнөөдөр", "ирсэн өнөөдөр Бат"]
    assert check_word_order(legal, "A", MN) == [Fault("legal_order", data={"option": "B"})]


@pytest.fixture(scope="module")
def published(shared_data: Path) -> list[tuple[list[str], str]]:
    rows = json.loads((shared_data / "mm_eval" / "syntax_eval.json").read_text(encoding="utf-8"))
    return [([choice["text"] for choice in row["choices"]], row["answerKey"]) for row in rows]


def test_published_syntax_items_of_mm_eval_are_accepted(
    published: list[tuple[list[str], str]],
) -> None:
    found = [check_word_order(options, key, MN) for options, key in published]
    assert found == [[]] * 60


def test_syntax_items_made_anew_from_the_right_options_pass_the_rules(
    published: list[tuple[list[str], str]],
) -> None:
    right = [options["ABCD".index(key)] for options, key in published]
    made = make_word_order(right, MN, question="?", seed=7)
    assert (len(made.items), made.faults) == (60, [])
    assert [check_word_order(item.options, item.key, MN) for item in made.items] == [[]] * 60
