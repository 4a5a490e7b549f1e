"""The tables of a comparison of translations: scores side by side, and pairs by paired bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from common.figure_tables import Cell, Column, Kind, Part, Table
from evaluation.comparisons.queries import Comparison
from evaluation.comparisons.tables import comparison_table, run_labels
from evaluation.comparisons.titles import table_label
from evaluation.translation.queries import are_cut_differently, kept_draws, segmenters_of
from evaluation.translation.tables import (
    estimate_of,
    signature_cells,
    signature_columns,
    signature_text,
)
from scoring.overlap import PairedScores, compare_scores, score_of
from scoring.pairs import holm

Places = npt.NDArray[np.int64]


class _Pair(NamedTuple):
    """Two runs on some items; without BLEU if their texts were cut differently."""

    group: str
    labels: tuple[str, str]
    n: int
    segmenters: Sequence[str]
    bleu: PairedScores | None
    chrf: PairedScores


def translations_table(found: Comparison) -> Table:
    """BLEU and chrF++ of each run on the items that all share, over all and by direction."""
    labels = run_labels(found.runs)
    rows: list[tuple[Cell, ...]] = []
    for group, places in _groups(found):
        counted = [run.at(places) for run in found.translations]
        has_bleu = not are_cut_differently(*counted)
        for label, texts in zip(labels, counted, strict=True):
            drawn = kept_draws(texts.counts)
            rows.append((
                group,
                label,
                len(places),
                int(texts.empty.sum()),
                estimate_of(score_of(drawn.bleu) if has_bleu else None, len(places)),
                estimate_of(score_of(drawn.chrf), len(places)),
                *signature_cells(segmenters_of(texts)),
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
    words = _adjusted([each.bleu for each in compared])
    letters = _adjusted([each.chrf for each in compared])
    rows = [
        (
            each.group,
            *each.labels,
            each.n,
            *_pair_cells(each.bleu, each.n, of_words),
            *_pair_cells(each.chrf, each.n, of_letters),
            *signature_cells(each.segmenters),
        )
        for each, of_words, of_letters in zip(compared, words, letters, strict=True)
    ]
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


def _pairs(found: Comparison) -> Iterator[_Pair]:
    """Each group of items and pair of runs; the draws of a group are the same for all runs."""
    labels = run_labels(found.runs)
    for group, places in _groups(found):
        counted = [run.at(places) for run in found.translations]
        drawn = [kept_draws(texts.counts) for texts in counted]
        for a, b in combinations(range(len(labels)), 2):
            both = counted[a], counted[b]
            words = compare_scores(drawn[a].bleu, drawn[b].bleu)
            yield _Pair(
                group=group,
                labels=(labels[a], labels[b]),
                n=len(places),
                segmenters=segmenters_of(*both),
                bleu=None if are_cut_differently(*both) else words,
                chrf=compare_scores(drawn[a].chrf, drawn[b].chrf),
            )


def _adjusted(pairs: Sequence[PairedScores | None]) -> list[float | None]:
    adjusted = iter(holm([pair.p for pair in pairs if pair]))
    return [next(adjusted) if pair else None for pair in pairs]


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


def _pair_cells(pair: PairedScores | None, n: int, adjusted: float | None) -> tuple[Cell, ...]:
    if pair is None:
        return None, None, estimate_of(None, n), None, None
    difference = estimate_of(pair.difference, n)
    return pair.first, pair.second, difference, pair.p, adjusted


def _note(found: Comparison) -> str:
    words = _(
        "An empty answer counts as an empty translation. Each run is compared with the references of its "
        "own release."
    )
    return f"{words} {signature_text(segmenters_of(*found.translations))}"


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
