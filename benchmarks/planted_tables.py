"""Stores runs for the tables of rotations, open items and releases, and compares these with the truth.

Models, prompt and answers are those of `item_campaign`, whose runs have no rotations and whose release
hides nothing. A release with corrected keys hides every second item; what is planted there is said at
each function. A figure of a table and its truth are means over the models.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.stored_runs import (
    METHODS,
    OPTIONS,
    make_prompt,
    make_release,
    published_keys,
    store_run,
)

METHOD = METHODS[:1]
PLANTED_TABLES = ("releases", "rotations", "openness")
FIRST_LIKED = 0.15
"""How often a model of the rotated runs takes whatever option is shown first."""
LEARNT = 0.3
"""How often a model knows the answer to an open item by heart."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A figure of a table beside the truth that was planted; `rows` are those of the table."""

    table: str
    what: str
    found: float
    planted: float
    rows: int


def planted_tables(
    release: Any, answers: Any, right: Any, chance: np.random.Generator
) -> Iterator[Beside]:
    """Store the further runs and yield what the tables say of them.

    `answers` (model, epoch, item) are those of the release's runs with its first prompt, stored
    with `right` as keys where the release has others.
    """
    first = _runs_with_first_prompt(release)
    hidden = range(1, answers.shape[-1], 2)
    corrected, _placed = make_release(release.project, "1.1.0", keys=right, hidden=hidden)
    yield _releases(first, corrected, answers, right)
    yield _rotations(first, corrected, answers, chance)
    yield _openness(first, corrected, answers, right, chance)


def _releases(first: Sequence[Any], corrected: Any, answers: Any, right: Any) -> Beside:
    """The same answers, by the corrected keys: truth is what the keys change in these answers."""
    again = [
        store_run(corrected, run.model_spec, run.prompt_template, own, methods=METHOD)
        for run, own in zip(first, answers, strict=True)
    ]
    keys = published_keys(answers.shape[-1])
    gained = float((answers == right).mean() - (answers == keys).mean())
    rows = _table("releases", [*first, *again])
    return Beside("releases", "difference", _mean(rows, "difference"), gained, len(rows))


def _rotations(
    first: Sequence[Any], release: Any, answers: Any, chance: np.random.Generator
) -> Beside:
    """All rotations of one epoch; FIRST_LIKED of the answers are the option that is shown first.

    Over all rotations each option stands once at each position, so the first is chosen as often as
    any by those who do not just take it.
    """
    prompt = make_prompt(release.project, "rotated")
    runs = []
    for run, own in zip(first, answers, strict=True):
        for rotation in range(OPTIONS):
            taken = chance.random(own[:1].shape) < FIRST_LIKED
            chosen = np.where(taken, rotation, own[:1])
            runs.append(
                store_run(
                    release, run.model_spec, prompt, chosen, rotation=rotation, methods=METHOD
                )
            )
    rows = [row for row in _table("rotations", runs) if row["position_A"] is not None]
    planted = FIRST_LIKED + (1 - FIRST_LIKED) / OPTIONS
    return Beside("rotations", "position_A", _mean(rows, "position_A"), planted, len(rows))


def _openness(
    first: Sequence[Any], release: Any, answers: Any, right: Any, chance: np.random.Generator
) -> Beside:
    """LEARNT of the answers to open items are the key, whatever the model would have answered.

    Truth is what that adds on average, and by how much the answers without it differ.
    """
    prompt = make_prompt(release.project, "learnt")
    is_open = np.arange(answers.shape[-1]) % 2 == 0
    learnt = (chance.random(answers.shape) < LEARNT) & is_open
    chosen = np.where(learnt, right, answers)
    runs = [
        store_run(release, run.model_spec, prompt, own, methods=METHOD)
        for run, own in zip(first, chosen, strict=True)
    ]
    was = (answers == right).mean(axis=(0, 1))
    planted = float(was[is_open].mean() - was[~is_open].mean() + LEARNT * (1 - was[is_open]).mean())
    rows = _table("openness", runs)
    return Beside("openness", "difference", _mean(rows, "difference"), planted, len(rows))


def _runs_with_first_prompt(release: Any) -> list[Any]:
    from evaluation.models import Run

    runs = Run.objects.filter(release=release, shots=0).order_by("pk")
    prompt = runs[0].prompt_template_id
    return list(runs.filter(prompt_template=prompt).select_related("model_spec", "prompt_template"))


def _table(name: str, runs: Sequence[Any]) -> list[dict[str, Any]]:
    """The rows of a table of comparisons, by the names of its columns."""
    from evaluation.comparisons.catalogue import TABLES
    from evaluation.comparisons.selectors import comparison_of
    from evaluation.models import Run

    related = ("release__project", "model_spec", "prompt_template", "job", "scoring_job")
    loaded = Run.objects.select_related(*related).filter(pk__in=[run.pk for run in runs])
    table = TABLES[name](comparison_of(list(loaded.order_by("pk"))))
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def _mean(rows: Sequence[dict[str, Any]], column: str) -> float:
    return float(np.mean([getattr(row[column], "value", row[column]) for row in rows]))
