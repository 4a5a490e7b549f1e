"""How near texts are to references: BLEU and chrF++ of a corpus, from counts that can be added up.

Each text gives a row of whole numbers. A score is a function of the sum of rows, so the interval
of a score needs only sums of drawn rows. Both follow sacrebleu 2.6.0, and tests hold them to its
numbers: BLEU with `tok:none|smooth:exp` over the tokens of `tokens_of`, chrF++ with
`nc:6|nw:2|space:no` over the text as it stands.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from languages.base import Language

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Score = Callable[[Ints], float]

ORDER: Final = 4
BLEU_COUNTS: Final = 2 + 2 * ORDER
CHARACTERS, WORDS, BETA = 6, 2, 2
DRAWS, SEED = 1_000, 12_345
"""Of the bootstrap over texts, as sacrebleu has them."""

_TSHEG = re.compile(r"[\u0f40-\u0fbc]+|[^\W\u0f40-\u0fbc]+|[^\s\w\u0f0b]")
_SPACED = re.compile(r"\w+|[^\s\w]")
_QUANTILES = (0.025, 0.975)


class Scored(NamedTuple):
    """The score of a corpus, from 0 to 100, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def tokens_of(text: str, language: Language) -> list[str]:
    """Words, syllables between tshegs, or characters, by the language; marks are tokens too."""
    if language.segmentation == "tsheg":
        return _TSHEG.findall(text)
    if language.is_spaced:
        return _SPACED.findall(text)
    return [character for character in text if not character.isspace()]


def bleu_signature(language: Language) -> str:
    """What a paper prints beside BLEU; it names our segmenter, which sacrebleu does not know."""
    return f"nrefs:1|case:mixed|eff:no|tok:lotsawa-{language.segmentation}-1|smooth:exp"


def chrf_signature() -> str:
    return "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no"


def bleu_counts(tokens: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Lengths of both, then matches and n-grams of each order."""
    row = [len(tokens), len(reference)]
    for order in range(1, ORDER + 1):
        ours, theirs = _ngrams(tokens, order), _ngrams(reference, order)
        row += [_shared(ours, theirs), ours.total()]
    return row


def bleu(total: Ints) -> float:
    """BLEU from summed `bleu_counts`; an order without a match counts half of the one before."""
    length, reference_length = int(total[0]), int(total[1])
    matches, grams = total[2::2], total[3::2]
    if not matches.any() or not grams.all():
        return 0.0
    smoothing, logarithms = 1.0, []
    for match, count in zip(matches, grams, strict=True):
        smoothing *= 1 if match else 2
        share = match / count if match else 1 / (smoothing * count)
        logarithms.append(np.log(share))
    penalty = min(0.0, 1 - reference_length / length)
    return float(100 * np.exp(penalty + np.mean(logarithms)))


def chrf_counts(text: str, reference: str) -> list[int]:
    """For each order of characters and of words: n-grams, those of the reference, and matches."""
    row: list[int] = []
    parts: list[tuple[Sequence[str], Sequence[str], int]] = [
        ("".join(text.split()), "".join(reference.split()), CHARACTERS),
        (_words(text), _words(reference), WORDS),
    ]
    for ours, theirs, orders in parts:
        for order in range(1, orders + 1):
            found, wanted = _ngrams(ours, order), _ngrams(theirs, order)
            # As sacrebleu: n-grams of an order that the reference is too short for do not count.
            row += [found.total() if wanted else 0, wanted.total(), _shared(found, wanted)]
    return row


def chrf(total: Ints) -> float:
    """The chrF++ score from summed `chrf_counts`: F of mean precision and recall over the orders in use."""
    rows = total.reshape(-1, 3).astype(float)
    used = rows[(rows[:, 0] > 0) & (rows[:, 1] > 0)]
    if not len(used):
        return 0.0
    precision = float(np.mean(used[:, 2] / used[:, 0]))
    recall = float(np.mean(used[:, 2] / used[:, 1]))
    below = BETA**2 * precision + recall
    return 100 * (1 + BETA**2) * precision * recall / below if below else 0.0


def corpus_score(
    counts: Ints, score: Score, *, draws: int = DRAWS, seed: int = SEED
) -> Scored | None:
    """The score of all rows with a percentile interval over texts; None where there are none."""
    if not len(counts):
        return None
    generator = np.random.default_rng(seed)
    shares = np.full(len(counts), 1 / len(counts))
    found = [
        score(generator.multinomial(len(counts), shares) @ counts)
        for _draw in range(draws if len(counts) > 1 else 0)
    ]
    value = score(counts.sum(axis=0))
    low, high = np.quantile(found, _QUANTILES) if found else (value, value)
    return Scored(value, float(low), float(high))


def _ngrams(units: Sequence[Hashable], order: int) -> Counter[Hashable]:
    if isinstance(units, str):
        return Counter(units[i : i + order] for i in range(len(units) - order + 1))
    return Counter(tuple(units[i : i + order]) for i in range(len(units) - order + 1))


def _shared(ours: Counter[Hashable], theirs: Counter[Hashable]) -> int:
    return sum(min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs)


def _words(text: str) -> list[str]:
    """Words between spaces; one ASCII mark at the end, else at the beginning, is a word of its own."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in string.punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words
