"""What the pages of item analysis show beside the rows themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.enums import ItemKind
from common.charts import Bar, BarChart, horizontal_bars
from evaluation.items.answers import methods_used
from evaluation.items.json_values import has_changed
from evaluation.items.labels import evidence_text
from evaluation.models import ItemFigure, ReviewSuggestion, Run, Score
from languages.letters import letter_of

HUNDRED = 100.0
MOST_ANSWERS = 200
MOST_RUNS = 50


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option with its share over all models and over the strong ones, between 0 and 1."""

    letter: str
    text: str
    is_key: bool
    share: float | None
    strong_share: float | None


@dataclass(frozen=True, slots=True)
class SuggestionRow:
    suggestion: ReviewSuggestion
    text: str
    has_changed: bool


def option_rows(figure: ItemFigure) -> list[OptionRow]:
    """The options of the released item; none where a number answers it."""
    placed = figure.placed
    if placed.kind != ItemKind.CHOICE:
        return []
    return [
        OptionRow(
            letter=letter_of(place),
            text=text,
            is_key=letter_of(place) == placed.key,
            share=_at(figure.chosen, place),
            strong_share=_at(figure.strong_chosen, place),
        )
        for place, text in enumerate(placed.options)
    ]


def option_chart(rows: Sequence[OptionRow]) -> BarChart | None:
    """How often strong models choose each option, as bars in per cent."""
    if not any(row.strong_share is not None for row in rows):
        return None
    bars = [
        Bar(row.letter, None if row.strong_share is None else HUNDRED * row.strong_share)
        for row in rows
    ]
    return horizontal_bars(bars, maximum=HUNDRED, unit="%")


def answers_to(figure: ItemFigure, runs: Sequence[Run]) -> list[Score]:
    """The answers of the newest MOST_RUNS runs to the item, at most MOST_ANSWERS."""
    by_run = {run.pk: run for run in runs[:MOST_RUNS]}
    methods = {run.pk: methods_used(run) for run in by_run.values()}
    rows = Score.objects.filter(
        response__release_item=figure.placed_id,
        run__in=by_run,
        method__in={name for used in methods.values() for name in used},
    )
    rows = rows.select_related("response").order_by("-run", "response__epoch", "pk")
    found = [
        row for row in rows[:MOST_ANSWERS] if methods[row.run_id].get(row.method) == row.version
    ]
    for row in found:
        row.run = by_run[row.run_id]
    return found


def suggestion_rows(suggestions: Sequence[ReviewSuggestion]) -> list[SuggestionRow]:
    return [
        SuggestionRow(each, evidence_text(each.kind, each.evidence), has_changed(each))
        for each in suggestions
    ]


def _at(shares: Sequence[float], place: int) -> float | None:
    return shares[place] if place < len(shares) else None
