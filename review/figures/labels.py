"""Labels for counts, missing values and undefined statistics, in the user's language."""

from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.estimates import NoInterval, Undefined
from common.figure_tables import Column, Kind, Table, Words
from projects.criteria import Criterion
from review.figures.stages import LEAST_ITEMS


def n_text(items: int) -> str:
    """The number of items as the title of a table gives it."""
    return ngettext("n = %(items)s item", "n = %(items)s items", items) % {"items": items}


def short_label(criterion: Criterion) -> str:
    """The label as the heading of a column."""
    return _(criterion.short_label)


def undefined_text(reason: Undefined) -> str:
    return {
        Undefined.NO_ITEMS: _("no items yet"),
        Undefined.NOTHING_TO_COMPARE: _("not defined: no item has enough judgements"),
        Undefined.TOO_FEW_ITEMS: _("too few items (fewer than %(least)s)") % {"least": LEAST_ITEMS},
        Undefined.NO_VARIATION: _("not defined: everyone gave the same answer"),
        Undefined.SEGMENTERS_DIFFER: _("no BLEU: different segmenters cut these texts"),
    }[reason]


def no_interval_text(reason: NoInterval) -> str:
    return {
        NoInterval.TOO_LITTLE_DISAGREEMENT: _("not enough disagreement to tell"),
        NoInterval.ALL_THE_SAME: _("no interval: the same for all items"),
    }[reason]


def missing_words() -> Words:
    """Why tables have no value or no interval somewhere."""
    return Words(
        undefined={reason: undefined_text(reason) for reason in Undefined},
        no_interval={reason: no_interval_text(reason) for reason in NoInterval},
        left_out=_("n = %(used)d, %(left_out)d left out"),
    )


def simulated_text(count: int) -> str:
    """What stands beside figures of which programs gave some."""
    return ngettext(
        "simulated: not reviewed by people; a program gave %(count)s judgement",
        "simulated: not reviewed by people; a program gave %(count)s judgements",
        count,
    ) % {"count": count}


def marked(table: Table, simulated: int) -> Table:
    """The table with what programs gave in every title, and in a column of its CSV file."""
    if not simulated:
        return table
    column = Column("simulated_judgements", _("Simulated judgements"), Kind.COUNT)
    said = simulated_text(simulated)
    return replace(
        table,
        title=f"{table.title} ({said})",
        columns=(*table.columns, column),
        rows=tuple((*row, simulated) for row in table.rows),
        parts=tuple(part._replace(title=f"{part.title} ({said})") for part in table.parts),
    )
