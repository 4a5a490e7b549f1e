"""Likelihood: the option that a model finds most probable, by the log-probabilities of all options.

What is read is not a text that a model wrote but JSON, see `write_likelihoods`. It holds numbers
alone, so nothing that is removed from answers can be in it.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from languages.letters import letter_of
from scoring.scorers.base import Extraction, Reading, Scorer

ROUNDING = 1e-3
"""By so much a server's arithmetic may take a probability above 1."""
BEGINNING = '{"likelihoods":'
"""What the text of each such response begins with."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """One option as the continuation of a prompt.

    logprobs: natural logarithms of the probability of each token after those that all options
        share; the first of them is the option's letter
    characters: length of the option with its letter
    """

    logprobs: tuple[float, ...]
    characters: int


def is_logprob(value: float) -> bool:
    """Return whether a number can be the logarithm of a probability; −∞ can, NaN cannot."""
    return value <= ROUNDING


def write_likelihoods(options: Sequence[Continuation]) -> str:
    """Return the text of a response that holds the options in the order in which they were shown."""
    rows = [{"logprobs": list(one.logprobs), "characters": one.characters} for one in options]
    return json.dumps({"likelihoods": rows})


def read_likelihoods(text: str) -> list[Continuation]:
    """Return the options of `write_likelihoods`; none if the text is anything else."""
    try:
        return [_continuation(row) for row in json.loads(text)["likelihoods"]]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return []


def _continuation(row: Any) -> Continuation:
    found = Continuation(tuple(map(float, row["logprobs"])), int(row["characters"]))
    if not found.logprobs or found.characters < 1 or not all(map(is_logprob, found.logprobs)):
        raise ValueError("not a continuation")
    return found


def of_letter(option: Continuation) -> float:
    """Return log p(letter | prompt), as MMLU and TMLU compare options."""
    return option.logprobs[0]


def of_text(option: Continuation) -> float:
    """Return log p(letter and text | prompt) = Σ log p(token), `acc` of lm-evaluation-harness.

    A sum that no float can hold is −∞.
    """
    try:
        return math.fsum(option.logprobs)
    except OverflowError:
        return -math.inf


def of_character(option: Continuation) -> float:
    """Return `of_text` divided by the number of characters, `acc_norm` of lm-evaluation-harness."""
    return of_text(option) / option.characters


def _by(measure: Callable[[Continuation], float]) -> Callable[[Reading], Extraction]:
    def extract(reading: Reading) -> Extraction:
        """Return the letter of the highest value; a tie is no answer."""
        options = read_likelihoods(reading.text)
        if len(options) != reading.asked.letters.count:
            return Extraction(None, failure="no_answer")
        values = [measure(option) for option in options]
        best = [letter_of(at) for at, value in enumerate(values) if value == max(values)]
        if len(best) > 1:
            return Extraction(None, tuple(best), failure="several_answers")
        return Extraction(best[0], (best[0],))

    return extract


LETTER = Scorer("likelihood", "1", _by(of_letter), "likelihood", reads="likelihoods")
TEXT = Scorer("likelihood_text", "1", _by(of_text), "likelihood_text", reads="likelihoods")
NORMALISED = Scorer(
    "likelihood_norm", "1", _by(of_character), "likelihood_norm", reads="likelihoods"
)
