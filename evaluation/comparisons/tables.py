"""The tables of a comparison: each turns the answers of runs into the `Table` that all formats write."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations

import numpy as np
from django.utils.translation import gettext as _

from common.estimates import Estimate
from common.figure_tables import Cell, Column, Kind, Table
from common.intervals import Interval
from evaluation.comparisons.queries import (
    Comparison,
    ItemFacts,
    bases_of,
    position_shares,
    sizes_of,
)
from evaluation.comparisons.titles import method_text, table_label
from evaluation.models import Run
from jobs.enums import STOPPED_JOB_STATES
from languages.letters import letters_of
from releases.enums import Subset
from review.figures.labels import missing_words
from scoring.pairs import (
    Floats,
    Ints,
    PairedComparison,
    holm,
    independent_difference,
    paired_comparison,
    sensitivity,
    share_interval,
)

Maker = Callable[[Comparison], Table]
"""What makes a table of a comparison."""
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def run_labels(runs: Sequence[Run]) -> list[str]:
    """Name each run by its model, and by what tells it from the others if the models are the same."""
    facts = {
        "model": [run.model_spec.name for run in runs],
        "revision": [f"r{run.model_spec.revision}" for run in runs],
        "project": [run.release.project.slug for run in runs],
        "release": [run.release.version for run in runs],
        "prompt": [f"{run.prompt_template.name} r{run.prompt_template.revision}" for run in runs],
        "shots": [_("%(shots)s shots") % {"shots": run.shots} for run in runs],
        "rotation": [_("rotated by %(n)s") % {"n": run.rotation} for run in runs],
    }
    told = [values for name, values in facts.items() if name == "model" or len(set(values)) > 1]
    labels = [", ".join(parts) for parts in zip(*told, strict=True)]
    same = {label for label in labels if labels.count(label) > 1}
    pairs = zip(labels, runs, strict=True)
    return [f"{label} #{run.pk}" if label in same else label for label, run in pairs]


def runs_table(found: Comparison) -> Table:
    """Response rate, accuracy and conditional accuracy of each run on the items that all share."""
    rows = []
    for place, label in enumerate(run_labels(found.runs)):
        correct, valid = found.correct[place], found.valid[place]
        answered = float(valid.sum())
        rows.append((
            label,
            found.runs[place].pk,
            len(correct),
            float(valid.mean()),
            accuracy(correct, found.groups, found.runs[place].epochs),
            float(correct.sum()) / answered if answered else None,
            macro(found, correct),
            _baseline(found.shared_facts),
        ))  # fmt: skip
    columns = (
        Column("run", _("Run")),
        Column("run_id", _("Number"), Kind.COUNT),
        Column("n", _("Items"), Kind.COUNT),
        Column("response_rate", _("Response rate (%)"), Kind.PERCENT),
        Column("accuracy", _("Accuracy, micro (%)"), Kind.PERCENT, has_estimates=True),
        Column("conditional_accuracy", _("Conditional accuracy (%)"), Kind.PERCENT),
        Column("accuracy_macro", _("Accuracy, mean of subjects (%)"), Kind.PERCENT),
        Column("random_baseline", _("Random guessing (%)"), Kind.PERCENT),
    )
    return comparison_table(found, "runs", _("Runs on the items that they share"), columns, rows)


def pairs_table(found: Comparison) -> Table:
    """Every pair of runs, with p values adjusted for all of them."""
    labels = run_labels(found.runs)
    places = list(combinations(range(len(labels)), 2))
    pairs = [pair_of(found, *place) for place in places]
    adjusted = holm([pair.p for pair in pairs])
    rows = [
        (labels[a], labels[b], *_pair_cells(pair), p)
        for (a, b), pair, p in zip(places, pairs, adjusted, strict=True)
    ]
    columns = (
        Column("first", _("First")),
        Column("second", _("Second")),
        *_adjusted_columns(),
    )
    note = _(
        "Difference: first minus second, in percentage points, with a 95%% interval over items. "
        "p: exact McNemar test. Holm: adjusted for all %(pairs)s pairs."
    ) % {"pairs": len(pairs)}
    return comparison_table(found, "pairs", _("Pairs of runs"), columns, rows, note)


def subjects_table(found: Comparison) -> Table:
    """Net wins of the first run over each other one, by subject."""
    labels = run_labels(found.runs)
    rows = []
    for name, where in parts(found, lambda facts: facts.subject_name):
        for other in range(1, len(labels)):
            pair = pair_of(found, 0, other, where)
            cells = _pair_cells(pair)
            rows.append((name, labels[other], *cells[:-1], pair.wins - pair.losses))
    columns = (
        Column("subject", _("Subject")),
        Column("second", _("Against")),
        *_pair_columns()[:-1],
        Column("net_wins", _("Net wins"), Kind.COUNT),
    )
    title = _("%(run)s against the others by subject") % {"run": labels[0]}
    return comparison_table(found, "subjects", title, columns, rows)


def prompts_table(found: Comparison) -> Table:
    """How much the accuracy of one model on one release depends on the prompt."""
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, run in enumerate(found.runs):
        groups[_model(run), run.release_id].append(place)
    rows: list[tuple[Cell, ...]] = []
    for (model, _release), places in groups.items():
        release = found.runs[places[0]].release.version
        prompts = {found.runs[place].prompt_template_id for place in places}
        if len(prompts) < 2:
            continue
        spread = sensitivity(found.correct[places])
        letters = found.found[places]
        changed = float((letters != letters[0]).any(axis=0).mean())
        rows.append((
            model, release, len(prompts), spread.n, spread.mean, spread.lowest, spread.highest,
            spread.range, spread.standard_deviation, spread.variance_share, changed,
            spread.changed,
        ))  # fmt: skip
    columns = (
        Column("model", _("Model")),
        Column("release", _("Release")),
        Column("prompts", _("Prompts"), Kind.COUNT),
        Column("n", _("Items"), Kind.COUNT),
        Column("mean", _("Mean (%)"), Kind.PERCENT),
        Column("lowest", _("Lowest (%)"), Kind.PERCENT),
        Column("highest", _("Highest (%)"), Kind.PERCENT),
        Column("range", _("Range"), Kind.PERCENT),
        Column("standard_deviation", _("SD"), Kind.PERCENT),
        Column("variance_share", _("Variance by prompt (%)"), Kind.PERCENT),
        Column("answers_changed", _("Answer changes (%)"), Kind.PERCENT),
        Column("correctness_changed", _("Right or wrong changes (%)"), Kind.PERCENT),
    )
    note = _("Variance by prompt: its share of the variance of prompt, item and remainder.")
    return comparison_table(found, "prompts", _("Sensitivity to the prompt"), columns, rows, note)


def openness_table(found: Comparison) -> Table:
    """Accuracy on open items against hidden ones: other items, so the difference is not paired."""
    is_open = np.array([facts.subset == Subset.OPEN for facts in found.shared_facts], dtype=bool)
    rows: list[tuple[Cell, ...]] = []
    for place, label in enumerate(run_labels(found.runs)):
        correct, epochs = found.correct[place], found.runs[place].epochs
        parts = [(correct[where], groups_in(found, where)) for where in (is_open, ~is_open)]
        (seen, of_seen), (unseen, of_unseen) = parts
        if not len(seen) or not len(unseen):
            continue
        difference, interval = independent_difference(
            seen, unseen, (of_seen, of_unseen), epochs=epochs
        )
        rows.append((
            label,
            len(seen),
            len(unseen),
            accuracy(seen, of_seen, epochs),
            accuracy(unseen, of_unseen, epochs),
            estimate(difference, interval, len(correct)),
        ))  # fmt: skip
    columns = (
        Column("run", _("Run")),
        Column("n_open", _("Open items"), Kind.COUNT),
        Column("n_hidden", _("Hidden items"), Kind.COUNT),
        Column("accuracy_open", _("Open (%)"), Kind.PERCENT, has_estimates=True),
        Column("accuracy_hidden", _("Hidden (%)"), Kind.PERCENT, has_estimates=True),
        Column("difference", _("Open minus hidden"), Kind.PERCENT, has_estimates=True),
    )
    return comparison_table(found, "openness", _("Open items against hidden ones"), columns, rows)


def scale_table(found: Comparison) -> Table:
    """Accuracy by the number of the models' parameters, the smallest model first."""
    sizes = sizes_of(found.runs)
    known = [place for place, size in enumerate(sizes) if size is not None]
    labels = run_labels(found.runs)
    rows = [
        (
            labels[place],
            float(sizes[place] or 0),
            found.correct.shape[1],
            accuracy(found.correct[place], found.groups, found.runs[place].epochs),
        )
        for place in sorted(known, key=lambda place: (sizes[place], place))
    ]
    without = [label for place, label in enumerate(labels) if sizes[place] is None]
    note = _("Size: billions of parameters.")
    if without:
        note += " " + _("No size is stated for: %(models)s.") % {"models": "; ".join(without)}
    columns = (
        Column("run", _("Run")),
        Column("size", _("Size"), Kind.NUMBER),
        Column("n", _("Items"), Kind.COUNT),
        Column("accuracy", _("Accuracy, micro (%)"), Kind.PERCENT, has_estimates=True),
    )
    return comparison_table(found, "scale", _("Accuracy by size of the model"), columns, rows, note)


def base_table(found: Comparison) -> Table:
    """Models against the base model that each was tuned from, on all items, by category and subject."""
    labels, methods = run_labels(found.runs), [method_text(name) for name in found.methods]
    compared = [
        (tuned, base, category, subject, pair_of(found, tuned, base, where))
        for tuned, base in _tuned_pairs(found.runs)
        for category, subject, where in _groups(found)
    ]
    adjusted = holm([pair.p for *_of, pair in compared])
    rows = [
        (
            labels[tuned], methods[tuned], labels[base], methods[base], category, subject,
            *_pair_cells(pair), p,
        )
        for (tuned, base, category, subject, pair), p in zip(compared, adjusted, strict=True)
    ]  # fmt: skip
    columns = (
        Column("first", _("Tuned model")),
        Column("method_first", _("Its method")),
        Column("second", _("Base model")),
        Column("method_second", _("Its method")),
        Column("category", _("Category")),
        Column("subject", _("Subject")),
        *_adjusted_columns(),
    )
    note = _("First: the tuned model; second: the model that it states to be tuned from.")
    return comparison_table(found, "base-chat", table_label("base-chat"), columns, rows, note)


def rotations_table(found: Comparison) -> Table:
    """Runs that differ in the rotation of options: whether the same options are chosen, and where.

    Positions count all answers of a run in which the method read a letter.
    """
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, run in enumerate(found.runs):
        setting = (run.model_spec_id, run.release_id, run.prompt_template_id, run.shots)
        groups[setting].append(place)
    shares = position_shares(found)
    shown = max((len(each) for each in shares), default=0)
    rows: list[tuple[Cell, ...]] = []
    for places in groups.values():
        if len({found.runs[place].rotation for place in places}) < 2:
            continue
        model = _model(found.runs[places[0]])
        for place in sorted(places, key=lambda place: found.runs[place].rotation):
            run = found.runs[place]
            own = [*shares[place], *[0.0 if shares[place] else None] * (shown - len(shares[place]))]
            share = accuracy(found.correct[place], found.groups, run.epochs)
            rows.append((model, str(run.rotation), found.correct.shape[1], None, share, *own))
        letters, valid = found.found[places], found.valid[places]
        same = (letters == letters[0]).all(axis=0) & (valid == 1).all(axis=0)
        epochs = sum(found.runs[place].epochs for place in places)
        share = accuracy(found.correct[places].mean(axis=0), found.groups, epochs)
        whole = (model, _("all"), found.correct.shape[1], float(same.mean()), share)
        rows.append((*whole, *[None] * shown))
    columns = (
        Column("model", _("Model")),
        Column("rotation", _("Rotation")),
        Column("n", _("Items"), Kind.COUNT),
        Column("same_option", _("Same option in all (%)"), Kind.PERCENT),
        Column("accuracy", _("Accuracy, micro (%)"), Kind.PERCENT, has_estimates=True),
        *(
            Column(f"position_{letter}", _("Chosen as %s (%%)") % letter, Kind.PERCENT)
            for letter in letters_of(shown)
        ),
    )
    note = _("Chosen as: how often the option that stood there was chosen, of all answers.")
    return comparison_table(found, "rotations", table_label("rotations"), columns, rows, note)


def unfinished_note(found: Comparison) -> str:
    """Say which runs are in progress, and which stopped before their end; empty if all are done."""
    named = list(zip(run_labels(found.runs), found.runs, strict=True))
    going = [label for label, run in named if is_underway(run)]
    stopped = [label for label, run in named if run.job.state in STOPPED_JOB_STATES]
    said = []
    if going:
        words = _("Still in progress, so the figures can change: %(runs)s.")
        said.append(words % {"runs": "; ".join(going)})
    if stopped:
        words = _("Stopped before the end, so answers are missing: %(runs)s.")
        said.append(words % {"runs": "; ".join(stopped)})
    return " ".join(said)


def is_underway(run: Run) -> bool:
    """Whether questions of a run are being asked, or its answers scored again."""
    return not run.job.has_ended or bool(run.scoring_job and not run.scoring_job.has_ended)


def by_fact(name: str, heading: Callable[[], str], fact: Callable[[ItemFacts], str]) -> Maker:
    """A table with a row for each value of a fact and run."""

    def make(found: Comparison) -> Table:
        labels, rows = run_labels(found.runs), []
        for value, where in parts(found, fact):
            facts = [one for one, inside in zip(found.shared_facts, where, strict=True) if inside]
            for place, label in enumerate(labels):
                correct, valid = found.correct[place][where], found.valid[place][where]
                answered = float(valid.sum())
                rows.append((
                    value or "–",
                    label,
                    len(correct),
                    float(valid.mean()),
                    accuracy(correct, groups_in(found, where), found.runs[place].epochs),
                    float(correct.sum()) / answered if answered else None,
                    _baseline(facts),
                ))  # fmt: skip
        columns = (
            Column("group", heading()),
            Column("run", _("Run")),
            Column("n", _("Items"), Kind.COUNT),
            Column("response_rate", _("Response rate (%)"), Kind.PERCENT),
            Column("accuracy", _("Accuracy, micro (%)"), Kind.PERCENT, has_estimates=True),
            Column("conditional_accuracy", _("Conditional accuracy (%)"), Kind.PERCENT),
            Column("random_baseline", _("Random guessing (%)"), Kind.PERCENT),
        )
        return comparison_table(found, name, table_label(name), columns, rows)

    return make


def by_setting(
    name: str, title: Callable[[], str], order: Callable[[Run], object], same: Sequence[str]
) -> Maker:
    """A table of pairs of runs of one model that differ in one thing, and not in `same`."""

    def make(found: Comparison) -> Table:
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for place, run in enumerate(found.runs):
            groups[_model(run), run.rotation, *(SETTINGS[each](run) for each in same)].append(place)
        labels = run_labels(found.runs)
        pairs = [
            (first, second)
            for places in groups.values()
            for first, second in combinations(places, 2)
            if order(found.runs[first]) != order(found.runs[second])
        ]
        compared = [pair_of(found, second, first) for first, second in pairs]
        adjusted = holm([pair.p for pair in compared])
        rows = [
            (labels[second], labels[first], *_pair_cells(pair), p)
            for (first, second), pair, p in zip(pairs, compared, adjusted, strict=True)
        ]
        columns = (
            Column("first", _("First")),
            Column("second", _("Second")),
            *_adjusted_columns(),
        )
        return comparison_table(found, name, title(), columns, rows)

    return make


SETTINGS: dict[str, Callable[[Run], object]] = {
    "release": lambda run: run.release_id,
    "prompt": lambda run: run.prompt_template.name,
    "style": lambda run: run.prompt_template.style,
    "shots": lambda run: run.shots,
}


def pair_of(
    found: Comparison, first: int, second: int, where: Flags | None = None
) -> PairedComparison:
    rows = found.correct[first], found.correct[second]
    if where is None:
        return paired_comparison(*rows, found.groups)
    return paired_comparison(rows[0][where], rows[1][where], groups_in(found, where))


def _tuned_pairs(runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """The places of two runs on the same release, the second of the base model of the first."""
    bases = bases_of(runs)
    for tuned, base in permutations(range(len(runs)), 2):
        first, second = runs[tuned], runs[base]
        is_beside = first.release_id == second.release_id
        if is_beside and bases[tuned] == second.model_spec.name:
            yield tuned, base


def _groups(found: Comparison) -> Iterator[tuple[str, str, Flags | None]]:
    """All items, then each category, then the subjects of it, with the items that belong there."""
    yield _("all"), _("all"), None
    for category, inside in parts(found, lambda facts: facts.category):
        yield category or "–", _("all"), inside
        for subject, where in parts(found, lambda facts: facts.subject_name):
            if (where & inside).any():
                yield category or "–", subject, where & inside


def _pair_columns() -> tuple[Column, ...]:
    return (
        Column("n", _("Items"), Kind.COUNT),
        Column("accuracy_first", _("First (%)"), Kind.PERCENT),
        Column("accuracy_second", _("Second (%)"), Kind.PERCENT),
        Column("difference", _("Difference"), Kind.PERCENT, has_estimates=True),
        Column("wins", _("Won"), Kind.COUNT),
        Column("losses", _("Lost"), Kind.COUNT),
        Column("p", _("p, McNemar"), Kind.PROBABILITY),
    )


def _adjusted_columns() -> tuple[Column, ...]:
    return (*_pair_columns(), Column("p_holm", _("p, Holm"), Kind.PROBABILITY))


def _pair_cells(pair: PairedComparison) -> tuple[Cell, ...]:
    difference = estimate(pair.difference, pair.interval, pair.n)
    return pair.n, pair.first, pair.second, difference, pair.wins, pair.losses, pair.p


def parts(found: Comparison, fact: Callable[[ItemFacts], str]) -> Iterator[tuple[str, Flags]]:
    """Each value of a fact, in order, with the items that have it."""
    values = np.array([fact(facts) for facts in found.shared_facts], dtype=object)
    for value in sorted(set(values.tolist())):
        yield value, np.asarray(values == value, dtype=bool)


def groups_in(found: Comparison, where: Flags) -> Ints | None:
    return None if found.groups is None else found.groups[where]


def accuracy(values: Floats, groups: Ints | None, epochs: int) -> Estimate:
    interval = share_interval(values, groups, epochs=epochs)
    return estimate(float(values.mean()), interval, len(values))


def estimate(value: float, interval: Interval | None, n: int) -> Estimate:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Estimate(value, low, high, n, 0)


def macro(found: Comparison, correct: Floats) -> float:
    """The mean over subjects, each with the same weight."""
    means = [correct[where].mean() for _name, where in parts(found, lambda one: one.subject)]
    return float(np.mean(means))


def _baseline(facts: Sequence[ItemFacts]) -> float | None:
    """The accuracy of guessing; None where some items have no options to guess among."""
    if not facts or not all(one.options for one in facts):
        return None
    return float(np.mean([1 / one.options for one in facts]))


def _model(run: Run) -> str:
    return run.model_spec.name


def comparison_table(
    found: Comparison,
    name: str,
    title: str,
    columns: tuple[Column, ...],
    rows: Sequence[tuple[Cell, ...]],
    note: str = "",
) -> Table:
    """A table whose title and note say how many items, which method and what the unit is."""
    values = {"title": title, "n": len(found.items), "method": method_text(found.method)}
    unit = _("Items of one passage count together.") if found.groups is not None else ""
    return Table(
        name=name,
        title=_("%(title)s (%(n)s items, %(method)s)") % values,
        columns=columns,
        rows=tuple(rows),
        words=missing_words(),
        note=" ".join(filter(None, [note, unit])),
    )
