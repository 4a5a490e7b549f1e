"""The rules that make suggestions, one by one."""

from dataclasses import replace

import pytest

from evaluation.items.judging import Judged, suggestions
from scoring.item_dif import ItemDif
from scoring.item_statistics import ItemStatistics

PLAIN = ItemStatistics(
    answers=18,
    models=6,
    difficulty=0.5,
    discrimination=0.4,
    chosen=(0.5, 0.2, 0.2, 0.1),
    strong_chosen=(0.8, 0.1, 0.1, 0.0),
    strong=3,
    strong_choice=0,
    strong_agree=3,
    epoch_runs=6,
    epoch_flips=0.1,
    prompt_spread=None,
)
AGAINST = replace(PLAIN, strong_choice=2, strong_chosen=(0.1, 0.0, 0.9, 0.0), discrimination=-0.5)
HARDER = ItemDif(18, 18, 3, 0.9, 0.1, delta=-4.0, error=0.8, p=1e-6, q=1e-4, harder_q=1e-4)


def kinds(figures: ItemStatistics, dif: ItemDif | None = None, key: int | None = 0) -> list[str]:
    """What is suggested of an item among 30 plain ones."""
    items = [Judged(figures, key, dif), *[Judged(PLAIN, 0, None)] * 30]
    found = suggestions(items)
    assert all(each.place == 0 for each in found)
    assert all(0 <= each.strength <= 1 for each in found)
    return [each.kind for each in found]


def test_plain_item_is_not_suggested() -> None:
    assert kinds(PLAIN) == []


def test_key_is_doubted_where_strong_models_agree_on_another_option() -> None:
    assert kinds(AGAINST) == ["key_doubted"]
    assert suggestions([Judged(AGAINST, 0, None)])[0].strength == pytest.approx(0.9 * 0.8 + 0.05)


def test_key_is_not_doubted_by_one_of_three_or_without_options() -> None:
    assert kinds(replace(AGAINST, strong_agree=1)) == []
    assert kinds(AGAINST, key=None) == []
    assert kinds(AGAINST, key=2) == []


def test_effect_of_language_is_suggested_where_the_target_is_harder() -> None:
    assert kinds(PLAIN, HARDER) == ["dif"]
    assert kinds(PLAIN, replace(HARDER, delta=4.0)) == []
    assert kinds(PLAIN, replace(HARDER, delta=-1.0)) == []
    assert kinds(PLAIN, replace(HARDER, harder_q=0.03)) == []
    assert kinds(PLAIN, replace(HARDER, delta=None, logistic_delta=-2.0)) == ["dif"]


def test_items_that_nobody_or_everybody_solves_are_suggested_weakly() -> None:
    assert kinds(replace(PLAIN, difficulty=0.0)) == ["none_solve"]
    assert kinds(replace(PLAIN, difficulty=1.0)) == ["all_solve"]
    assert kinds(replace(PLAIN, difficulty=1.0, models=2)) == []


def test_item_with_much_more_flips_than_others_is_unstable() -> None:
    assert kinds(replace(PLAIN, epoch_flips=0.8)) == ["unstable"]
    assert kinds(replace(PLAIN, epoch_flips=0.8, epoch_runs=2)) == []
    assert kinds(replace(PLAIN, epoch_flips=0.4)) == []


def test_stronger_suggestions_come_first() -> None:
    weak = replace(PLAIN, difficulty=1.0)
    found = suggestions([Judged(weak, 0, None), Judged(AGAINST, 0, HARDER)])
    assert [(each.place, each.kind) for each in found] == [
        (1, "key_doubted"),
        (1, "dif"),
        (0, "all_solve"),
    ]
