"""Whether keys are the same, for many pairs at once."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotation.duplicates.dedupe.answers import Answers
from annotation.duplicates.dedupe.texts import ItemText, same_key

KEYS = st.sampled_from(["A", "B", "c", "D", "12", "１２", ""])
OPTIONS = st.lists(st.sampled_from(["Aa", "AA", "b.", "B", "?", "", "ག"]), max_size=3).map(tuple)
ITEMS = st.lists(
    st.builds(ItemText, id=st.just(0), question=st.just(""), options=OPTIONS, key=KEYS),
    min_size=1,
    max_size=8,
)


@given(ITEMS)
def test_differ_says_of_all_pairs_at_once_what_same_key_says_of_each(items: list[ItemText]) -> None:
    rows = np.arange(len(items))
    found = Answers(items).differ(rows[:, np.newaxis], rows[np.newaxis, :])
    assert found.tolist() == [[not same_key(a, b) for b in items] for a in items]


@given(ITEMS, st.data())
def test_differ_of_a_translation_asks_the_source_as_well(
    sources: list[ItemText], data: st.DataObject
) -> None:
    size = len(sources)
    targets = data.draw(st.lists(ITEMS.map(lambda items: items[0]), min_size=size, max_size=size))
    answers = Answers(targets, sources)
    for i, j in product(range(size), repeat=2):
        a, b = targets[i], targets[j]
        is_same = same_key(sources[i], sources[j]) or (
            bool(a.options and b.options) and same_key(a, b)
        )
        assert answers.differ(np.array([i]), np.array([j])).tolist() == [not is_same]
