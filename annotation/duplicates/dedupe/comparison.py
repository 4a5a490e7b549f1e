"""Tells similar texts that are the same question from those that only share a template.

Benchmarks repeat templates: "Which of the following is true?", "Is this text offensive: …", and
vectors find such items similar. Versions of one text differ in a few short places; two items of one
template differ in a long one, or in their options.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.duplicates.dedupe.grams import KEPT, Grams
from annotation.duplicates.dedupe.normalise import letter_count, normalise
from annotation.duplicates.dedupe.replacements import WordBook, Words, has_long_replacement
from annotation.duplicates.dedupe.texts import ItemText, join_parts
from languages.base import DuplicateLimits

# Below this overlap the words differ throughout: then no shared frame explains the similarity.
FRAME_OVERLAP = 0.3
RUN_SHARE = 0.1
_NUMBER = re.compile(r"\d+")
OPTION_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class ComparedText:
    """An item made ready: normalised question and options (sorted), all in one, letters in that.

    `in_given_order` is all of it with the options as they stand.
    """

    item: ItemText
    question: str
    options: tuple[str, ...]
    in_given_order: str
    whole: str
    letters: int


def compared_text(item: ItemText) -> ComparedText:
    question, given = normalise(item.question), tuple(map(normalise, item.options))
    options = tuple(sorted(given))
    whole = join_parts(question, options)
    return ComparedText(
        item, question, options, " ".join([question, *given]), whole, letter_count(whole)
    )


def compare(items: Iterable[ItemText]) -> list[ComparedText]:
    return [compared_text(item) for item in items]


def shared_options(a: ComparedText, b: ComparedText) -> float:
    """Return the share of the longer option list that is, word for word, in the other; 0 without options."""
    longest = max(len(a.options), len(b.options))
    both = set(a.options) & set(b.options)
    shared = sum(min(a.options.count(option), b.options.count(option)) for option in both)
    return shared / longest if longest else 0.0


def _have_other_numbers(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether all options have numbers, and no number is on both sides."""
    numbers, others = (list(map(_NUMBER.findall, options)) for options in (one, other))
    if not (all(numbers) and all(others)):
        return False
    return not {n for each in numbers for n in each} & {n for each in others for n in each}


class TextComparison:
    """Measures how alike any two of `texts` are, named by their places; counts are kept."""

    def __init__(
        self,
        texts: Sequence[ComparedText],
        limits: DuplicateLimits,
        denies: Callable[[str], bool] = lambda question: False,
    ) -> None:
        """Compare texts; `denies` tells whether a question asks for what is not so."""
        self.texts = texts
        self.limits = limits
        self._denies = lru_cache(maxsize=KEPT)(lambda at: denies(texts[at].item.question))
        self._whole = Grams(lambda at: texts[at].whole, limits.gram)
        self._options = Grams(lambda at: " | ".join(texts[at].options), limits.gram)
        self._forget_words()

    def overlaps(self, one: int, others: Sequence[int]) -> list[float]:
        """Return the Jaccard index of the n-grams of all of one text and all of each other; see `Grams`."""
        return self._whole.overlaps(one, others)

    def differ_beyond_edits(self, one: int, other: int) -> bool:
        """Return whether the letters that two share are a frame: the rest was replaced, or the options were.

        A question that denies asks for another answer than the same one without the negation.
        Where either item's options could not be split, options are compared as part of the
        question.
        """
        a, b = self.texts[one], self.texts[other]
        if self._denies(one) != self._denies(other):
            return True
        if a.options and b.options:
            return not self._options_agree(one, other) or self._is_replaced(
                one, other, with_options=False
            )
        return self._is_replaced(one, other, with_options=True)

    def _options_agree(self, one: int, other: int) -> bool:
        if shared_options(self.texts[one], self.texts[other]) >= OPTION_SHARE:
            return True
        if _have_other_numbers(self.texts[one].options, self.texts[other].options):
            return False
        return self._options.overlaps(one, [other])[0] >= self.limits.near

    def _is_replaced(self, one: int, other: int, *, with_options: bool) -> bool:
        if self._book.is_full or len(self._words) > 2 * KEPT:
            self._forget_words()
        a, b = self._words_of(one, with_options), self._words_of(other, with_options)
        allowed = max(self.limits.run, RUN_SHARE * min(a.letters[-1], b.letters[-1]))
        return has_long_replacement(a, b, longer_than=allowed)

    def _words_of(self, at: int, with_options: bool) -> Words:
        place = at, with_options
        if place not in self._words:
            text = self.texts[at]
            self._words[place] = self._book.words(
                text.in_given_order if with_options else text.question
            )
        return self._words[place]

    def _forget_words(self) -> None:
        self._book = WordBook()
        self._words: dict[tuple[int, bool], Words] = {}
