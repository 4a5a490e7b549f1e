"""Tables in the form of published papers: a row for each run, a column for each category."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.errors import DomainError
from common.figure_tables import Cell, Column, Kind, Part, Table
from common.intervals import wilson_interval
from evaluation.comparisons.queries import (
    Comparison,
    compare,
    human_answers,
    replies_to,
    sizes_of,
)
from evaluation.comparisons.tables import (
    Flags,
    accuracy,
    comparison_table,
    estimate,
    pair_of,
    parts,
    run_labels,
)
from evaluation.comparisons.titles import measure_label, method_text, table_label
from evaluation.results.labels import METHODS
from evaluation.results.queries.differences import methods_of
from languages.letters import letter_of
from prompts.enums import PromptStyle
from review.answers.queries import FEWEST_SOLVING_ANSWERS
from scoring.pairs import Floats

MOST_COLUMNS = 7
"""More categories than these are printed as several tables, so that each fits on a page."""
PUBLISHED = ("direct", "concern_all")
PLAIN = ("temperature", "top_p", "max_tokens", "seed")
Groups = Mapping[str, Flags]


class MethodsNeeded(DomainError):
    code = "methods_needed"
    detail = gettext_lazy(
        "This table needs the methods %(methods)s. Score the answers of run %(run)s by them."
    )
    status = 400


def tlue_table(found: Comparison) -> Table:
    """Response rate, accuracy and conditional accuracy by category, as both published methods read."""
    for run in found.runs:
        if not set(PUBLISHED) <= set(methods_of(run)):
            raise MethodsNeeded(run=run.pk, methods=" + ".join(PUBLISHED))
    read = {
        method: compare(found.runs, method, has_hidden=found.has_hidden) for method in PUBLISHED
    }
    names = list(dict.fromkeys(name for each in read.values() for name in _categories(each)))
    rows = []
    for place, label in enumerate(run_labels(found.runs)):
        for method, each in read.items():
            cells: list[Cell] = [label, str(METHODS[method].short), len(each.items)]
            for measure in MEASURES:
                cells += _measured(each, place, _categories(each), names, measure)
            rows.append(tuple(cells))
    columns = [
        Column("run", _("Run")),
        Column("method", _("Method")),
        Column("n", _("Items"), Kind.COUNT),
    ]
    printed = []
    for measure in MEASURES:
        own = _columns(measure, names)
        columns += own
        printed += _printed(measure_label(measure), ("run", "method"), own)
    table = comparison_table(found, "tlue-1", table_label("tlue-1"), tuple(columns), rows, _note())
    title = _("%(title)s (%(n)s items)") % {"title": table_label("tlue-1"), "n": len(found.items)}
    return replace(table, title=title, parts=_titled(title, printed, table.note))


def tmlu_table(found: Comparison) -> Table:
    """Accuracy by category, with the style of the prompt; runs of one model stand together."""
    labels = run_labels(found.runs)
    order = sorted(
        range(len(labels)),
        key=lambda place: (found.runs[place].model_spec.name, _style(found, place), place),
    )
    heads = [(labels[place], str(PromptStyle(_style(found, place)).label)) for place in order]
    return _by_category(
        found, "tmlu-main", heads, order, (Column("run", _("Run")), Column("style", _("Prompt")))
    )


def reasoning_by_category(found: Comparison) -> Table:
    """Chain of thought minus direct answers by category, for models that were asked in both ways."""
    asked: dict[tuple[object, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, run in enumerate(found.runs):
        same = run.model_spec.name, run.release_id, run.shots
        asked[same][_style(found, place)].append(place)
    labels, groups = run_labels(found.runs), _categories(found)
    rows: list[tuple[Cell, ...]] = []
    for styles in asked.values():
        for direct, reasoned in product(
            styles[PromptStyle.DIRECT], styles[PromptStyle.CHAIN_OF_THOUGHT]
        ):
            values = found.correct[reasoned] - found.correct[direct]
            means = [float(values[where].mean()) for where in groups.values()]
            pair = pair_of(found, reasoned, direct)
            whole = estimate(pair.difference, pair.interval, pair.n)
            rows.append(
                (labels[reasoned], labels[direct], pair.n, *means, float(np.mean(means)), whole)
            )
    columns = (
        Column("first", _("Chain of thought")),
        Column("second", _("Direct answer")),
        Column("n", _("Items"), Kind.COUNT),
        *_columns("difference", list(groups)),
    )
    note = _("First minus second, in percentage points.") + " " + _note()
    return _whole(found, "tmlu-cot", columns, rows, note, ("first", "second"))


def mm_eval_table(found: Comparison) -> Table:
    """Accuracy by dimension, and by the subjects of each."""
    labels = run_labels(found.runs)
    dimensions = dict(parts(found, lambda facts: facts.dimension))
    subjects = {
        dimension: sorted({
            (facts.subject, facts.subject_name)
            for facts in found.shared_facts
            if facts.dimension == dimension
        })
        for dimension in dimensions
    }  # fmt: skip
    by_slug = dict(parts(found, lambda facts: facts.subject))
    slugs = [pair for pairs in subjects.values() for pair in pairs]
    rows = [
        (
            label,
            len(found.items),
            *_measured(found, place, _named(dimensions), list(_named(dimensions)), "accuracy"),
            *(float(found.correct[place][by_slug[slug]].mean()) for slug, _name in slugs),
        )
        for place, label in enumerate(labels)
    ]
    own = _columns("accuracy", list(_named(dimensions)))
    of_subjects = {
        slug: Column(f"accuracy_subject_{slug}", name, Kind.PERCENT) for slug, name in slugs
    }
    columns = (
        Column("run", _("Run")), Column("n", _("Items"), Kind.COUNT), *own, *of_subjects.values(),
    )  # fmt: skip
    printed = _printed(_("By dimension"), ("run", "n"), own)
    for dimension, pairs in subjects.items():
        printed += _printed(dimension or "–", ("run",), [of_subjects[slug] for slug, _n in pairs])
    table = comparison_table(found, "mm-eval-1", table_label("mm-eval-1"), columns, rows, _note())
    return replace(table, parts=_titled(table.title, printed, table.note))


def laobench_table(found: Comparison) -> Table:
    """Accuracy by category of people and models.

    People are experts who solved the items without the key, in rounds that are closed.
    """
    labels = run_labels(found.runs)
    table = _by_category(
        found, "laobench-main", [(label,) for label in labels], range(len(labels)),
        (Column("run", _("Run")),),
    )  # fmt: skip
    people = _people(found)
    if people is None:
        note = _("No row of people: closed solving rounds have fewer than %(least)s answers.")
        note %= {"least": FEWEST_SOLVING_ANSWERS}
    else:
        note = _("People: experts who solved items without the key; %(n)s answers.")
        note %= {"n": people[0]}
        table = replace(table, rows=(people[1], *table.rows))
    said = " ".join(filter(None, [table.note, note]))
    return replace(table, note=said, parts=tuple(part._replace(note=said) for part in table.parts))


def parameters_table(found: Comparison) -> Table:
    """What each run was asked with: the model, its decoding parameters, the prompt and the shots."""
    rows = []
    pairs = zip(run_labels(found.runs), found.runs, sizes_of(found.runs), strict=True)
    for label, run, size in pairs:
        spec = run.model_spec
        others = {name: value for name, value in spec.parameters.items() if name not in PLAIN}
        rows.append((
            label,
            spec.model,
            spec.revision,
            None if size is None else float(size),
            *(_parameter(spec.parameters.get(name)) for name in PLAIN),
            ", ".join(f"{name}={_parameter(value)}" for name, value in sorted(others.items())),
            f"{run.prompt_template.name} r{run.prompt_template.revision}",
            run.shots,
            run.epochs,
        ))  # fmt: skip
    columns = (
        Column("run", _("Run")),
        Column("model", _("Model")),
        Column("revision", _("Revision"), Kind.COUNT),
        Column("size", _("Size"), Kind.NUMBER),
        *(Column(name, name) for name in PLAIN),
        Column("other", _("Other parameters")),
        Column("prompt", _("Prompt")),
        Column("shots", _("Shots"), Kind.COUNT),
        Column("epochs", _("Epochs"), Kind.COUNT),
    )
    note = _("Size: billions of parameters. What is empty is left to the endpoint.")
    title = table_label("parameters")
    return replace(
        comparison_table(found, "parameters", title, columns, rows), title=title, note=note
    )


def sizes_table(found: Comparison) -> Table:
    """How many test items of the first run's release each subject, level and number of options has."""
    counted = Counter(
        (one.category, one.subject_name, one.level, one.options) for one in found.facts.values()
    )
    rows = [
        (
            category or "–",
            subject,
            level or "–",
            options or None,
            counted[category, subject, level, options],
        )
        for category, subject, level, options in sorted(counted)
    ]
    columns = (
        Column("category", _("Category")),
        Column("subject", _("Subject")),
        Column("level", _("Level")),
        Column("options", _("Options"), Kind.COUNT),
        Column("items", _("Items"), Kind.COUNT),
    )
    values = {
        "title": table_label("sizes"),
        "release": found.runs[0].release.version,
        "n": len(found.facts),
    }
    title = _("%(title)s (release %(release)s, %(n)s test items)") % values
    return replace(comparison_table(found, "sizes", title, columns, rows), title=title, note="")


def answers_table(found: Comparison, uid: str) -> Table:
    """The answers of all runs to one item side by side, for people who may see all of it.

    Raises ItemNotShared.
    """
    placed, replies = replies_to(found, uid)
    labels = {run.pk: label for run, label in zip(found.runs, run_labels(found.runs), strict=True)}
    rows = [
        (
            labels[one.run], one.epoch, one.text, one.letter,
            _("right") if one.is_correct else _("wrong"),
        )
        for one in replies
    ]  # fmt: skip
    columns = (
        Column("run", _("Run")),
        Column("epoch", _("Epoch"), Kind.COUNT),
        Column("answer", _("Answer")),
        Column("found", _("Found")),
        Column("verdict", _("Verdict")),
    )
    shown = [f"{letter_of(place)}. {text}" for place, text in enumerate(placed.revision.options)]
    said = [placed.revision.question, *shown, _("Key: %(key)s.") % {"key": placed.key}]
    if placed.source_question:
        said.append(_("Source: %(text)s") % {"text": placed.source_question})
    title = _("Answers to %(uid)s, as read by %(method)s") % {
        "uid": uid,
        "method": method_text(found.method),
    }
    table = comparison_table(found, "answers", title, columns, rows)
    return replace(table, title=title, note=" ".join(said))


def _rate(correct: Floats, valid: Floats) -> float | None:
    return float(valid.mean())


def _accuracy(correct: Floats, valid: Floats) -> float | None:
    return float(correct.mean())


def _conditional(correct: Floats, valid: Floats) -> float | None:
    answered = float(valid.sum())
    return float(correct.sum()) / answered if answered else None


MEASURES: Mapping[str, Callable[[Floats, Floats], float | None]] = {
    "response_rate": _rate,
    "accuracy": _accuracy,
    "conditional_accuracy": _conditional,
}


def _by_category(
    found: Comparison,
    name: str,
    heads: Sequence[tuple[str, ...]],
    places: Sequence[int],
    columns: tuple[Column, ...],
) -> Table:
    """A row for each run in `places`, which begins with its `heads`, and its accuracies."""
    groups = _categories(found)
    rows = [
        (*head, len(found.items), *_measured(found, place, groups, list(groups), "accuracy"))
        for head, place in zip(heads, places, strict=True)
    ]
    columns = (
        *columns,
        Column("n", _("Items"), Kind.COUNT),
        *_columns("accuracy", list(groups)),
    )
    return _whole(
        found, name, columns, rows, _note(), [each.name for each in columns[: len(heads[0])]]
    )


def _whole(
    found: Comparison,
    name: str,
    columns: tuple[Column, ...],
    rows: Sequence[tuple[Cell, ...]],
    note: str,
    heads: Sequence[str],
) -> Table:
    """The table, printed as several if it has more columns than fit on a page."""
    table = comparison_table(found, name, table_label(name), columns, rows, note)
    own = columns[len(heads) + 1 :]
    if len(own) <= MOST_COLUMNS + 2:
        return table
    return replace(table, parts=_titled(table.title, _printed("", heads, own), table.note))


def _measured(
    found: Comparison, place: int, groups: Groups, names: Sequence[str], measure: str
) -> Iterator[Cell]:
    """A measure in each of `names`, its mean over them, and on all items together."""
    of = MEASURES[measure]
    correct, valid = found.correct[place], found.valid[place]
    values = [
        of(correct[groups[name]], valid[groups[name]]) if name in groups else None for name in names
    ]
    yield from values
    defined = [value for value in values if value is not None]
    yield float(np.mean(defined)) if defined and len(defined) == len(values) else None
    if measure == "accuracy":
        yield accuracy(correct, found.groups, found.runs[place].epochs)
    else:
        yield of(correct, valid)


def _columns(measure: str, names: Sequence[str]) -> list[Column]:
    """The columns that `_measured` fills; those of accuracies of all items have an interval."""
    has_estimates = measure in {"accuracy", "difference"}
    return [
        *(Column(f"{measure}_{name}", name, Kind.PERCENT) for name in names),
        Column(f"{measure}_average", _("Average"), Kind.PERCENT),
        Column(measure, _("All items"), Kind.PERCENT, has_estimates=has_estimates),
    ]


def _printed(title: str, heads: Sequence[str], columns: Sequence[Column]) -> list[Part]:
    """Columns in as many parts as fit on a page, each with the columns that head the rows."""
    names = [column.name for column in columns]
    size = MOST_COLUMNS + 2
    return [
        Part(title, (*heads, *names[start : start + size])) for start in range(0, len(names), size)
    ]


def _titled(title: str, printed: Sequence[Part], note: str) -> tuple[Part, ...]:
    return tuple(
        part._replace(title=": ".join(filter(None, [title, part.title])), note=note)
        for part in printed
    )


def _categories(found: Comparison) -> dict[str, Flags]:
    return _named(dict(parts(found, lambda facts: facts.category)))


def _named(groups: Groups) -> dict[str, Flags]:
    return {name or "–": where for name, where in groups.items()}


def _people(found: Comparison) -> tuple[int, tuple[Cell, ...]] | None:
    """How many answers people gave to the shared items, and the row of their accuracies."""
    solved = human_answers(found.runs[0].release)
    counts = np.array([solved.get(item, (0, 0)) for item in found.items.tolist()])
    total, right = (int(number) for number in counts.sum(axis=0))
    if total < FEWEST_SOLVING_ANSWERS:
        return None
    values: list[float | None] = []
    for where in _categories(found).values():
        n, correct = (int(number) for number in counts[where].sum(axis=0))
        values.append(correct / n if n >= FEWEST_SOLVING_ANSWERS else None)
    defined = [value for value in values if value is not None]
    average = float(np.mean(defined)) if len(defined) == len(values) else None
    whole = estimate(right / total, wilson_interval(right, total), total)
    items = int((counts[:, 0] > 0).sum())
    return total, (_("People"), items, *values, average, whole)


def _style(found: Comparison, place: int) -> str:
    return str(found.runs[place].prompt_template.style)


def _parameter(value: object) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _note() -> str:
    return _("Average: the mean of the columns before it, each with the same weight.")
