"""Classical item analysis, against the definitions worked out one item at a time."""

import numpy as np
import pytest

from scoring.item_statistics import NONE, Answers, item_statistics, rest_scores

KEYS = np.array([0, 1, 2])


def answers_of(
    rows: list[list[int]], models: list[int], prompts: list[int] | None = None
) -> Answers:
    """Answers with these chosen options; -2 where there is no answer. Each row is a run."""
    chosen = np.array(rows, dtype=np.int16)
    right = np.where(chosen == -2, np.nan, chosen == KEYS)
    return Answers(
        right=right,
        chosen=np.where(chosen == -2, NONE, chosen).astype(np.int16),
        models=np.array(models),
        runs=np.arange(len(rows)),
        prompts=np.array(prompts or [0] * len(rows)),
    )


FOUR = answers_of([[0, 1, 2], [0, 1, 3], [0, 3, 3], [1, 3, 0]], [0, 1, 2, 3])


def test_difficulty_and_choices_are_means_over_models() -> None:
    first, second, third = item_statistics(FOUR, [4, 4, 4])
    assert [each.difficulty for each in (first, second, third)] == [0.75, 0.5, 0.25]
    assert first.chosen == (0.75, 0.25, 0.0, 0.0)
    assert third.chosen == (0.25, 0.0, 0.25, 0.5)
    assert (first.models, first.answers) == (4, 4)


def test_discrimination_is_the_correlation_with_the_other_items() -> None:
    found = item_statistics(FOUR, [4, 4, 4])
    right = FOUR.right
    for item, each in enumerate(found):
        others = np.delete(right, item, axis=1).mean(axis=1)
        assert each.discrimination == pytest.approx(np.corrcoef(right[:, item], others)[0, 1])


def test_discrimination_of_two_models_or_of_an_item_all_solve_is_undefined() -> None:
    two = answers_of([[0, 1, 2], [0, 0, 0]], [0, 1])
    assert [each.discrimination for each in item_statistics(two, [4, 4, 4])] == [None] * 3
    all_solve = answers_of([[0, 1, 2], [0, 0, 2], [0, 1, 0]], [0, 1, 2])
    assert item_statistics(all_solve, [4, 4, 4])[0].discrimination is None


def test_strong_models_are_chosen_by_the_other_items() -> None:
    third = item_statistics(FOUR, [4, 4, 4])[2]
    # Models 0 and 1 solve both other items; they choose C and D, so the first of equals counts.
    assert (third.strong, third.strong_chosen) == (2, (0.0, 0.0, 0.5, 0.5))
    assert (third.strong_choice, third.strong_agree) == (2, 1)


def test_epochs_of_one_model_count_once() -> None:
    same = [[0, 1, 2]] * 8
    found = item_statistics(answers_of([*same, [1, 0, 0]], [0] * 8 + [1]), [4, 4, 4])
    assert [each.difficulty for each in found] == [0.5, 0.5, 0.5]
    assert found[0].models == 2


def test_missing_answers_are_left_out_and_unread_ones_are_wrong() -> None:
    found = item_statistics(answers_of([[0, -2, NONE], [0, 1, 2]], [0, 1]), [4, 4, 4])
    assert [each.answers for each in found] == [2, 1, 2]
    assert [each.difficulty for each in found] == [1.0, 1.0, 0.5]
    assert found[2].chosen == (0.0, 0.0, 0.5, 0.0)


def test_flips_are_runs_whose_epochs_differ() -> None:
    chosen = answers_of([[0, 1, 2], [1, 1, 2], [0, 1, 2], [0, 1, 3]], [0, 0, 1, 1])
    repeated = Answers(
        chosen.right, chosen.chosen, chosen.models, np.array([5, 5, 6, 6]), chosen.prompts
    )
    found = item_statistics(repeated, [4, 4, 4])
    assert [(each.epoch_runs, each.epoch_flips) for each in found] == [(2, 0.5), (2, 0.0), (2, 0.5)]


def test_spread_is_the_distance_of_best_and_worst_prompt() -> None:
    found = item_statistics(answers_of([[0, 1, 2], [1, 1, 3]], [0, 0], [1, 2]), [4, 4, 4])
    assert [each.prompt_spread for each in found] == [1.0, 0.0, 1.0]
    assert [each.prompt_spread for each in item_statistics(FOUR, [4, 4, 4])] == [None] * 3


def test_rest_scores_leave_out_what_is_missing() -> None:
    rest = rest_scores(np.array([[1.0, 0.0, np.nan], [1.0, np.nan, np.nan]]))
    assert rest[0].tolist() == [0.0, 1.0, 0.5]
    assert np.isnan(rest[1, 0])
    assert rest[1, 1:].tolist() == [1.0, 1.0]
