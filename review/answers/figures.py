"""The figures of a comparison by system and of a solving round by subject, from plain counts."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from common.estimates import Estimate, NoInterval, Undefined
from common.intervals import repeated_wilson_interval
from projects.criteria import DEFAULT_CRITERIA, Criterion
from review.figures.stages import StageInput, approval_rate, brief_figures
from review.outcomes import make_tally, tally_token
from scoring.overlap import Scored, TextScores


class Opinion(NamedTuple):
    """What one person said of one system's text of one item."""

    system: str
    item: int
    is_approved: bool
    ratings: Mapping[str, int]
    rank: int | None


class SolvedItem(NamedTuple):
    """How the experts answered one item; `unsure` of the `answers` are no choice."""

    subject: int
    answers: int
    right: int
    unsure: int
    is_doubted: bool


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """One system in a comparison.

    `approval_rate` is the share of items whose text all their judges approved (or more than half
    of them, by the round's rule), `means` are of all ratings, `ranked_first` is the share of
    rankings with this text in the first place. `bleu` and `chrf` compare the system's text with
    the approved one, for the items that have one by now.
    """

    system: str
    items_judged: int
    approved: int
    approval_rate: Estimate
    means: Mapping[str, Estimate]
    ranked_first: Estimate
    bleu: Estimate
    chrf: Estimate

    @property
    def estimates(self) -> dict[str, Estimate]:
        return {
            "approval_rate": self.approval_rate,
            **{f"{name}_mean": mean for name, mean in self.means.items()},
            "ranked_first": self.ranked_first,
            "bleu": self.bleu,
            "chrf": self.chrf,
        }

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "items_judged": self.items_judged,
            "approved": self.approved,
            **{name: each.as_json() for name, each in self.estimates.items()},
        }


@dataclass(frozen=True, slots=True)
class SubjectFigures:
    """How experts solve the items of a subject; `code` is empty for all subjects together.

    `accuracy` is the share of answers that are the key, over all answers; `majority` the share of
    complete items that more than half of their seats answered with the key. `doubted` items went
    to a senior because most experts chose something else.
    """

    code: str
    name: str
    items: int
    answers: int
    unsure: int
    accuracy: Estimate
    majority: Estimate
    doubted: int

    def as_json(self) -> dict[str, Any]:
        return {
            "subject": self.code or None,
            "name": self.name,
            "items": self.items,
            "answers": self.answers,
            "unsure": self.unsure,
            "accuracy": self.accuracy.as_json(),
            "majority": self.majority.as_json(),
            "doubted": self.doubted,
        }


def system_figures(
    system: str,
    opinions: Sequence[Opinion],
    scores: TextScores,
    *,
    unscored: int,
    panel_size: int,
    is_majority_enough: bool,
    criteria: Sequence[Criterion] = DEFAULT_CRITERIA,
) -> SystemFigures:
    """The figures of one system; `scores` are of its texts against the approved ones.

    `unscored` items have no approved text, and BLEU and chrF++ leave them out.
    """
    by_item: dict[int, list[Opinion]] = defaultdict(list)
    for each in opinions:
        by_item[each.item].append(each)
    tallies = Counter(
        make_tally(_token(each, criteria) for each in said) for said in by_item.values()
    )
    complete = [said for said in by_item.values() if len(said) >= panel_size]
    approved = sum(_is_approved(said, is_majority_enough) for said in complete)
    brief = brief_figures(StageInput(panel_size, approved, tallies, criteria=criteria))
    return SystemFigures(
        system=system,
        items_judged=brief.items_judged,
        approved=approved,
        approval_rate=brief.approval_rate,
        means=brief.means,
        ranked_first=_ranked_first(by_item),
        bleu=_scored(scores.bleu, scores.used, unscored),
        chrf=_scored(scores.chrf, scores.used, unscored),
    )


def best_systems(
    opinions: Iterable[Opinion], criteria: Sequence[Criterion] = DEFAULT_CRITERIA
) -> dict[int, list[str]]:
    """For each item the systems whose text is best, by name; several where they are equally good.

    By the mean rank; where nobody ranked, by the share of approvals, then by the mean rating,
    each as a share of its criterion's scale.
    """
    found: dict[int, dict[str, list[Opinion]]] = defaultdict(lambda: defaultdict(list))
    for each in opinions:
        found[each.item][each.system].append(each)
    best: dict[int, list[str]] = {}
    for item, systems in found.items():
        merits = {system: _merit(said, criteria) for system, said in systems.items()}
        top = max(merits.values())
        best[item] = sorted(system for system, merit in merits.items() if merit == top)
    return best


def subject_figures(
    code: str, name: str, items: Sequence[SolvedItem], *, panel_size: int
) -> SubjectFigures:
    """The figures of one subject, or of all of them together."""
    complete = [each for each in items if each.answers >= panel_size]
    right = sum(2 * each.right > each.answers for each in complete)
    return SubjectFigures(
        code=code,
        name=name,
        items=len(items),
        answers=sum(each.answers for each in items),
        unsure=sum(each.unsure for each in items),
        accuracy=_share([(each.right, each.answers) for each in items]),
        majority=approval_rate(right, len(complete), n_left_out=len(items) - len(complete)),
        doubted=sum(each.is_doubted for each in items),
    )


def _token(said: Opinion, criteria: Sequence[Criterion]) -> str:
    return tally_token("approve" if said.is_approved else "reject", said.ratings, criteria)


def _is_approved(said: Sequence[Opinion], is_majority_enough: bool) -> bool:
    approvals = sum(each.is_approved for each in said)
    return 2 * approvals > len(said) if is_majority_enough else approvals == len(said)


def _ranked_first(by_item: Mapping[int, Sequence[Opinion]]) -> Estimate:
    ranked = [[each.rank for each in said if each.rank] for said in by_item.values()]
    return _share([(ranks.count(1), len(ranks)) for ranks in ranked if ranks])


def _share(repeats: Sequence[tuple[int, int]]) -> Estimate:
    """Successes of measurements by item, with Wilson's interval for items measured several times."""
    measured = sum(count for _right, count in repeats)
    if not measured:
        return Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)
    ends = repeated_wilson_interval(Counter(repeats))
    value = sum(right for right, _count in repeats) / measured
    return Estimate(value, ends.low, ends.high, len(repeats), 0)


def _merit(said: Sequence[Opinion], criteria: Sequence[Criterion]) -> tuple[float, float, Fraction]:
    ranks = [each.rank for each in said if each.rank]
    rank = -sum(ranks) / len(ranks) if ranks else -float("inf")
    approvals = sum(each.is_approved for each in said) / len(said)
    # Over one denominator, because adding fractions is most of the work for a large round.
    common = math.lcm(*(one.span for one in criteria))
    points = sum(
        (each.ratings[one.name] - one.lowest) * (common // one.span)
        for each in said
        for one in criteria
    )
    return rank, approvals, Fraction(points, common * len(said) * len(criteria))


def _scored(score: Scored | None, used: int, left_out: int) -> Estimate:
    if score is None:
        return Estimate(None, None, None, 0, left_out, Undefined.NO_ITEMS)
    if used == 1 or score.low == score.high:
        same = None if used == 1 else NoInterval.ALL_THE_SAME
        return Estimate(score.value, None, None, used, left_out, None, same)
    return Estimate(score.value, score.low, score.high, used, left_out)
