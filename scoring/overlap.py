"""BLEU and chrF++ of texts against references, by sacrebleu, from counts that can be added up.

sacrebleu counts a row of whole numbers for each text, and a score is a function of the sum of
rows. So the interval of a score needs only sums of drawn rows, and rows can be kept. It splits
neither Tibetan nor Lao into words: BLEU sees the tokens of `segmenters`, chrF++ the text as it stands.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from languages.base import Language
from scoring.segmenters import segmenter_of, tokens_of

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BLEU_COUNTS: Final = 10
"""Two lengths, then matches and n-grams of four orders."""
DRAWS, SEED = 1_000, 12_345
"""Of the bootstrap over texts, as sacrebleu has them; its own holds every draw in memory at once."""
_QUANTILES: Final = (0.025, 0.975)
_BLOCK: Final = 50
"""Draws that are summed at once; 10,000 texts take 4 MB."""


class Scored(NamedTuple):
    """The score of a corpus, from 0 to 100, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class TextScores(NamedTuple):
    """BLEU and chrF++ over `used` texts; None where there are none."""

    bleu: Scored | None
    chrf: Scored | None
    used: int


class SentenceScores(NamedTuple):
    """The scores of one text, from 0 to 100."""

    bleu: float
    chrf: float


class DrawnScores(NamedTuple):
    """The score of a corpus, and that of each draw of as many of its texts."""

    value: float
    drawn: Floats


class DrawnTexts(NamedTuple):
    """BLEU and chrF++ of some texts, on the same draws."""

    bleu: DrawnScores
    chrf: DrawnScores


class PairedScores(NamedTuple):
    """The scores of two systems on the same texts; `difference` is the first minus the second.

    p: how probable a difference of this size, either way, is if the two systems are equally good
    """

    first: float
    second: float
    difference: Scored
    p: float


NO_TEXTS: Final = TextScores(None, None, 0)


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
    """Return what a paper prints beside the scores; BLEU's names the segmenter and its version."""
    return {
        "bleu": bleu_signature(segmenter_of(language)),
        "chrf": _signature(chrf()),
    }


def bleu_signature(segmenter: str) -> str:
    """Return the signature of BLEU over the tokens of a segmenter."""
    return _signature(bleu()).replace("tok:none", f"tok:{segmenter}")


def text_counts(text: str, reference: str, language: Language) -> list[int]:
    """Return what `text_scores` adds up of a text and its reference."""
    return [*bleu_counts(text, reference, language), *chrf_counts(text, reference)]


def bleu_counts(text: str, reference: str, language: Language) -> list[int]:
    """Return what BLEU adds up of one text."""
    ours, theirs = (" ".join(tokens_of(each, language)) for each in (text, reference))
    return _counts(bleu(), ours, theirs)


def chrf_counts(text: str, reference: str) -> list[int]:
    """Return what chrF++ adds up of one text."""
    return _counts(chrf(), text, reference)


def sentence_scores(counts: Sequence[int]) -> SentenceScores:
    """Return the scores of one text from its `text_counts`, as `sentence_bleu` of sacrebleu has them.

    BLEU leaves out the orders of n-grams that so short a text has none of. The mean of such scores
    is no score of the corpus.
    """
    return SentenceScores(
        _score(_sentence_bleu(), counts[:BLEU_COUNTS]), _score(chrf(), counts[BLEU_COUNTS:])
    )


def text_scores(counts: Sequence[Sequence[int]] | Ints) -> TextScores:
    """Return the scores of the texts whose `text_counts` these are."""
    if not len(counts):
        return NO_TEXTS
    drawn = draw_texts(np.asarray(counts))
    return TextScores(score_of(drawn.bleu), score_of(drawn.chrf), len(counts))


def corpus_score(
    metric: "BLEU | CHRF", counts: Ints, *, draws: int = DRAWS, seed: int = SEED
) -> Scored | None:
    """Return the score of all rows with a percentile interval over texts; None where there are none."""
    if not len(counts):
        return None
    return score_of(draw_scores(metric, counts, draws=draws, seed=seed))


def draw_scores(
    metric: "BLEU | CHRF", counts: Ints, *, draws: int = DRAWS, seed: int = SEED
) -> DrawnScores:
    """Return the score of some texts and those of its draws; one text has no draws.

    The same number of texts has the same draws, which are those of sacrebleu with this seed.
    """
    return _drawn(metric, counts.sum(axis=0), _drawn_sums(counts, draws, seed))


def draw_texts(counts: Ints) -> DrawnTexts:
    """Return both scores, as `draw_scores` does, of the texts whose `text_counts` these are."""
    total, sums = counts.sum(axis=0), _drawn_sums(counts, DRAWS, SEED)
    return DrawnTexts(
        _drawn(bleu(), total[:BLEU_COUNTS], sums[:, :BLEU_COUNTS]),
        _drawn(chrf(), total[BLEU_COUNTS:], sums[:, BLEU_COUNTS:]),
    )


def score_of(found: DrawnScores) -> Scored:
    """Return a score with its interval."""
    return _with_interval(found.value, found.drawn)


def compare_scores(first: DrawnScores, second: DrawnScores) -> PairedScores:
    """Compare the scores of two systems on the same texts, which stood in the same order.

    p is that of sacrebleu's paired bootstrap test (`sacrebleu --paired-bs`): with d the size of the
    difference and d* that of a draw, it is (1 + the number of draws in which d* - mean(d*) > d) /
    (1 + draws). The null is that the systems are equally good. Texts that score the same in every
    draw have p = 1, where sacrebleu has the least p. The interval holds the middle 95 % of the drawn
    differences.
    """
    difference, drawn = first.value - second.value, first.drawn - second.drawn
    return PairedScores(
        first.value, second.value, _with_interval(difference, drawn), _p_of(difference, drawn)
    )


def _p_of(difference: float, drawn: Floats) -> float:
    sizes = np.abs(drawn)
    if not difference and not sizes.any():
        return 1.0
    larger = int((sizes - sizes.mean() > abs(difference)).sum()) if len(drawn) else 0
    return (larger + 1) / (len(drawn) + 1)


def _drawn(metric: "BLEU | CHRF", total: Ints, sums: Ints) -> DrawnScores:
    return DrawnScores(_score(metric, total), np.array([_score(metric, row) for row in sums]))


def _drawn_sums(counts: Ints, draws: int, seed: int) -> Ints:
    """Return the sum of each draw of as many texts, a row for each draw.

    A block of draws is one product of matrices, in one thread: several use most of their processor
    time to wait for each other.
    """
    rows = counts.astype(np.float64)
    weights = _weights(len(counts), draws if len(counts) > 1 else 0, seed)
    sums = np.empty((len(weights), rows.shape[1]), dtype=np.float64)
    with _threads().limit(limits=1, user_api="blas"):
        for start in range(0, len(weights), _BLOCK):
            block = weights[start : start + _BLOCK].astype(np.float64)
            np.matmul(block, rows, out=sums[start : start + _BLOCK])
    return np.rint(sums).astype(np.int64)


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


@lru_cache(maxsize=1)
def _weights(size: int, draws: int, seed: int) -> npt.NDArray[np.uint8]:
    """Return how often each draw has each text.

    It is kept because both metrics and all systems on as many texts have the same draws, which
    take longer than all the rest: 10 MB for 10,000 texts.
    """
    generator = np.random.default_rng(seed)
    weights = np.zeros((draws, size), dtype=np.uint8)
    for draw in weights:
        draw[:] = np.bincount(generator.choice(size, size=size), minlength=size)
    return weights


def _with_interval(value: float, found: Floats) -> Scored:
    low, high = np.quantile(found, _QUANTILES) if len(found) else (value, value)
    return Scored(value, float(low), float(high))


@cache
def _sentence_bleu() -> "BLEU":
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize="none", effective_order=True)


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
