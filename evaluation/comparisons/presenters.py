"""Tables of comparisons as pictures."""

from common.charts import Bar, BarChart, horizontal_bars
from common.estimates import Estimate
from common.figure_tables import Table

HUNDRED = 100
MOST_BARS = 30
MEASURE = "accuracy"


def accuracy_chart(table: Table) -> BarChart | None:
    """The accuracies of a table with their intervals as bars, if it has some, and not too many."""
    names = [column.name for column in table.columns]
    if MEASURE not in names or not 0 < len(table.rows) <= MOST_BARS:
        return None
    place = names.index(MEASURE)
    bars = [
        _bar(" · ".join(cell for cell in row if isinstance(cell, str)), cell)
        for row in table.rows
        if isinstance(cell := row[place], Estimate)
    ]
    return horizontal_bars(bars, maximum=HUNDRED, unit="%") if bars else None


def _bar(label: str, estimate: Estimate) -> Bar:
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (None if end is None else HUNDRED * end for end in ends)
    return Bar(label, value, low, high)
