"""What comparisons and solving rounds came to, as tables that all formats write."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from common.figure_tables import Cell, Column, Kind, Part, Table
from review.answers.costs import SystemCost
from review.answers.queries import (
    ComparisonResults,
    SolvingResults,
    comparison_results,
    solving_results,
)
from review.enums import RoundKind, Selection
from review.figures.labels import marked, missing_words, n_text, short_label
from review.models import Round
from review.report.labels import judges_text


def results_of(round_: Round) -> ComparisonResults | SolvingResults:
    """What a round came to that compares or solves."""
    if round_.kind == RoundKind.COMPARISON:
        return comparison_results(round_)
    return solving_results(round_)


def results_json(round_: Round) -> dict[str, Any]:
    """The results as the API, the command and JSON files give them."""
    return {"project": round_.project.slug, **results_of(round_).as_json()}


def results_stem(round_: Round) -> str:
    """What the names of files with the results begin with."""
    return f"{round_.project.slug}-round-{round_.number}-{round_.kind}"


def results_table(results: ComparisonResults | SolvingResults) -> Table:
    """The one table of a round that compares or solves."""
    if isinstance(results, ComparisonResults):
        return marked(comparison_table(results), results.simulated)
    return marked(solving_table(results), results.simulated)


def comparison_table(results: ComparisonResults) -> Table:
    """One line a system: approval, ratings, rank, and how near it is to the approved texts."""
    columns = _comparison_columns(results)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            results.round,
            each.system,
            each.items_judged,
            each.approved,
            *each.estimates.values(),
            *(_cost_cells(results.costs[each.system]) if results.costs else ()),
        )
        for each in results.systems
    )
    title = _(
        "Translation systems compared without their names (round %(round)s, %(selection)s; "
        "%(items)s; %(judges)s)"
    ) % {
        "round": results.round,
        "selection": Selection(results.selection).label,
        "items": n_text(results.items),
        "judges": judges_text(results.panel_size, results.verdict_rule),
    }
    note = _(
        "Brackets show 95 %% intervals over items: Wilson for shares, percentile bootstrap for "
        "ratings, BLEU and chrF++. BLEU (%(bleu)s) and chrF++ (%(chrf)s) compare each system's "
        "text with the approved one, for the items that have one. A text that review began with "
        "is nearer to it than the others. Texts that share the first place all count as first, so "
        "the shares of all systems can be more than 100 %% together."
    ) % {**results.signatures}
    costs = [each.name for each in _cost_columns()]
    left_out = ("round", "approved", *costs)
    printed = tuple(each.name for each in columns if each.name not in left_out)
    parts = [Part(title, printed, note)]
    if results.costs:
        parts.append(_cost_part(costs, results.round))
    return Table("comparison", title, columns, rows, missing_words(), note, tuple(parts))


def _cost_part(costs: Sequence[str], number: int) -> Part:
    """What each system took, beside its approval."""
    title = _("What the translation systems took, and what it buys (round %(round)s)")
    note = _(
        "Calls, tokens and price are of all translation jobs of the system so far, with repeated "
        "and failed calls. Approved items per dollar: the share of approved texts, divided by the "
        "price of one translated item. Approved items per expert hour: approved texts, divided by "
        "the time that experts spent on them and on the others of the system; the time of an "
        "answer is divided evenly among its texts. A dash stands where a price or a time was not "
        "measured, or no job made the texts."
    )
    printed = ("system", "items_judged", "approval_rate", *costs)
    return Part(title % {"round": number}, printed, note)


def _cost_columns() -> tuple[Column, ...]:
    return (
        Column("translated", _("Items translated"), Kind.COUNT),
        Column("calls", _("Calls"), Kind.COUNT),
        Column("prompt_tokens", _("Tokens of prompts"), Kind.COUNT),
        Column("completion_tokens", _("Tokens of answers"), Kind.COUNT),
        Column("price", _("Price ($)"), Kind.MONEY),
        Column("approved_per_dollar", _("Approved items per dollar"), Kind.RATING),
        Column("approved_per_hour", _("Approved items per expert hour"), Kind.RATING),
    )


def _cost_cells(cost: SystemCost) -> tuple[Cell, ...]:
    values = cost.as_json()
    if values["price"] is not None:
        values["price"] = float(values["price"])
    return tuple(values.values())


def _comparison_columns(results: ComparisonResults) -> tuple[Column, ...]:
    return (
        Column("round", _("Round"), Kind.COUNT),
        Column("system", _("System")),
        Column("items_judged", _("Items"), Kind.COUNT),
        Column("approved", _("Approved"), Kind.COUNT),
        Column("approval_rate", _("Approval (%)"), Kind.PERCENT, has_estimates=True),
        *(
            Column(f"{each.name}_mean", short_label(each), Kind.RATING, has_estimates=True)
            for each in results.rated
        ),
        Column(
            "ranked_first",
            _("First or tied for it (percent of rankings)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
        Column("bleu", "BLEU", Kind.RATING, has_estimates=True),
        Column("chrf", "chrF++", Kind.RATING, has_estimates=True),
        *(_cost_columns() if results.costs else ()),
    )


def solving_table(results: SolvingResults) -> Table:
    """One line a subject, and a last one for all of them."""
    columns = (
        Column("round", _("Round"), Kind.COUNT),
        Column("code", _("Code")),
        Column("subject", _("Subject")),
        Column("items", _("Items"), Kind.COUNT),
        Column("answers", _("Answers"), Kind.COUNT),
        Column("unsure", _("Cannot say"), Kind.COUNT),
        Column("accuracy", _("Expert accuracy (%)"), Kind.PERCENT, has_estimates=True),
        Column("majority", _("Majority right (%)"), Kind.PERCENT, has_estimates=True),
        Column("doubted", _("Key doubted"), Kind.COUNT),
    )
    rows = tuple(
        (
            results.round,
            each.code,
            each.name or _("All subjects"),
            each.items,
            each.answers,
            each.unsure,
            each.accuracy,
            each.majority,
            each.doubted,
        )
        for each in (*results.subjects, results.total)
    )
    title = ngettext(
        "Experts without the key (%(items)s; up to %(size)s answer each)",
        "Experts without the key (%(items)s; up to %(size)s answers each)",
        results.panel_size,
    ) % {"items": n_text(results.total.items), "size": results.panel_size}
    note = _(
        "Brackets show 95 %% Wilson intervals; that of the accuracy takes into account that "
        "several people answer one item. “Cannot say” counts as not right. Answers are compared "
        "with the keys as they are now; %(count)s of the keys were corrected since the round was "
        "opened."
    ) % {"count": results.corrected_keys}
    printed = tuple(c.name for c in columns if c.name not in ("round", "code"))
    return Table(
        "solving", title, columns, rows, missing_words(), note, (Part(title, printed, note),)
    )
