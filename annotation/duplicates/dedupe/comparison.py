"""Whether two similar texts are the same question, or only use the same template.

Benchmarks repeat templates: "Which of the following is true?", "Is this text offensive: …", and
vectors find such items similar. Versions of one text differ in a few short places; two items of one
template differ in a long one, or in their options.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.duplicates.dedupe.grams import KEPT, Grams
from annotation.duplicates.dedupe.normalise import letter_count, normalise
from annotation.duplicates.dedupe.replacements import WordBook, Words, has_long_replacement
from annotation.duplicates.dedupe.texts import ItemText, join_parts
from languages import DuplicateLimits

# Below this overlap the words differ throughout: then no shared frame explains the similarity.
FRAME_OVERLAP = 0.3
RUN_SHARE = 0.1
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
    """Share of the longer option list that is, word for word, in the other; 0 without options."""
    longest = max(len(a.options), len(b.options))
    both = set(a.options) & set(b.options)
    shared = sum(min(a.options.count(option), b.options.count(option)) for option in both)
    return shared / longest if longest else 0.0


class TextComparison:
    """How alike any two of `texts` are, named by their places; what is counted once is kept."""

    def __init__(self, texts: Sequence[ComparedText], limits: DuplicateLimits) -> None:
        self.texts = texts
        self.limits = limits
        self._whole = Grams(lambda at: texts[at].whole, limits.gram)
        self._options = Grams(lambda at: " | ".join(texts[at].options), limits.gram)
        self._forget_words()

    def overlaps(self, one: int, others: Sequence[int]) -> list[float]:
        """Jaccard of the n-grams of all of one text and all of each other; see `Grams`."""
        return self._whole.overlaps(one, others)

    def differ_beyond_edits(self, one: int, other: int) -> bool:
        """Whether the letters that two share are a frame: the rest was replaced, or the options were.

        Where either item's options could not be split, options are compared as part of the
        question.
        """
        a, b = self.texts[one], self.texts[other]
        if a.options and b.options:
            return not self._options_agree(one, other) or self._is_replaced(
                one, other, with_options=False
            )
        return self._is_replaced(one, other, with_options=True)

    def _options_agree(self, one: int, other: int) -> bool:
        if shared_options(self.texts[one], self.texts[other]) >= OPTION_SHARE:
            return True
        return self._options.overlaps(one, [other])[0] >= self.limits.near

    def _is_replaced(self, one: int, other: int, *, with_options: bool) -> bool:
        """Whether one stretch of both differs by more letters than an edit would touch."""
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
