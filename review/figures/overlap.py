"""BLEU and chrF++ of texts against references, by sacrebleu, from counts that can be added up.

sacrebleu counts a row of whole numbers for each text, and a score is a function of the sum of
rows. So the interval of a score needs only sums of drawn rows, and rows can be kept. It splits
neither Tibetan nor Lao into words: BLEU sees the tokens of `tokens_of`, chrF++ the text as it stands.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from languages.base import Language

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

Ints = npt.NDArray[np.int64]

BLEU_COUNTS: Final = 10
"""Two lengths, then matches and n-grams of four orders."""
DRAWS, SEED = 1_000, 12_345
"""Of the bootstrap over texts, as sacrebleu has them; its own holds every draw in memory at once."""

_TSHEG: Final = re.compile(r"[\u0f40-\u0fbc]+|[^\W\u0f40-\u0fbc]+|[^\s\w\u0f0b]")
_SPACED: Final = re.compile(r"\w+|[^\s\w]")
_QUANTILES: Final = (0.025, 0.975)


class Scored(NamedTuple):
    """The score of a corpus, from 0 to 100, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@cache
def bleu() -> "BLEU":
    """Return sacrebleu's BLEU over tokens between spaces."""
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize="none", force=True)


@cache
def chrf() -> "CHRF":
    """Return sacrebleu's chrF++."""
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(word_order=2)


def signatures(language: Language) -> dict[str, str]:
    """Return what a paper prints beside the scores; BLEU's names our segmenter and its version."""
    segmenter = f"tok:lotsawa-{language.segmentation}-1"
    return {
        "bleu": _signature(bleu()).replace("tok:none", segmenter),
        "chrf": _signature(chrf()),
    }


def tokens_of(text: str, language: Language) -> list[str]:
    """Return words, syllables between tshegs, or characters, by the language; marks are tokens too."""
    if language.segmentation == "tsheg":
        return _TSHEG.findall(text)
    if language.is_spaced:
        return _SPACED.findall(text)
    return [character for character in text if not character.isspace()]


def bleu_counts(text: str, reference: str, language: Language) -> list[int]:
    """Return what BLEU adds up of one text."""
    ours, theirs = (" ".join(tokens_of(each, language)) for each in (text, reference))
    return _counts(bleu(), ours, theirs)


def chrf_counts(text: str, reference: str) -> list[int]:
    """Return what chrF++ adds up of one text."""
    return _counts(chrf(), text, reference)


def corpus_score(
    metric: "BLEU | CHRF", counts: Ints, *, draws: int = DRAWS, seed: int = SEED
) -> Scored | None:
    """Return the score of all rows with a percentile interval over texts; None where there are none."""
    if not len(counts):
        return None
    generator = np.random.default_rng(seed)
    shares = np.full(len(counts), 1 / len(counts))
    found = [
        _score(metric, generator.multinomial(len(counts), shares) @ counts)
        for _draw in range(draws if len(counts) > 1 else 0)
    ]
    value = _score(metric, counts.sum(axis=0))
    low, high = np.quantile(found, _QUANTILES) if found else (value, value)
    return Scored(value, float(low), float(high))


# These two use methods that sacrebleu keeps for its metrics, because its public calls take all texts
# at once. A test holds them to `corpus_score` of sacrebleu itself.


def _counts(metric: "BLEU | CHRF", text: str, reference: str) -> list[int]:
    [row] = metric._extract_corpus_statistics([text], [[reference]])  # noqa: SLF001
    return [int(each) for each in row]


def _score(metric: "BLEU | CHRF", total: Sequence[int] | Ints) -> float:
    return float(metric._compute_score_from_stats([int(each) for each in total]).score)  # noqa: SLF001


def _signature(metric: "BLEU | CHRF") -> str:
    metric.corpus_score(["-"], [["-"]])  # so that it knows of one reference
    return str(metric.get_signature())
