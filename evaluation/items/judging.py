"""Which items people should look at again: rules over the figures of an analysis.

Each rule gives a strength between 0 and 1, by which suggestions are ordered. A key that strong models
doubt and an effect of language are evidence of a fault. That nobody solves an item may only say that
it is hard, and that everybody does that it tells nothing; so these two come later.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

from common.intervals import wilson_interval
from scoring.item_dif import ItemDif
from scoring.item_statistics import FEWEST_MODELS, ItemStatistics

AGREEMENT = 2 / 3
"""So many of the strong models have to choose the same wrong option."""
FEWEST_AGREE = 2
NONE_SOLVE_WEIGHT, ALL_SOLVE_WEIGHT, UNSTABLE_WEIGHT = 0.5, 0.1, 0.4
LARGEST_DELTA = 8.0
"""An effect of this size on the scale of ETS, or a larger one, has the strength 1."""
UNSTABLE_SHARE = 0.5
DEVIATIONS = 2.0
FEWEST_RUNS = 3


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion about the item at `place`, with the numbers behind it."""

    place: int
    kind: str
    strength: float
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules read of one item; `key` is the place of the right option, None without options."""

    figures: ItemStatistics
    key: int | None
    dif: ItemDif | None


def suggestions(items: Sequence[Judged]) -> list[Suggested]:
    """Apply every rule to every item; the strongest first."""
    usual = _usual([each.figures.epoch_flips for each in items])
    usual_spread = _usual([each.figures.prompt_spread for each in items])
    found = [
        made
        for place, item in enumerate(items)
        for made in (
            _key_doubted(place, item),
            _dif(place, item),
            _none_solve(place, item),
            _all_solve(place, item),
            _unstable(place, item, usual, usual_spread),
        )
        if made is not None
    ]
    return sorted(found, key=lambda each: (-each.strength, each.place, each.kind))


def _key_doubted(place: int, item: Judged) -> Suggested | None:
    """Most strong models choose the same option, and it is not the key.

    The strength is by how much the share of that option exceeds the key's, a little more where weak
    models do better than strong ones.
    """
    figures = item.figures
    if item.key is None or figures.strong_choice in (item.key, -1):
        return None
    needed = max(FEWEST_AGREE, math.ceil(AGREEMENT * figures.strong))
    if figures.strong_agree < needed:
        return None
    wrong = figures.strong_chosen[figures.strong_choice]
    right = figures.strong_chosen[item.key]
    if wrong <= right:
        return None
    contrast = -(figures.discrimination or 0.0)
    strength = 0.9 * (wrong - right) + 0.1 * max(0.0, contrast)
    return Suggested(
        place,
        "key_doubted",
        min(1.0, strength),
        {
            "option": figures.strong_choice,
            "key": item.key,
            "strong": figures.strong,
            "strong_agree": figures.strong_agree,
            "option_share": wrong,
            "key_share": right,
            "discrimination": figures.discrimination,
        },
    )


def _dif(place: int, item: Judged) -> Suggested | None:
    """The item is harder in the target language than its other items say."""
    found = item.dif
    if found is None or not found.is_harder:
        return None
    return Suggested(
        place,
        "dif",
        min(1.0, -found.most_harder / LARGEST_DELTA),
        {
            "delta": found.delta,
            "q": found.q,
            "size": found.size,
            "logistic_delta": found.logistic_delta,
            "logistic_q": found.logistic_q,
            "harder_q": found.harder_q,
            "reference": found.reference,
            "focal": found.focal,
            "reference_share": found.reference_share,
            "focal_share": found.focal_share,
        },
    )


def _none_solve(place: int, item: Judged) -> Suggested | None:
    figures = item.figures
    if figures.difficulty != 0 or figures.models < FEWEST_MODELS:
        return None
    strength = NONE_SOLVE_WEIGHT * wilson_interval(figures.models, figures.models).low
    return Suggested(place, "none_solve", strength, _counts(figures))


def _all_solve(place: int, item: Judged) -> Suggested | None:
    figures = item.figures
    if figures.difficulty != 1 or figures.models < FEWEST_MODELS:
        return None
    strength = ALL_SOLVE_WEIGHT * wilson_interval(figures.models, figures.models).low
    return Suggested(place, "all_solve", strength, _counts(figures))


def _unstable(
    place: int, item: Judged, usual: float | None, usual_spread: float | None
) -> Suggested | None:
    """Epochs or prompts of the same model differ much more than with the other items."""
    figures = item.figures
    flips = _excess(figures.epoch_flips if figures.epoch_runs >= FEWEST_RUNS else None, usual)
    spread = _excess(figures.prompt_spread, usual_spread)
    if not flips and not spread:
        return None
    return Suggested(
        place,
        "unstable",
        UNSTABLE_WEIGHT * max(flips, spread),
        {
            "epoch_runs": figures.epoch_runs,
            "epoch_flips": figures.epoch_flips,
            "prompt_spread": figures.prompt_spread,
            **_counts(figures),
        },
    )


def _usual(values: Sequence[float | None]) -> float | None:
    """What a value has to exceed to be unusual: at least UNSTABLE_SHARE, and DEVIATIONS above the mean."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return max(UNSTABLE_SHARE, fmean(known) + DEVIATIONS * pstdev(known))


def _excess(value: float | None, usual: float | None) -> float:
    return value if value is not None and usual is not None and value > usual else 0.0


def _counts(figures: ItemStatistics) -> dict[str, Any]:
    return {"models": figures.models, "answers": figures.answers}
