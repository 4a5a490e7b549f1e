"""The table of candidates in words: how often experts chose the text that a strategy ranked first."""

from django.utils.translation import gettext as _

from common.figure_tables import Cell, Column, Kind, Part, Table
from review.figures.labels import missing_words
from review.report.candidates import CandidateFigures, Choice, Left
from review.report.rows import Report


def candidates_table(report: Report) -> Table:
    """One line for each system and each way in which experts chose a text."""
    most = max((len(each.ranks) for each in report.candidates), default=0)
    columns = (
        Column("system", _("System")),
        Column("choice", _("Choice")),
        Column("chosen", _("Chosen text")),
        Column("translated", _("Items translated"), Kind.COUNT),
        Column("decided", _("Items with such a choice"), Kind.COUNT),
        Column("first", _("Ranked first (%)"), Kind.PERCENT, has_estimates=True),
        Column("chance", _("By chance (%)"), Kind.PERCENT),
        *(
            Column(f"rank_{rank}", _("Rank %(n)s") % {"n": rank}, Kind.COUNT)
            for rank in range(1, most + 1)
        ),
        Column("unranked", _("No ranks"), Kind.COUNT),
        Column("alike", _("One candidate"), Kind.COUNT),
        Column("tied", _("Equally near"), Kind.COUNT),
    )
    title = _("Ranks of candidates against the texts that experts chose")
    printed = tuple(column.name for column in columns if column.name != "choice")
    rows = tuple(_cells(each, most) for each in report.candidates)
    parts = (Part(title, printed, _note()),)
    return Table("candidates", title, columns, rows, missing_words(), parts=parts)


def _cells(figures: CandidateFigures, most: int) -> tuple[Cell, ...]:
    empty = (None,) * (most - len(figures.ranks))
    return (
        figures.system,
        str(figures.choice),
        _chosen(figures.choice),
        figures.translated,
        figures.decided,
        figures.first,
        figures.chance,
        *figures.ranks,
        *empty,
        *(figures.left_out.get(reason, 0) for reason in Left),
    )


def _chosen(choice: Choice) -> str:
    return {
        Choice.APPROVED: _("approved as it stood"),
        Choice.REVISED: _("revised"),
        Choice.COMPARED: _("best in the comparison"),
    }[choice]


def _note() -> str:
    return (
        _(
            "The candidate that is the same as the chosen text, or else most like it, counts as chosen. "
            "Texts that were approved as they stood favour the first rank, because reviewers saw only "
            "that candidate. Left out: items without ranks (fuse gives none), with one candidate or "
            "equal ones, and with several that are equally near. Dev items and excluded items do not "
            "count. Brackets show 95 %% intervals (Wilson)."
        )
        % {}
    )
