"""Measures how often effects of language are found by simulation: those that are planted, and others.

python -m benchmarks.item_dif [--rounds 40]

Each line is one JSON figure. `false_positives` is the share of items found among those without an
effect, `any_false_positive` the share of simulations with at least one, `power` the share of planted
effects that are found; those of `harder` are of what becomes a suggestion. Respondents of the focal
group have a general drop, which is no effect. With `models` each respondent is one of several epochs
of a model, and models differ on single items.
"""

import argparse
import json
from dataclasses import dataclass

import numpy as np

from scoring.item_dif import differential_items
from scoring.item_statistics import Answers

LARGE, HUGE = 1.2, 4.0
"""Logits; 1.2 is 2.8 on the scale of ETS, whose class C begins at 1.5."""
DROP = 0.8
PLANTED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    models: int
    epochs: int
    items: int
    effect: float
    own: float = 0.0


CASES = (
    Case("200_respondents_none_planted", 200, 1, 40, 0.0),
    Case("200_respondents_large", 200, 1, 40, LARGE),
    Case("100_respondents_large", 100, 1, 40, LARGE),
    Case("6_models_3_epochs_none_planted", 6, 3, 200, 0.0, 0.7),
    Case("6_models_9_epochs_none_planted", 6, 9, 200, 0.0, 0.7),
    Case("6_models_3_epochs_large", 6, 3, 200, LARGE, 0.7),
    Case("6_models_3_epochs_huge", 6, 3, 200, HUGE, 0.7),
    Case("6_models_9_epochs_huge", 6, 9, 200, HUGE, 0.7),
    Case("20_models_3_epochs_huge", 20, 3, 200, HUGE, 0.7),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    for case in CASES:
        measure(case, options.rounds)


def measure(case: Case, rounds: int) -> None:
    planted = round(case.items * PLANTED_SHARE) if case.effect else 0
    both = np.array([_found(case, planted, seed) for seed in range(rounds)])
    for name, found in (("", both[..., 0]), ("harder_", both[..., 1])):
        others = found[:, planted:]
        _report(case, f"{name}false_positives", float(others.mean()), others.size)
        _report(case, f"{name}any_false_positive", float(others.any(axis=1).mean()), rounds)
        if planted:
            _report(case, f"{name}power", float(found[:, :planted].mean()), planted * rounds)


def _found(case: Case, planted: int, seed: int) -> list[tuple[bool, bool]]:
    chance = np.random.default_rng(seed)
    ability = chance.normal(0.5, 1, (case.models, 1))
    hard = chance.normal(0, 1, case.items)
    effect = np.where(np.arange(case.items) < planted, case.effect, 0.0)
    groups = [_answers(case, ability - hard, chance)]
    groups.append(_answers(case, ability - DROP - hard - effect, chance))
    return [(each.is_found, each.is_harder) for each in differential_items(*groups).items]


def _answers(case: Case, logits: np.ndarray, chance: np.random.Generator) -> Answers:
    own = chance.normal(0, case.own, logits.shape) if case.own else 0.0
    share = np.repeat(1 / (1 + np.exp(-(logits + own))), case.epochs, axis=0)
    right = (chance.random(share.shape) < share).astype(float)
    models = np.repeat(np.arange(case.models), case.epochs)
    nothing = np.zeros(len(models), dtype=np.int64)
    return Answers(right, np.zeros(right.shape, dtype=np.int16), models, models, nothing)


def _report(case: Case, what: str, value: float, n: int) -> None:
    said = {"name": f"item_dif_{case.name}_{what}", "value": round(value, 4), "unit": "", "n": n}
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
