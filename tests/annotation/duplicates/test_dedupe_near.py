"""Near, semantic and exact pairs of items."""

import dataclasses
import random
from collections.abc import Sequence

import numpy as np
import pytest

from annotation.checks.catalogue.denials import find_negation
from annotation.duplicates.dedupe import mining
from annotation.duplicates.dedupe.comparison import compare
from annotation.duplicates.dedupe.exact import exact_pairs, same_question_pairs
from annotation.duplicates.dedupe.limits import limits_for
from annotation.duplicates.dedupe.near import (
    make_search,
    near_pairs,
    semantic_pairs,
    semantic_threshold,
)
from annotation.duplicates.dedupe.ngrams import Vectors
from annotation.duplicates.dedupe.pairs import Pair
from annotation.duplicates.dedupe.texts import ItemText
from languages import get_language
from languages.base import DuplicateLimits

SPACED_ONSETS = "ཀ ཁ ག ང ཅ ཆ ཇ ཉ ཏ ཐ ད ན པ ཕ བ མ ཙ ཚ ཛ ཝ ཞ ཟ ཡ ར ལ ཤ ས ཧ བརྒ རྒྱ སྒྲ བསྐ"
ONSETS = SPACED_ONSETS.split()
VOWELS = ["", "ི", "ུ", "ེ", "ོ"]
CODAS = ["", "ག", "ང", "ད", "ན", "བ", "མ", "ར", "ལ", "ས"]


def _syllable(rng: random.Random) -> str:
    """Draw a syllable that does not deny: with a negation, a question is another one."""
    drawn = iter(lambda: rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS), None)
    return next(s for s in drawn if find_negation(f"{s}་", get_language("bo")) is None)


def _tibetan_item(number: int, rng: random.Random) -> ItemText:
    question = "་".join(_syllable(rng) for _ in range(rng.randint(9, 30)))
    options = tuple("་".join(_syllable(rng) for _ in range(rng.randint(1, 5))) for _ in range(4))
    return ItemText(number, f"{question}།", options, rng.choice("ABCD"))


def _with_one_syllable_changed(item: ItemText, number: int, rng: random.Random) -> ItemText:
    syllables = item.question.rstrip("།").split("་")
    at = rng.randrange(len(syllables))
    syllables[at] = next(s for s in iter(lambda: _syllable(rng), None) if s != syllables[at])
    options = list(item.options)
    rng.shuffle(options)
    return ItemText(number, "་".join(syllables), tuple(options), item.key)


def _near(items: Sequence[ItemText], language: str) -> list[Pair]:
    search = make_search(compare(items), language=language, side="target")
    return [p for block in range(search.block_count) for p in near_pairs(search, block=block)]


def _semantic(items: Sequence[ItemText], language: str) -> list[Pair]:
    search = make_search(compare(items), language=language, side="target")
    threshold = semantic_threshold(language=language, model="hashed-ngrams")
    blocks = range(search.block_count)
    return [p for b in blocks for p in semantic_pairs(search, block=b, threshold=threshold)]


def test_near_pairs_one_syllable_edits_are_all_found_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mining, "BLOCK", 128)
    rng = random.Random(11)
    items = [_tibetan_item(number, rng) for number in range(600)]
    edits = [_with_one_syllable_changed(items[n], 1000 + n, rng) for n in range(0, 600, 10)]
    found = {(p.a, p.b) for p in _near([*items, *edits], "bo")}
    assert found == {(n, 1000 + n) for n in range(0, 600, 10)}


SAME = ItemText(
    1, "Which river flows past the old town of Avignon?", ("Rhone", "Loire", "Seine"), "A"
)


@pytest.mark.parametrize(
    ("other", "language"),
    [
        (
            dataclasses.replace(
                SAME, id=2, question="Which river flows by the old town of Avignon?"
            ),
            "en",
        ),
        (dataclasses.replace(SAME, id=2, options=("Rhone", "Loire", "Saone")), "en"),
        (dataclasses.replace(SAME, id=2, options=("Seine", "Rhone", "Loire"), key="B"), "en"),
        (ItemText(2, f"{SAME.question} A. Rhone B. Loire C. Seine", (), "A"), "en"),
    ],
)
def test_near_pairs_edited_item_is_found(other: ItemText, language: str) -> None:
    assert [(p.a, p.b, p.kind) for p in _near([SAME, other], language)] == [(1, 2, "near")]


@pytest.mark.parametrize(
    ("a", "b", "language"),
    [
        (
            ItemText(
                1, "请问下面的文本是否包含攻击性的内容？山上的野花今天开了", ("是", "否"), "A"
            ),
            ItemText(2, "请问下面的文本是否包含攻击性的内容？火车晚点两个小时", ("是", "否"), "B"),
            "zh",
        ),
        (
            ItemText(
                1,
                "Which of the following statements is correct?",
                ("Iron rusts", "Gold rusts"),
                "A",
            ),
            ItemText(
                2, "Which of the following statements is correct?", ("Cats fly", "Owls fly"), "B"
            ),
            "en",
        ),
        (ItemText(1, "2+3?", ("4", "5"), "B"), ItemText(2, "2+3 ?", ("4", "5"), "B"), "en"),
    ],
)
def test_near_and_semantic_pairs_frame_or_tiny_text_is_no_match(
    a: ItemText, b: ItemText, language: str
) -> None:
    assert _near([a, b], language) == []
    assert _semantic([a, b], language) == []
    assert same_question_pairs(compare([a, b]), language=language, side="source") == []


def test_semantic_pairs_take_the_vectors_of_another_encoder() -> None:
    items = [
        ItemText(5, "How many legs does a spider have in all?", ("six", "eight"), "B"),
        ItemText(3, "Count the limbs that an arachnid walks upon.", ("8", "6"), "A"),
        ItemText(9, "What is the boiling point of water at sea level?", ("100", "90"), "A"),
    ]

    def paraphrases(texts: Sequence[str]) -> Vectors:
        return np.array([[1, 0], [0.96, 0.28], [0, 1]][: len(texts)], np.float32)

    search = make_search(compare(items), language="en", side="source", encoder=paraphrases)
    assert semantic_pairs(search, block=0, threshold=0.9) == [
        Pair(3, 5, "semantic", 0.96, "source")
    ]


def test_exact_pairs_spelling_and_option_order_do_not_matter() -> None:
    items = [
        SAME,
        ItemText(
            2, "which river flows past the old town of  Avignon", ("Seine", "Loire", "rhone"), "B"
        ),
        dataclasses.replace(SAME, id=3, options=("Rhone", "Loire")),
    ]
    assert exact_pairs(compare(items), side="source") == [Pair(1, 2, "exact", 1.0, "source")]


def test_exact_pairs_large_group_is_joined_by_its_first() -> None:
    items = [dataclasses.replace(SAME, id=n) for n in range(50, 0, -1)]
    pairs = exact_pairs(compare(items), side="target")
    assert [(p.a, p.b) for p in pairs] == [(1, n) for n in range(2, 51)]


@pytest.mark.parametrize("odd", [0, 7, 29])
def test_exact_pairs_of_a_large_group_leave_no_item_without_a_pair_of_other_key(odd: int) -> None:
    keys = ["B" if n == odd else "A" for n in range(30)]
    items = [dataclasses.replace(SAME, id=n, key=keys[n]) for n in range(30)]
    pairs = exact_pairs(compare(items), side="target")
    loud = {item for p in pairs if keys[p.a] != keys[p.b] for item in (p.a, p.b)}
    assert loud == set(range(30))
    assert len(pairs) == len(set(pairs)) < 2 * 30


def test_exact_pairs_empty_texts_are_no_match() -> None:
    assert exact_pairs(compare([ItemText(1, ""), ItemText(2, " ")]), side="target") == []


def test_same_question_pairs_same_key_text_with_other_distractors_is_near() -> None:
    other = ItemText(2, SAME.question, ("Tiber", "Rhone", "Ebro"), "B")
    [pair] = same_question_pairs(compare([SAME, other]), language="en", side="source")
    assert (pair.a, pair.b, pair.kind) == (1, 2, "near")
    assert 0.5 < pair.similarity < 1


def test_same_question_pairs_leave_exact_ones_out() -> None:
    items = [SAME, dataclasses.replace(SAME, id=2)]
    assert same_question_pairs(compare(items), language="en", side="source") == []


def test_limits_for_unknown_and_regional_codes() -> None:
    assert limits_for("xx") == DuplicateLimits()
    assert limits_for("zh-Hant-TW") == limits_for("zh")
