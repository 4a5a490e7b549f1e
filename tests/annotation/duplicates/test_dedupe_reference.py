"""The quick search against the plain one: every two items compared, by the words of the rules."""

import random
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import combinations

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from annotation.duplicates.dedupe import mining, replacements
from annotation.duplicates.dedupe.comparison import compare
from annotation.duplicates.dedupe.grams import Grams
from annotation.duplicates.dedupe.limits import limits_for
from annotation.duplicates.dedupe.near import (
    NEIGHBOURS,
    Search,
    make_search,
    near_pairs,
    semantic_pairs,
    semantic_threshold,
)
from annotation.duplicates.dedupe.ngrams import encode
from annotation.duplicates.dedupe.normalise import letter_count, normalise
from annotation.duplicates.dedupe.pairs import Pair
from annotation.duplicates.dedupe.replacements import WordBook, has_long_replacement
from annotation.duplicates.dedupe.texts import ItemText, comparison_text, same_key
from languages.base import DuplicateLimits

WORD = r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{Lao}\p{Thai}\p{Khmer}\p{Myanmar}]|[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Lao}\p{Thai}\p{Khmer}\p{Myanmar}]+"
LATIN = ["".join(random.Random(n).choices("abdefgiklmnoprstuvyz", k=5)) for n in range(150)]
TIBETAN = "བོད ཡིག སློབ གྲྭ དགེ རྒན ཆུ མེ རླུང ས ནམ མཁའ གངས རི མཚོ ནགས".split()
HAN = list("天地人日月山水火木金土石田雨雪風雲星海河花草鳥魚馬牛羊犬")


def _overlap(a: str, b: str, size: int) -> float:
    grams_a, grams_b = (Counter(t[k : k + size] for k in range(len(t) - size + 1)) for t in (a, b))
    shared, union = (grams_a & grams_b).total(), (grams_a | grams_b).total()
    return shared / union if union else 0.0


def _longest_replaced(a: list[str], b: list[str]) -> int:
    lengths = [
        min(letter_count("".join(a[a1:a2])), letter_count("".join(b[b1:b2])))
        for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        if tag == "replace"
    ]
    return max(lengths, default=0)


def _is_replaced(a: str, b: str, limits: DuplicateLimits) -> bool:
    allowed = max(limits.run, 0.1 * min(letter_count(a), letter_count(b)))
    return _longest_replaced(regex.findall(WORD, a), regex.findall(WORD, b)) > allowed


def _differ(a: ItemText, b: ItemText, limits: DuplicateLimits) -> bool:
    if not (a.options and b.options):
        return _is_replaced(_as_given(a), _as_given(b), limits)
    options_a, options_b = (sorted(map(normalise, item.options)) for item in (a, b))
    shared = (Counter(options_a) & Counter(options_b)).total()
    if shared / max(len(options_a), len(options_b)) < 0.5 and (
        _overlap(" | ".join(options_a), " | ".join(options_b), limits.gram) < limits.near
    ):
        return True
    return _is_replaced(normalise(a.question), normalise(b.question), limits)


def _as_given(item: ItemText) -> str:
    return " ".join(map(normalise, [item.question, *item.options]))


class Plain:
    """All pairs of `items`, tested one by one; items are numbered from 0."""

    def __init__(self, items: Sequence[ItemText], language: str) -> None:
        self.items, self.limits = items, limits_for(language)
        self.texts = [comparison_text(item) for item in items]
        vectors = encode(self.texts).astype(np.float64)
        self.cosines = np.rint(vectors @ vectors.T * 1e6) / 1e6

    def near(self, i: int, j: int) -> bool:
        return self.overlap(i, j) >= self.limits.near and not self._differ(i, j)

    def semantic(self, i: int, j: int) -> bool:
        return self.overlap(i, j) < 0.3 or not self._differ(i, j)

    def overlap(self, i: int, j: int) -> float:
        return _overlap(self.texts[i], self.texts[j], self.limits.gram)

    def candidates(self, threshold: float) -> list[tuple[int, int]]:
        long = [letter_count(text) >= self.limits.letters for text in self.texts]
        return [
            (i, j)
            for i, j in combinations(range(len(self.items)), 2)
            if self.cosines[i, j] >= threshold and long[i] and long[j]
        ]

    def _differ(self, i: int, j: int) -> bool:
        return _differ(self.items[i], self.items[j], self.limits)

    def of_each(self, threshold: float) -> list[list[tuple[int, int]]]:
        """Of each item's candidates the nearest thirteen of each kind, different keys first."""
        chosen = []
        found = self.candidates(threshold)
        for i in range(len(self.items)):
            row = sorted((p for p in found if p[0] == i), key=lambda p: (-self.cosines[p], p))
            kinds = [[p for p in row if self._same_key(*p) is same] for same in (False, True)]
            chosen.append(row if len(row) <= 12 else kinds[0][:13] + kinds[1][:13])
        return chosen

    def _same_key(self, i: int, j: int) -> bool:
        return same_key(self.items[i], self.items[j])


def _few_of_many(rows: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    return [pair for row in rows for pair in (row if len(row) <= 12 else row[:4])]


def _ids(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    return sorted((pair.a, pair.b) for pair in pairs)


def _search(items: Sequence[ItemText], language: str) -> Search:
    return make_search(compare(items), language=language, side="source")


def _near(search: Search) -> list[Pair]:
    return [p for block in range(search.block_count) for p in near_pairs(search, block=block)]


def _semantic(search: Search, threshold: float) -> list[Pair]:
    blocks = range(search.block_count)
    return [p for b in blocks for p in semantic_pairs(search, block=b, threshold=threshold)]


def _ordinary(words: list[str], gap: str, seed: int) -> list[ItemText]:
    """Items of their own, and among them copies with a word, an option or much changed."""
    rng = random.Random(seed)

    def phrase(low: int, high: int) -> str:
        return gap.join(rng.choices(words, k=rng.randint(low, high)))

    def edit(text: str, most: int) -> str:
        parts = text.split(gap) if gap else list(text)
        at, size = rng.randrange(len(parts)), rng.randint(0, most)
        return gap.join(
            [*parts[:at], *rng.choices(words, k=rng.randint(0, most)), *parts[at + size :]]
        )

    items: list[ItemText] = []
    while len(items) < 150:
        options = tuple(phrase(1, 4) for _ in range(rng.choice([0, 2, 4])))
        items.append(ItemText(len(items), phrase(15, 40), options, rng.choice("ABCD")))
        for _ in range(rng.choice([0, 0, 1, 3])):
            original = rng.choice(items[-4:])
            changed = list(original.options)
            if changed and rng.random() < 0.6:
                changed[rng.randrange(len(changed))] = phrase(1, 4)
            rng.shuffle(changed)
            question = edit(original.question, rng.choice([1, 1, 2, 12]))
            items.append(ItemText(len(items), question, tuple(changed), rng.choice("ABCD")))
    return items


def _look_alikes(count: int) -> list[ItemText]:
    rng = random.Random(4)
    frame = "Which of the following best describes what {} meant to the people of {}?"
    options = ("a kind of food", "a kind of song", "a kind of boat", "a kind of coat")
    names = ["".join(rng.choices(LATIN, k=rng.randint(1, 3))) for _ in range(2 * count)]
    return [
        ItemText(n, frame.format(*names[2 * n : 2 * n + 2]), options, rng.choice("AAAAB"))
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("words", "gap", "language"),
    [(LATIN, " ", "en"), (TIBETAN, "་", "bo"), (HAN, "", "zh"), (LATIN, " ", "mn")],
)
def test_ordinary_items_have_the_pairs_that_comparing_each_two_finds(
    words: list[str], gap: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mining, "BLOCK", 16)
    monkeypatch.setattr(mining, "TILE", 64)
    items = _ordinary(words, gap, seed=len(language) + len(words))
    plain, search = Plain(items, language), _search(items, language)

    candidates = plain.candidates(search.limits.candidate)
    wanted = {(i, j, round(plain.overlap(i, j), 6)) for i, j in candidates if plain.near(i, j)}
    assert 20 < len(wanted) < len(candidates)
    assert max(Counter(i for i, _j, _overlap in wanted).values()) <= NEIGHBOURS
    assert {(p.a, p.b, p.similarity) for p in _near(search)} == wanted

    threshold = semantic_threshold(language=language, model="hashed-ngrams")
    wanted_semantic = [p for p in plain.candidates(threshold) if plain.semantic(*p)]
    assert _ids(_semantic(search, threshold)) == wanted_semantic


def test_look_alikes_have_the_nearest_pairs_of_each_item_different_keys_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mining, "BLOCK", 16)
    monkeypatch.setattr(mining, "TILE", 64)
    items = _look_alikes(80)
    plain, search = Plain(items, "en"), _search(items, "en")

    rows = plain.of_each(search.limits.candidate)
    wanted = _few_of_many([[p for p in row if plain.near(*p)] for row in rows])
    assert len(plain.candidates(search.limits.candidate)) > 5 * len(wanted)
    assert _ids(_near(search)) == sorted(wanted)

    rows = plain.of_each(0.87)
    wanted = _few_of_many([[p for p in row if plain.semantic(*p)] for row in rows])
    assert _ids(_semantic(search, 0.87)) == sorted(wanted)


@given(
    st.lists(st.sampled_from(["a", "b", "cc", "ddd", "-"]), max_size=14),
    st.lists(st.sampled_from(["a", "b", "cc", "ddd", "-"]), max_size=14),
    st.integers(0, 8),
)
def test_replaced_stretch_is_the_one_of_the_standard_librarys_alignment(
    a: list[str], b: list[str], letters: int
) -> None:
    book = WordBook()
    one, other = book.words(" ".join(a)), book.words(" ".join(b))
    wanted = _longest_replaced(a, b) > letters
    assert has_long_replacement(one, other, longer_than=letters) is wanted


@given(st.lists(st.text("abä", max_size=12), min_size=2, max_size=5), st.integers(1, 3))
def test_overlaps_are_those_of_the_counted_n_grams(texts: list[str], size: int) -> None:
    others = list(range(1, len(texts)))
    found = Grams(texts.__getitem__, size).overlaps(0, others)
    assert found == [_overlap(texts[0], texts[other], size) for other in others]


def test_forgetting_what_was_counted_changes_no_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    items = _ordinary(LATIN, " ", seed=3)
    wanted = _near(_search(items, "en"))
    monkeypatch.setattr("annotation.duplicates.dedupe.grams.KEPT", 5)
    monkeypatch.setattr("annotation.duplicates.dedupe.comparison.KEPT", 5)
    assert _near(_search(items, "en")) == wanted
    monkeypatch.setattr(replacements, "MOST_WORDS", 3)
    assert _near(_search(items, "en")) == wanted
