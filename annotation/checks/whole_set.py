"""Looks at a set of items as a whole: what no single item shows.

Three questions: are keys spread evenly over the letters, is the longest option right too often, and
is one source text translated in several ways. A model can score above chance on a set with either
of the first two without knowing anything.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from scipy import stats

from languages.folding import fold
from languages.letters import letters_of, position_of

SHOWN: Final = 100
_IDLE_AT_ENDS: Final = " .,;:!?。，、；：！？།༎་؟،؛۔ຯ᠃᠂"
LIKELY_BY_CHANCE: Final = 0.001
"""A table of keys or of longest options below this probability is reported as uneven."""
FEWEST: Final = 20
"""No probability is given for fewer items."""


@dataclass(frozen=True, slots=True)
class SetItem:
    """An item of the set; `options` are those that are asked, `source…` those they translate."""

    uid: str
    key: str
    question: str
    options: tuple[str, ...]
    source_question: str = ""
    source_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyBalance:
    """How often each letter is the key of items with `option_count` options.

    `p` is the probability of counts at least as uneven if keys were drawn at random (Pearson's
    chi-square test); None for too few items.
    """

    option_count: int
    counts: Mapping[str, int]
    n: int
    p: float | None

    @property
    def is_uneven(self) -> bool:
        return self.p is not None and self.p < LIKELY_BY_CHANCE


@dataclass(frozen=True, slots=True)
class LongestOption:
    """How often the longest option is right, among `n` items with one longest option.

    `expected` is what chance would give. `p` is the probability of at least `right`, from the
    normal approximation of a sum of independent draws; None for too few items.
    """

    right: int
    expected: float
    n: int
    p: float | None

    @property
    def is_uneven(self) -> bool:
        return self.p is not None and self.p < LIKELY_BY_CHANCE


@dataclass(frozen=True, slots=True)
class Wording:
    """A translation of a source text, how often it stands, and one item that has it."""

    text: str
    count: int
    uid: str


@dataclass(frozen=True, slots=True)
class SeveralWays:
    """A source text that is translated in several ways, the most frequent first."""

    source: str
    wordings: tuple[Wording, ...]


@dataclass(frozen=True, slots=True)
class WholeSet:
    """What was found; `several_ways` are the first `SHOWN` of `several_ways_count`."""

    balances: tuple[KeyBalance, ...]
    longest: LongestOption
    several_ways: tuple[SeveralWays, ...]
    several_ways_count: int

    def as_json(self) -> dict[str, Any]:
        """Return the whole as JSON values, with what is uneven marked."""
        return {
            "keys": [asdict(each) | {"is_uneven": each.is_uneven} for each in self.balances],
            "longest": asdict(self.longest) | {"is_uneven": self.longest.is_uneven},
            "several_ways_count": self.several_ways_count,
            "several_ways": [asdict(each) for each in self.several_ways],
        }


class WholeSetCounts:
    """Counts items one by one; memory grows with the number of different source texts."""

    def __init__(self) -> None:
        self._keys: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._right = 0
        self._of_size: Counter[int] = Counter()
        self._wordings: defaultdict[str, dict[str, Wording]] = defaultdict(dict)
        self._sources: dict[str, str] = {}

    def add(self, item: SetItem) -> None:
        """Count one item."""
        count = len(item.options)
        position = position_of(item.key, count) if count else None
        if position is not None:
            self._keys[count][item.key] += 1
            self._count_longest(item, position)
        self._count_wording(item.source_question, item.question, item.uid)
        if len(item.source_options) == count:
            for source, text in zip(item.source_options, item.options, strict=True):
                self._count_wording(source, text, item.uid)

    def result(self) -> WholeSet:
        """Return what the items show together."""
        several = [ways for ways in self._several_ways() if len(ways.wordings) > 1]
        several.sort(key=lambda ways: -sum(wording.count for wording in ways.wordings))
        return WholeSet(
            balances=tuple(_balance(count, self._keys[count]) for count in sorted(self._keys)),
            longest=_longest(self._right, self._of_size),
            several_ways=tuple(several[:SHOWN]),
            several_ways_count=len(several),
        )

    def _count_longest(self, item: SetItem, position: int) -> None:
        lengths = [len(text) for text in item.options]
        longest = max(lengths)
        if lengths.count(longest) == 1:
            self._of_size[len(lengths)] += 1
            self._right += lengths[position] == longest

    def _count_wording(self, source: str, text: str, uid: str) -> None:
        """Count how a source text with a letter is translated; numbers and formulas are not."""
        if not text.strip() or not any(sign.isalpha() for sign in source):
            return
        key, wording = _compared(source), _compared(text)
        self._sources.setdefault(key, source)
        there = self._wordings[key].get(wording)
        again = Wording(there.text, there.count + 1, there.uid) if there else None
        self._wordings[key][wording] = again or Wording(text, 1, uid)

    def _several_ways(self) -> Iterator[SeveralWays]:
        for key, wordings in self._wordings.items():
            ordered = sorted(wordings.values(), key=lambda each: (-each.count, each.text))
            yield SeveralWays(self._sources[key], tuple(ordered))


def _compared(text: str) -> str:
    """Return a text as wordings are compared: folded, without case and marks at its ends."""
    plain = " ".join(fold(text).casefold().split())
    return plain.strip(_IDLE_AT_ENDS) or plain


def check_whole_set(items: Iterable[SetItem]) -> WholeSet:
    """Return what the items show together."""
    counts = WholeSetCounts()
    for item in items:
        counts.add(item)
    return counts.result()


def _balance(option_count: int, found: Counter[str]) -> KeyBalance:
    counts = {letter: found[letter] for letter in letters_of(option_count)}
    n = sum(counts.values())
    p = float(stats.chisquare(list(counts.values())).pvalue) if n >= FEWEST else None
    return KeyBalance(option_count, counts, n, p)


def _longest(right: int, of_size: Counter[int]) -> LongestOption:
    n = sum(of_size.values())
    expected = sum(count / size for size, count in of_size.items())
    variance = sum(count / size * (1 - 1 / size) for size, count in of_size.items())
    p = None
    if n >= FEWEST and variance:
        # Half a step back, because counts are whole (continuity correction).
        p = float(stats.norm.sf((right - 0.5 - expected) / variance**0.5))
    return LongestOption(right, expected, n, p)
