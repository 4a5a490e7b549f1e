"""Gives the report its table of translation systems where a comparison has been closed."""

from dataclasses import replace

from projects.models import Project
from review.answers.queries import comparison_results
from review.answers.tables import comparison_table
from review.enums import RoundKind, RoundState
from review.figures.labels import marked
from review.report.systems import ComparedSystems, declare_comparisons


def read_comparison(project: Project, as_of: int | None) -> ComparedSystems | None:
    """The latest closed comparison with an answer, up to round `as_of`."""
    rounds = project.rounds.filter(
        kind=RoundKind.COMPARISON, state=RoundState.CLOSED, answered_count__gt=0
    )
    if as_of is not None:
        rounds = rounds.filter(number__lte=as_of)
    latest = rounds.select_related("project").order_by("-number").first()
    results = comparison_results(latest) if latest else None
    if results is None or not results.systems:
        return None
    table = marked(replace(comparison_table(results), name="systems"), results.simulated)
    rows = [{"round": results.round, **each} for each in results.systems_json()]
    return ComparedSystems(results.round, table, rows)


declare_comparisons(read_comparison)
