"""The table of BLEU and chrF++ of a run, which all formats write."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from common.estimates import Estimate, Undefined
from common.figure_tables import Cell, Column, Kind, Part, Table, as_json
from evaluation.models import Run
from evaluation.translation.queries import TranslationFigures, translation_figures
from languages import get_language
from review.figures.labels import missing_words
from scoring.overlap import Scored, bleu_signature, signatures

NAME = "translations"


def translation_table(run: Run) -> Table:
    """The scores of all items, of each direction and of each domain; no row without an answer."""
    figures = translation_figures(run)
    columns = (
        Column("level", _("Level")),
        Column("group", _("Items")),
        Column("n", _("n"), Kind.COUNT),
        Column("left_out", _("Without an answer"), Kind.COUNT),
        Column("answers", _("Answers"), Kind.COUNT),
        Column("empty", _("Empty answers"), Kind.COUNT),
        Column("bleu", "BLEU", Kind.RATING, has_estimates=True),
        Column("chrf", "chrF++", Kind.RATING, has_estimates=True),
        *signature_columns(),
    )
    title = _("Translations of %(model)s") % {"model": run.model_spec.name}
    segmenters = sorted({name for each in figures for name in each.segmenters})
    note = f"{note_text()} {signature_text(segmenters)}" if figures else ""
    shown = ("group", "n", "left_out", "empty", "bleu", "chrf")
    return Table(
        NAME,
        title,
        columns,
        tuple(map(_row, figures)),
        missing_words(),
        note,
        (Part(title, shown, note),),
    )


def translation_rows(run: Run) -> list[dict[str, Any]]:
    """Return the rows of the table as JSON; none for a run that asks for no translations."""
    rows: list[dict[str, Any]] = as_json(translation_table(run))["rows"]
    return rows


def group_text(figures: TranslationFigures) -> str:
    """What a row is about."""
    return _("all") if figures.level == "all" else figures.name


def estimate_of(score: Scored | None, used: int) -> Estimate:
    """Return a score as tables take it; the unanswered items stand in a column of their own.

    Items without a score are those whose texts were cut differently.
    """
    if score is None:
        reason = Undefined.SEGMENTERS_DIFFER if used else Undefined.NO_ITEMS
        return Estimate(None, None, None, used, 0, reason)
    is_alone = used < 2
    return Estimate(
        score.value, None if is_alone else score.low, None if is_alone else score.high, used, 0
    )


def signature_columns() -> tuple[Column, ...]:
    """Return the columns of CSV and JSON with what was counted, by what and in which version."""
    return (
        Column("bleu_signature", _("Signature of BLEU")),
        Column("chrf_signature", _("Signature of chrF++")),
    )


def signature_cells(segmenters: Iterable[str]) -> tuple[str, str]:
    """Return their cells; texts into several languages have several signatures of BLEU."""
    found = [bleu_signature(name) for name in segmenters]
    return "; ".join(found), chrf_signature() if found else ""


def chrf_signature() -> str:
    """Return the signature of chrF++, which cuts no text by its language."""
    return signatures(get_language("en"))["chrf"]


def signature_text(segmenters: Sequence[str]) -> str:
    """Say the signatures below a table."""
    bleu, chrf = signature_cells(segmenters)
    return _("BLEU: %(bleu)s. chrF++: %(chrf)s.") % {"bleu": bleu, "chrf": chrf}


def note_text() -> str:
    """Say what the figures count, and what they cannot say."""
    return _(
        "Scores of the corpus from 0 to 100, with intervals (95 %) of 1,000 bootstrap draws over items. "
        "An empty answer counts as an empty translation. Items without an answer from the endpoint "
        "are left out. Scores of different directions cannot be compared with each other."
    )


def _row(figures: TranslationFigures) -> tuple[Cell, ...]:
    return (
        figures.level,
        group_text(figures),
        figures.items,
        figures.left_out,
        figures.answers,
        figures.empty,
        estimate_of(figures.scores.bleu, figures.items),
        estimate_of(figures.scores.chrf, figures.items),
        *signature_cells(figures.segmenters),
    )
