"""What comparisons and solving rounds came to, as tables that all formats write."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from review.answer_queries import (
    ComparisonResults,
    SolvingResults,
    comparison_results,
    solving_results,
)
from review.enums import RoundKind
from review.labels import judges_text, missing_words, n_text, short_label
from review.models import Round
from review.report_formats import Cell, Column, Kind, Part, Table


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
        return comparison_table(results)
    return solving_table(results)


def comparison_table(results: ComparisonResults) -> Table:
    """One line a system: approval, ratings, rank, and how near it is to the approved texts."""
    columns = (
        Column("round", _("Round"), Kind.COUNT),
        Column("system", _("System")),
        Column("items_judged", _("Items"), Kind.COUNT),
        Column("approved", _("Approved"), Kind.COUNT),
        Column("approval_rate", _("Approval (%)"), Kind.PERCENT, has_estimates=True),
        *(
            Column(f"{each.name}_mean", short_label(each), Kind.RATING, has_estimates=True)
            for each in results.rated
        ),
        Column("ranked_first", _("Ranked first (%)"), Kind.PERCENT, has_estimates=True),
        Column("bleu", "BLEU", Kind.RATING, has_estimates=True),
        Column("chrf", "chrF++", Kind.RATING, has_estimates=True),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            results.round,
            each.system,
            each.items_judged,
            each.approved,
            *each.estimates.values(),
        )
        for each in results.systems
    )
    title = _("Translation systems compared without their names (%(items)s; %(judges)s)") % {
        "items": n_text(results.items),
        "judges": judges_text(results.panel_size, results.verdict_rule),
    }
    note = _(
        "Brackets show 95 %% intervals over items: Wilson for shares, percentile bootstrap for "
        "ratings, BLEU and chrF++. BLEU (%(bleu)s) and chrF++ (%(chrf)s) compare each system's "
        "text with the approved one, for the items that have one. A text that review began with "
        "is nearer to it than the others."
    ) % {**results.signatures}
    printed = tuple(c.name for c in columns if c.name not in ("round", "approved"))
    return Table(
        "comparison", title, columns, rows, missing_words(), note, (Part(title, printed, note),)
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
