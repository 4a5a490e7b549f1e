"""Simulates models on items with planted faults, and counts how many of these the queue names first.

python -m benchmarks.item_campaign [--items 500] [--models 6] [--prompts 3] [--epochs 3] [--figure FILE]

The same models answer the same items in the source language and in the target language. Some items
have a wrong key in both, others a translation that hides what is asked. Models differ in ability; an
item is easier for some models than for others, in all epochs alike, so that epochs tell less than as
many models would. The answers are stored as runs in two projects, the action and the job analyse them
as they do anywhere, and the suggestions are compared with the truth. `--figure` writes the precision
at each length of the queue as an SVG file. At the end, every table of comparisons is made of the runs in
the target language, or of all runs if it compares languages: `n` is the number of its rows. Those
of rotations, open items and releases need further runs, which `planted_tables` stores: their figures
stand beside the truth.
"""

import argparse
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fresh_site import make_tables, report
from benchmarks.planted_tables import PLANTED_TABLES, Beside, planted_tables
from benchmarks.review import database, make_items, make_project, measure_in_child
from benchmarks.stored_runs import (
    OPTIONS,
    make_endpoint,
    make_model,
    make_prompt,
    make_release,
    published_keys,
    store_run,
)

PLANTED_SHARE = 0.04
"""Of wrong keys, and the same of bad translations."""
LANGUAGE_DROP, HIDDEN_SENSE = 0.8, 4.0
ABILITIES = (-0.2, 2.2)
OWN_EFFECT = 0.7
GUESSING = 0.25
FEW_SHOTS = 5


@dataclass(frozen=True, slots=True)
class Truth:
    """Places of the items with a wrong key, and of those with a bad translation."""

    wrong_keys: frozenset[int]
    bad_translations: frozenset[int]

    @property
    def faults(self) -> frozenset[int]:
        return self.wrong_keys | self.bad_translations

    def right_options(self, count: int) -> Any:
        """The option of each item that is right: with a wrong key, the one after it."""
        right = published_keys(count)
        wrong = list(self.wrong_keys)
        right[wrong] = (right[wrong] + 1) % OPTIONS
        return right


@dataclass(frozen=True, slots=True)
class Campaign:
    """What the queue holds; `order` has (place of the item, kind), the strongest first.

    answers: the options chosen in the runs of `release`; (model, prompt, epoch, item)
    """

    truth: Truth
    order: tuple[tuple[int, str], ...]
    release: Any
    answers: Any

    def precision(self, kind: str = "") -> float:
        """The share of planted faults among as many first suggestions as faults were planted."""
        wanted = self._wanted(kind)
        first = [place for place, own in self._items(kind)][: len(wanted)]
        return sum(place in wanted for place in first) / max(1, len(first))

    def recall(self, kind: str = "") -> float:
        """The share of planted faults that are suggested at all."""
        wanted = self._wanted(kind)
        return len(wanted & {place for place, _kind in self._items(kind)}) / len(wanted)

    def suggested(self, kind: str = "") -> int:
        return len(self._items(kind))

    def curve(self) -> list[float]:
        """The precision among the first 1, 2, … items of the queue."""
        hits = np.cumsum([place in self.truth.faults for place, _kind in self._items("")])
        return [float(hit) / (number + 1) for number, hit in enumerate(hits)]

    def _wanted(self, kind: str) -> frozenset[int]:
        truth = self.truth
        return {"key_doubted": truth.wrong_keys, "dif": truth.bad_translations}.get(
            kind, truth.faults
        )

    def _items(self, kind: str) -> list[tuple[int, str]]:
        """The items of the queue, each once."""
        found: dict[int, str] = {}
        for place, own in self.order:
            if kind in ("", own):
                found.setdefault(place, own)
        return list(found.items())


@dataclass(frozen=True, slots=True)
class Sizes:
    items: int
    models: int
    prompts: int
    epochs: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--models", type=int, default=6)
    parser.add_argument("--prompts", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figure", default="")
    parser.add_argument("--databases", default="sqlite")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options)
        return
    names = ("items", "models", "prompts", "epochs", "seed")
    words = [word for name in names for word in (f"--{name}", str(getattr(options, name)))]
    if options.figure:
        words += ["--figure", str(Path(options.figure).resolve())]
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                measure_in_child("benchmarks.item_campaign", name, url, words)


def measure(options: argparse.Namespace) -> None:
    make_tables()
    sizes = Sizes(options.items, options.models, options.prompts, options.epochs)
    found = run_campaign(sizes, seed=options.seed)
    end = f"{options.measure}_{sizes.items}_items"
    report(f"item_campaign_precision_{end}", found.precision(), "", len(found.truth.faults))
    for kind, planted in (
        ("key_doubted", found.truth.wrong_keys),
        ("dif", found.truth.bad_translations),
    ):
        report(f"item_campaign_{kind}_precision_{end}", found.precision(kind), "", len(planted))
        report(f"item_campaign_{kind}_recall_{end}", found.recall(kind), "", len(planted))
        report(f"item_campaign_{kind}_suggested_{end}", found.suggested(kind), "items", sizes.items)
    for name, seconds, rows in tables(found.release):
        report(f"table_{name}_{end}", 1000 * seconds, "ms", rows)
    for each in beside_truth(found, seed=options.seed):
        report(f"table_{each.table}_{each.what}_{end}", each.found, "", each.rows)
        report(f"table_{each.table}_{each.what}_planted_{end}", each.planted, "", each.rows)
    if options.figure:
        Path(options.figure).write_text(figure(found), encoding="utf-8")


def run_campaign(sizes: Sizes, *, seed: int) -> Campaign:
    """Store the runs, analyse them, and read the queue."""
    from django.utils import timezone

    from evaluation.items.actions import start_analysis
    from evaluation.models import ReviewSuggestion
    from jobs.enums import JobState
    from jobs.worker import run_now

    chance = np.random.default_rng(seed)
    truth, source, target = simulate(sizes, chance)
    reference = _stored_runs(sizes, source)
    release = _stored_runs(sizes, target)
    analysis = start_analysis(release=release, reference=reference, actor=None, now=timezone.now())
    job = run_now(analysis.job)
    if job.state != JobState.DONE:
        raise RuntimeError(job.error)
    rows = ReviewSuggestion.objects.filter(project=release.project).order_by("-strength", "pk")
    return Campaign(truth, tuple(rows.values_list("placed__position", "kind")), release, target)


def beside_truth(found: Campaign, *, seed: int) -> list[Beside]:
    """Store the further runs, and return what the tables of them say."""
    answers = found.answers[:, 0]
    right = found.truth.right_options(answers.shape[-1])
    chance = np.random.default_rng((seed, 1))
    return list(planted_tables(found.release, answers, right, chance))


def tables(release: Any) -> Iterator[tuple[str, float, int]]:
    """Yield the name of each table of comparisons, the CPU seconds that it takes, and its rows.

    Tables that need further runs are not among them.
    """
    from evaluation.comparisons.catalogue import TABLES
    from evaluation.comparisons.selectors import comparison_of
    from evaluation.models import Run

    related = ("release__project", "model_spec__endpoint", "prompt_template", "job")
    runs = list(Run.objects.select_related(*related).order_by("pk"))
    target = [run for run in runs if run.release_id == release.pk]
    for name, make in TABLES.items():
        if name in PLANTED_TABLES:
            continue
        before = time.process_time()
        table = make(comparison_of(runs if name == "languages" else target))
        yield name, time.process_time() - before, len(table.rows)


def simulate(sizes: Sizes, chance: np.random.Generator) -> tuple[Truth, Any, Any]:
    """Draw the truth and the chosen options in both languages; (model, prompt, epoch, item).

    The key of item n is option n modulo OPTIONS; with a wrong key, the next option is right.
    P(right) = GUESSING + (1 − GUESSING) · logistic(ability − difficulty + own effect).
    """
    count = sizes.items
    planted = max(1, round(count * PLANTED_SHARE))
    drawn = chance.permutation(count)
    truth = Truth(
        frozenset(map(int, drawn[:planted])), frozenset(map(int, drawn[planted : 2 * planted]))
    )
    ability = np.linspace(*ABILITIES, sizes.models)[:, None]
    difficulty = chance.normal(0, 1, count)[None, :]
    own = chance.normal(0, OWN_EFFECT, (sizes.models, count))
    hidden = np.zeros(count)
    hidden[list(truth.bad_translations)] = HIDDEN_SENSE
    right = truth.right_options(count)
    liking = chance.dirichlet(np.full(OPTIONS, 1.5), count)
    liking[np.arange(count), right] = 0
    liking /= liking.sum(axis=1, keepdims=True)

    def chosen(drop: Any) -> Any:
        easy = 1 / (1 + np.exp(-(ability - difficulty + own - drop)))
        share = (GUESSING + (1 - GUESSING) * easy)[:, None, None, :]
        size = (sizes.models, sizes.prompts, sizes.epochs, count)
        knows = chance.random(size) < share
        wrong = (chance.random((*size, 1)) > liking.cumsum(axis=1)).sum(axis=-1)
        return np.where(knows, right, np.minimum(wrong, OPTIONS - 1))

    return truth, chosen(0.0), chosen(LANGUAGE_DROP + hidden)


def figure(found: Campaign) -> str:
    """The precision among the first items of the queue as a line in an SVG file."""
    curve = found.curve()
    width, height, left, top, bottom = 480, 220, 40, 12, 36
    step = (width - left - 10) / max(1, len(curve) - 1)
    plot = height - top - bottom
    points = " ".join(
        f"{left + step * n:.1f},{top + plot * (1 - share):.1f}" for n, share in enumerate(curve)
    )
    planted = left + step * (len(found.truth.faults) - 1)
    ticks = "".join(
        f'<text x="{left - 6}" y="{top + plot * (1 - share) + 4:.0f}" text-anchor="end">'
        f"{share:.0%}</text>"
        for share in (0, 0.5, 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11"><polyline points="{points}" fill="none" '
        f'stroke="#245" stroke-width="2"/><line x1="{planted:.1f}" y1="{top}" x2="{planted:.1f}" '
        f'y2="{top + plot}" stroke="#999" stroke-dasharray="3 3"/>{ticks}'
        f'<text x="{left}" y="{height - 8}">items of the queue, strongest first: {len(curve)}; '
        f"the dashed line marks as many as faults were planted</text></svg>\n"
    )


def _stored_runs(sizes: Sizes, chosen: Any) -> Any:
    """A project with items, a release and the answers `chosen` as finished, scored runs."""
    project, _roles = make_project(f"items-{uuid.uuid4().hex[:8]}")
    make_items(project, sizes.items)
    release, _placed = make_release(project)
    endpoint = make_endpoint(project)
    models = [make_model(endpoint, number) for number in range(sizes.models)]
    prompts = [
        make_prompt(project, f"prompt {n}", "chain-of-thought" if n == 1 else "direct")
        for n in range(sizes.prompts)
    ]
    for model, prompt in product(range(sizes.models), range(sizes.prompts)):
        shots = FEW_SHOTS if prompt == 2 else 0  # with the prompt that is asked without any, too
        asked = prompts[0 if shots else prompt]
        store_run(release, models[model], asked, chosen[model, prompt], shots=shots)
    return release


if __name__ == "__main__":
    main()
