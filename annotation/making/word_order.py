"""Makes items that ask for the right order of words, as MM-Eval's syntax items do, and checks such items.

A right sentence stands beside three shuffles of its words (Zhang, M. et al. (2024), MM-Eval: A
Hierarchical Benchmark for Modern Mongolian Evaluation in LLMs, arXiv:2411.09492). The marks before
and after the sentence stay there, and its first word has a capital letter in all options if it has one
in the sentence, since both would give the answer away.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from random import Random
from typing import Final

from annotation.making.base import (
    OPTION_COUNT,
    Fault,
    Made,
    MadeItem,
    dice_of,
    make_each,
    uid_of,
    with_key,
)
from annotation.making.free_order import free_order_of, is_legal_reordering
from annotation.making.words import BAR, bare_words, sentence_of, without_outer_marks, words_of
from languages.base import Language
from languages.letters import letter_of

WAY: Final = "word-order"
VERSION: Final = 2
LEAST_WORDS: Final = 3
_LISTED_WORDS: Final = 6
_DRAWS: Final = 200


def make_word_order(
    sentences: Sequence[str], language: Language, *, question: str, seed: int
) -> Made:
    """Return an item for each sentence that has one."""
    return make_each(sentences, lambda text: _made(text, language, question, seed))


def check_word_order(options: Sequence[str], key: str, language: Language) -> list[Fault]:
    """Return what is wrong with an item that asks for the right order of words; `key` is a letter.

    Orders are compared without marks and capital letters, after folding.
    """
    letters = [letter_of(place) for place in range(len(options))]
    if len(options) != OPTION_COUNT or key not in letters:
        return [Fault("option_count")]
    orders = {
        letter: bare_words(words_of(text, language))
        for letter, text in zip(letters, options, strict=True)
    }
    return list(_faults(orders, key, language))


def _faults(orders: dict[str, tuple[str, ...]], key: str, language: Language) -> Iterator[Fault]:
    right, rules = orders[key], free_order_of(language.code)
    if len(right) < LEAST_WORDS:
        yield Fault("too_few_words")
    for first, second in combinations(orders, 2):
        if orders[first] == orders[second]:
            yield Fault("same_option", data={"first": first, "second": second})
    for letter, order in orders.items():
        if order == right:
            continue
        if sorted(order) != sorted(right):
            yield Fault("other_words", data={"option": letter})
        elif is_legal_reordering(right, order, rules):
            yield Fault("legal_order", data={"option": letter})


def _made(text: str, language: Language, question: str, seed: int) -> MadeItem | str:
    """Return the item of a sentence, or the code of the reason why there is none."""
    before, inner, after = without_outer_marks(text)
    words = words_of(inner, language)
    if not language.is_spaced and BAR not in text:
        return "words_not_parted"
    if len(bare_words(words)) < LEAST_WORDS:
        return "too_few_words"
    right = before + sentence_of(words, language) + after
    dice = dice_of(WAY, right, seed)
    shuffles = _shuffles(words, language, dice)
    if len(shuffles) < OPTION_COUNT - 1:
        return "too_few_orders"
    is_capital = words[0][:1].isupper() and not words[0].isupper()
    wrong = [
        before + sentence_of(_capital(each, words[0]) if is_capital else each, language) + after
        for each in shuffles
    ]
    options, key = with_key(right, wrong, dice)
    return MadeItem(uid_of(WAY, right), question, options, key, f"{WAY} {VERSION}, seed {seed}")


def _shuffles(words: Sequence[str], language: Language, dice: Random) -> list[list[str]]:
    """Return three orders that are neither right nor equal to each other; fewer if there are no more."""
    right, rules = bare_words(words), free_order_of(language.code)
    seen: set[tuple[str, ...]] = set()
    found: list[list[str]] = []
    for order in _orders(words, dice):
        compared = bare_words(order)
        if compared not in seen and not is_legal_reordering(right, compared, rules):
            seen.add(compared)
            found.append(order)
        if len(found) == OPTION_COUNT - 1:
            break
    return found


def _orders(words: Sequence[str], dice: Random) -> Iterator[list[str]]:
    """Yield orders at random: all orders of a few words, so that none is missed, or many draws."""
    if len(words) <= _LISTED_WORDS:
        every = [list(order) for order in permutations(words)]
        dice.shuffle(every)
        yield from every
        return
    for _draw in range(_DRAWS):
        yield dice.sample(words, len(words))


def _capital(order: Sequence[str], first: str) -> list[str]:
    """Return an order with the capital letter of the sentence's first word at its own first word."""
    small = [word[:1].lower() + word[1:] if word == first else word for word in order]
    return [small[0][:1].upper() + small[0][1:], *small[1:]]
