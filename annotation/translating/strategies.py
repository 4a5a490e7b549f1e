"""The ways to have a model translate an item, each as a plan of calls."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar, Final

from annotation.asking.answers import Unusable, read_object
from annotation.asking.plans import Answers, Call, Prompt, Question, ask_all, ask_one
from annotation.translating.prompting import (
    Brief,
    ask_correction,
    ask_fusion,
    ask_ranking,
    ask_scores,
    ask_translation,
)
from annotation.translating.texts import ItemText, read_translation

SAMPLING_TEMPERATURE: Final = 0.7
BEST_SCORE: Final = 10
CITATION: Final = (
    "Yukhymenko, H., Alexandrov, A. and Vechev, M. (2026). Recovered in Translation: Efficient Pipeline for Automated "
    "Translation of Benchmarks and Datasets. arXiv:2602.22207."
)

Plan = Generator[Sequence[Call], Answers, ItemText]


class Strategy(ABC):
    """One way to translate; `citation` names the paper that describes it.

    `steps` are the names of its steps up to the first dot, in the order in which they wait for each other.
    """

    name: ClassVar[str]
    steps: ClassVar[tuple[str, ...]]
    citation: ClassVar[str] = ""
    has_samples: ClassVar[bool] = False
    has_judge: ClassVar[bool] = False

    @abstractmethod
    def calls(self, samples: int) -> int:
        """Return how many calls an item takes if every answer can be used at once."""

    def judge_calls(self, samples: int) -> int:
        """Return how many of them go to the judge."""
        return 0

    @abstractmethod
    def plan(self, brief: Brief, samples: int) -> Plan:
        """Yield calls and return the text. Raises Unusable with the last fault if there is none."""


def _text(step: str, prompt: Prompt, brief: Brief, **options: Any) -> Question:
    return Question(step, prompt, lambda answer: read_translation(answer, brief.source), **options)


def _candidates(
    brief: Brief, samples: int, *, several_prompts: bool
) -> Generator[Sequence[Call], Answers, list[ItemText]]:
    """Ask for candidates and return those that can be used, at least one. Raises Unusable."""
    temperature = None if several_prompts else SAMPLING_TEMPERATURE
    read = yield from ask_all(
        [
            _text(
                f"candidate.{number}",
                ask_translation(brief, number - 1 if several_prompts else 0),
                brief,
                number=number,
                temperature=temperature,
            )
            for number in range(1, samples + 1)
        ]
    )
    if not read.values:
        raise read.first_fault()
    return [read.values[step] for step in sorted(read.values)]


class Single(Strategy):
    """One call."""

    name = "single"
    steps = ("translate",)

    def calls(self, samples: int) -> int:
        return 1

    def plan(self, brief: Brief, samples: int) -> Plan:
        text: ItemText = yield from ask_one(_text("translate", ask_translation(brief), brief))
        return text


class SelfCheck(Strategy):
    """Translate, then have the same model check and correct its translation."""

    name = "self_check"
    steps = ("translate", "check")
    citation = CITATION

    def calls(self, samples: int) -> int:
        return 2

    def plan(self, brief: Brief, samples: int) -> Plan:
        """The first text stands if no correction of it can be used."""
        first: ItemText = yield from ask_one(_text("translate", ask_translation(brief), brief))
        read = yield from ask_all([_text("check", ask_correction(brief, first), brief)])
        corrected: ItemText = read.values.get("check", first)
        return corrected


class BestOfN(Strategy):
    """Sample candidates and take the one that the judge gives the highest score."""

    name = "best_of_n"
    steps = ("candidate", "score")
    citation = CITATION
    has_samples = has_judge = True

    def calls(self, samples: int) -> int:
        return samples + 1

    def judge_calls(self, samples: int) -> int:
        return 1

    def plan(self, brief: Brief, samples: int) -> Plan:
        candidates = yield from _candidates(brief, samples, several_prompts=False)
        if len(candidates) == 1:
            return candidates[0]
        prompt, count = ask_scores(brief, candidates), len(candidates)
        question = Question("score", prompt, lambda text: read_scores(text, count), is_judge=True)
        scores: list[float] = yield from ask_one(question)
        return candidates[order_of_scores(scores)[0]]


class Fuse(Strategy):
    """Sample candidates and have the model merge them into one (universal self-improvement)."""

    name = "fuse"
    steps = ("candidate", "fuse")
    citation = CITATION
    has_samples = True

    def calls(self, samples: int) -> int:
        return samples + 1

    def plan(self, brief: Brief, samples: int) -> Plan:
        candidates = yield from _candidates(brief, samples, several_prompts=False)
        if len(candidates) == 1:
            return candidates[0]
        merged: ItemText = yield from ask_one(_text("fuse", ask_fusion(brief, candidates), brief))
        return merged


class Rank(Strategy):
    """Rank candidates of several prompts in as many rounds, and refine the best (T-RANK).

    Each round shows the candidates in an order rotated by one, so that each stands once at every
    place: judges prefer some places. The best has the lowest sum of ranks; of equals, the first.
    """

    name = "rank"
    steps = ("candidate", "rank", "refine")
    citation = CITATION
    has_samples = has_judge = True

    def calls(self, samples: int) -> int:
        return 2 * samples + 1

    def judge_calls(self, samples: int) -> int:
        return samples

    def plan(self, brief: Brief, samples: int) -> Plan:
        """A round that cannot be read is left out, and the best stands if it cannot be refined."""
        candidates = yield from _candidates(brief, samples, several_prompts=True)
        best = candidates[0]
        if len(candidates) > 1:
            best = candidates[(yield from _best_by_rank(brief, candidates))]
        read = yield from ask_all([_text("refine", ask_correction(brief, best), brief)])
        refined: ItemText = read.values.get("refine", best)
        return refined


def _best_by_rank(
    brief: Brief, candidates: Sequence[ItemText]
) -> Generator[Sequence[Call], Answers, int]:
    """Return the place of the best candidate. Raises Unusable if no round can be read."""
    count = len(candidates)
    orders = rotations(count)
    read = yield from ask_all(
        [
            Question(
                f"rank.{number}",
                ask_ranking(brief, [candidates[place] for place in order]),
                lambda answer: read_ranking(answer, count),
                number=number,
                is_judge=True,
            )
            for number, order in enumerate(orders, start=1)
        ]
    )
    if not read.values:
        raise read.first_fault()
    rankings = {number: read.values.get(f"rank.{number}", ()) for number in range(1, count + 1)}
    return order_of_ranks(count, rankings)[0]


def order_of_scores(scores: Sequence[float]) -> list[int]:
    """Return the places of the candidates, the best first; of equals, the first."""
    return sorted(range(len(scores)), key=lambda place: -scores[place])


def order_of_ranks(count: int, rankings: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the places of the candidates, that with the lowest sum of ranks first; of equals, the first.

    `rankings` has what was read of each round, by its number from 1.
    """
    sums = [0] * count
    for number, order in enumerate(rotations(count), start=1):
        for rank, shown in enumerate(rankings.get(number, ())):
            sums[order[shown]] += rank
    return sorted(range(count), key=sums.__getitem__)


def rotations(count: int) -> list[list[int]]:
    """Return the orders of the rounds: each place of a candidate moves on by one a round."""
    return [[(start + place) % count for place in range(count)] for start in range(count)]


def read_scores(answer: str, count: int) -> list[float]:
    """Return one score for each candidate. Raises Unusable."""
    found = read_object(answer).get("scores")
    scores = [_number(value) for value in found] if isinstance(found, list) else []
    if len(scores) != count or not all(1 <= score <= BEST_SCORE for score in scores):
        raise Unusable("scores", {"count": count})
    return scores


def read_ranking(answer: str, count: int) -> list[int]:
    """Return the places of the candidates as shown, from 0, the best first. Raises Unusable."""
    found = read_object(answer).get("ranking")
    places = [_number(value) - 1 for value in found] if isinstance(found, list) else []
    if sorted(places) != list(range(count)):
        raise Unusable("ranking", {"count": count})
    return [int(place) for place in places]


def _number(value: object) -> float:
    """Return a number of an answer, also one in quotation marks; 0 for anything else."""
    try:
        return float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
