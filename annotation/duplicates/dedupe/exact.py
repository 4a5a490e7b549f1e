"""Items with the same normalised text: whole, or the question alone."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from annotation.duplicates.dedupe.comparison import OPTION_SHARE, ComparedText, shared_options
from annotation.duplicates.dedupe.grams import Grams
from annotation.duplicates.dedupe.limits import limits_for
from annotation.duplicates.dedupe.normalise import letter_count
from annotation.duplicates.dedupe.pairs import Pair, Side, make_pair
from annotation.duplicates.dedupe.texts import same_key

# In a group no larger than this every two items are a pair; in a larger one the first and each,
# and the first with another key and each that has the first one's.
FULL_GROUP = 20
LEAST_LETTERS = 2
FEW, OWN = 3, 4


def exact_pairs(texts: Iterable[ComparedText], *, side: Side) -> list[Pair]:
    """Return pairs of items with the same question and the same options in any order; similarity 1."""
    return [
        make_pair(a.item.id, b.item.id, kind="exact", similarity=1.0, side=side)
        for group in _groups(texts, lambda text: text.whole, least=LEAST_LETTERS)
        for a, b in _pairs_within(group)
    ]


def same_question_pairs(
    texts: Iterable[ComparedText],
    *,
    language: str,
    side: Side,
    tick: Callable[[], None] = lambda: None,
) -> list[Pair]:
    """Return near pairs with the same question and other options; similarity is the overlap of all text.

    Half of the options, or the key's text, must be the same, and the question must be long enough
    to compare: otherwise the question is a frame ("Which of these is true?"). A long question that
    only a few items have is no frame, so that there all options may differ. `tick` is called
    for each two that are compared and may raise.
    """
    limits, pairs = limits_for(language), []
    for group in _groups(texts, lambda text: text.question, least=limits.letters):
        is_own = len(group) <= FEW and letter_count(group[0].question) >= OWN * limits.letters
        for a, b in _pairs_within(group):
            tick()
            if a.whole != b.whole and (is_own or _same_matter(a, b)):
                similarity = _overlap(a, b, gram=limits.gram)
                ids = a.item.id, b.item.id
                pairs.append(make_pair(*ids, kind="near", similarity=similarity, side=side))
    return pairs


def _overlap(a: ComparedText, b: ComparedText, *, gram: int) -> float:
    [overlap] = Grams([a.whole, b.whole].__getitem__, gram).overlaps(0, [1])
    return round(overlap, 6)


def _same_matter(a: ComparedText, b: ComparedText) -> bool:
    return shared_options(a, b) >= OPTION_SHARE or bool(a.item.key and same_key(a.item, b.item))


def _groups(
    texts: Iterable[ComparedText], part: Callable[[ComparedText], str], *, least: int
) -> list[list[ComparedText]]:
    found: defaultdict[str, list[ComparedText]] = defaultdict(list)
    for text in sorted(texts, key=lambda text: text.item.id):
        if letter_count(part(text)) >= least:
            found[part(text)].append(text)
    return [group for group in found.values() if len(group) > 1]


def _pairs_within(group: Sequence[ComparedText]) -> Iterator[tuple[ComparedText, ComparedText]]:
    if len(group) <= FULL_GROUP:
        yield from combinations(group, 2)
        return
    first, *rest = group
    yield from ((first, text) for text in rest)
    others = (text for text in rest if not same_key(first.item, text.item))
    if other := next(others, None):
        yield from ((other, text) for text in rest if same_key(first.item, text.item))
