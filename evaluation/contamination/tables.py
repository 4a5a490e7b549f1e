"""The tables of a Min-k % test, which all formats write."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from common.estimates import Estimate, Undefined
from common.figure_tables import Column, Kind, Table
from common.intervals import Interval
from evaluation.contamination.queries import (
    FEWEST_OF_SUBJECT,
    SUBJECT_PERCENT,
    Measured,
    MinKFigures,
    measured_texts,
    min_k_figures,
)
from evaluation.models import MinKTest
from review.figures.labels import missing_words
from scoring.min_k import PERCENTS


def min_k_tables(test: MinKTest) -> list[Table]:
    """The comparison, that by subject, and the values of each text."""
    figures = min_k_figures(test)
    return [
        comparison_table(test, figures),
        subjects_table(figures),
        texts_table(measured_texts(test)),
    ]


def comparison_table(test: MinKTest, figures: MinKFigures) -> Table:
    """Min-k % of items and controls for each k, with their difference and the area under the ROC."""
    rows = tuple(
        (
            f"{percent} %",
            each.pairs,
            each.items,
            each.controls,
            _estimate(each.difference, each.interval, each.pairs),
            _estimate(each.auroc, each.auroc_interval, each.pairs),
        )
        for percent, each in figures.comparisons.items()
    )
    columns = (
        Column("k", "k"),
        Column("pairs", _("Pairs compared"), Kind.COUNT),
        Column("items", _("Items, mean"), Kind.RATING),
        Column("controls", _("Controls, mean"), Kind.RATING),
        Column("difference", _("Items minus controls"), Kind.RATING, has_estimates=True),
        Column("auroc", "AUROC", Kind.AGREEMENT, has_estimates=True),
    )
    title = _("Min-k %% of %(model)s") % {"model": test.run.model_spec.name}
    return Table("min-k", title, columns, rows, missing_words(), note_text())


def subjects_table(figures: MinKFigures) -> Table:
    """Items of each subject beside their controls; nothing but their number where they are few."""
    rows = tuple(
        (
            each.subject,
            each.pairs,
            _estimate(each.comparison.difference, each.comparison.interval, each.pairs),
            _estimate(each.comparison.auroc, each.comparison.auroc_interval, each.pairs),
        )
        if each.comparison
        else (each.subject, each.pairs, _too_few(each.pairs), _too_few(each.pairs))
        for each in figures.subjects
    )
    columns = (
        Column("subject", _("Subject")),
        Column("pairs", _("Pairs compared"), Kind.COUNT),
        Column("difference", _("Items minus controls"), Kind.RATING, has_estimates=True),
        Column("auroc", "AUROC", Kind.AGREEMENT, has_estimates=True),
    )
    title = _("By subject, k = %(percent)s %%") % {"percent": SUBJECT_PERCENT}
    note = _(
        "Each interval is for its subject alone: of twenty subjects without a difference, about one "
        "has an interval without 0 by chance. Subjects with fewer than %(least)s pairs have no figures."
    )
    note %= {"least": FEWEST_OF_SUBJECT}
    return Table("min-k-subjects", title, columns, rows, missing_words(), note)


def texts_table(texts: Sequence[Measured]) -> Table:
    """The values of each text, for programs."""
    rows = tuple(
        (
            each.pair, _("control") if each.is_control else _("item"), each.uid, each.tokens,
            *(each.values or [None] * len(PERCENTS)),
        )
        for each in texts
    )  # fmt: skip
    columns = (
        Column("pair", _("Pair"), Kind.COUNT),
        Column("text", _("Text")),
        Column("uid", _("Item")),
        Column("tokens", _("Tokens"), Kind.COUNT),
        *(Column(f"min_k_{percent}", f"{percent} %", Kind.RATING) for percent in PERCENTS),
    )
    return Table("min-k-texts", _("Texts"), columns, rows, missing_words())


def note_text() -> str:
    """What the figures can say, and what they cannot."""
    return _(
        "Min-k %: the mean log-probability of the least likely k per cent of the tokens of question "
        "and options, and of control texts of like length. Values above those of the controls (AUROC above 0.5) "
        "say that the model finds the items less surprising. It may have been trained on them; but "
        "plainer or more common texts look the same, so choose controls of the same kind that it "
        "cannot have seen. No difference does not show that it has not seen the items. No single "
        "item can be judged by its value."
    )


def _too_few(pairs: int) -> Estimate:
    return Estimate(None, None, None, pairs, 0, Undefined.TOO_FEW_ITEMS)


def _estimate(value: float, interval: Interval | None, n: int) -> Estimate:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Estimate(value, low, high, n, 0)
