"""The tables of a comparison of translations: scores side by side, and pairs by paired bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from common.figure_tables import Cell, Column, Kind, Part, Table
from evaluation.comparisons.queries import Comparison
from evaluation.comparisons.tables import comparison_table, run_labels
from evaluation.comparisons.titles import table_label
from evaluation.translation.queries import Counted, kept_draws
from evaluation.translation.tables import (
    estimate_of,
    signature_cells,
    signature_columns,
    signature_text,
)
from scoring.overlap import PairedScores, compare_scores, score_of
from scoring.pairs import holm

Places = npt.NDArray[np.int64]


def translations_table(found: Comparison) -> Table:
    """BLEU and chrF++ of each run on the items that all share, over all and by direction."""
    labels = run_labels(found.runs)
    rows: list[tuple[Cell, ...]] = []
    for group, places in _groups(found):
        for label, run in zip(labels, found.translations, strict=True):
            counted = run.at(places)
            rows.append((
                group,
                label,
                len(places),
                int(counted.empty.sum()),
                *(estimate_of(score_of(each), len(places)) for each in kept_draws(counted.counts)),
                *signature_cells(_segmenters(counted)),
            ))  # fmt: skip
    columns = (
        Column("group", _("Items")),
        Column("run", _("Run")),
        Column("n", _("n"), Kind.COUNT),
        Column("empty", _("Empty answers"), Kind.COUNT),
        Column("bleu", "BLEU", Kind.RATING, has_estimates=True),
        Column("chrf", "chrF++", Kind.RATING, has_estimates=True),
        *signature_columns(),
    )
    return _table(found, "translations", columns, rows, _note(found))


def translation_pairs_table(found: Comparison) -> Table:
    """Every pair of runs, over all and by direction, with p values adjusted for all rows."""
    compared = list(_pairs(found))
    adjusted = [holm([pair[at].p for *_of, pair in compared]) for at in range(2)]
    rows: list[tuple[Cell, ...]] = []
    for number, (group, places, first, second, pair) in enumerate(compared):
        rows.append((
            group,
            first,
            second,
            len(places),
            *_pair_cells(pair[0], len(places), adjusted[0][number]),
            *_pair_cells(pair[1], len(places), adjusted[1][number]),
            *signature_cells(_segmenters(found.translations[0].at(places))),
        ))  # fmt: skip
    columns = (
        Column("group", _("Items")),
        Column("first", _("First")),
        Column("second", _("Second")),
        Column("n", _("n"), Kind.COUNT),
        *_pair_columns("bleu", "BLEU"),
        *_pair_columns("chrf", "chrF++"),
        *signature_columns(),
    )
    note = _(
        "Difference: first minus second, with an interval (95 %) of 1,000 draws of the same items of "
        "both runs (paired bootstrap). p: how probable a difference of this size, either way, is if both "
        "runs translate equally well. Holm: adjusted for all rows of the table."
    )
    return _table(found, "translation-pairs", columns, rows, f"{note} {_note(found)}")


def _groups(found: Comparison) -> Iterator[tuple[str, Places]]:
    """All items, and those of each direction where there are several."""
    yield _("all"), np.arange(len(found.items))
    yield from found.translations[0].by_direction()


def _pairs(
    found: Comparison,
) -> Iterator[tuple[str, Places, str, str, tuple[PairedScores, PairedScores]]]:
    """Each group of items and pair of runs; the draws of a group are the same for all runs."""
    labels = run_labels(found.runs)
    for group, places in _groups(found):
        drawn = [kept_draws(run.at(places).counts) for run in found.translations]
        for a, b in combinations(range(len(labels)), 2):
            pair = (
                compare_scores(drawn[a].bleu, drawn[b].bleu),
                compare_scores(drawn[a].chrf, drawn[b].chrf),
            )
            yield group, places, labels[a], labels[b], pair


def _segmenters(counted: Counted) -> list[str]:
    names: list[str] = np.unique(counted.segmenters).tolist()
    return names


def _pair_columns(name: str, heading: str) -> tuple[Column, ...]:
    return (
        Column(f"{name}_first", _("%(metric)s, first") % {"metric": heading}, Kind.RATING),
        Column(f"{name}_second", _("%(metric)s, second") % {"metric": heading}, Kind.RATING),
        Column(
            f"{name}_difference",
            _("%(metric)s, difference") % {"metric": heading},
            Kind.RATING,
            has_estimates=True,
        ),
        Column(f"{name}_p", "p", Kind.PROBABILITY),
        Column(f"{name}_p_holm", _("p, Holm"), Kind.PROBABILITY),
    )


def _pair_cells(pair: PairedScores, n: int, adjusted: float) -> tuple[Cell, ...]:
    difference = estimate_of(pair.difference, n)
    return pair.first, pair.second, difference, pair.p, adjusted


def _note(found: Comparison) -> str:
    words = _(
        "An empty answer counts as an empty translation. Each run is compared with the references of its "
        "own release."
    )
    return f"{words} {signature_text(_segmenters(found.translations[0]))}"


def _table(
    found: Comparison,
    name: str,
    columns: tuple[Column, ...],
    rows: Sequence[tuple[Cell, ...]],
    note: str,
) -> Table:
    """Return the table; signatures are printed once, in the note below."""
    table = comparison_table(found, name, table_label(name), columns, rows, note)
    shown = tuple(column.name for column in columns[:-2])
    return replace(table, parts=(Part(table.title, shown, table.note),))
