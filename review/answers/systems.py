"""Gives the report what closed comparisons say: its table of translation systems, and the best texts."""

from dataclasses import replace

from projects.models import Project
from review.answers.queries import comparison_results, sole_best
from review.answers.tables import comparison_table
from review.enums import RoundKind, RoundState
from review.figures.labels import marked
from review.models import Round
from review.report.simulated import simulated_answers
from review.report.systems import BestTexts, ComparedSystems, declare_comparisons


def read_comparison(project: Project, as_of: int | None) -> ComparedSystems | None:
    """The latest closed comparison with an answer, up to round `as_of`."""
    latest = _latest(project, as_of)
    results = comparison_results(latest) if latest else None
    if results is None or not results.systems:
        return None
    table = marked(replace(comparison_table(results), name="systems"), results.simulated)
    rows = [{"round": results.round, **each} for each in results.systems_json()]
    return ComparedSystems(results.round, table, rows)


def read_best(project: Project, as_of: int | None) -> BestTexts | None:
    """Return the best text of each item of that comparison, and how many answers programs gave."""
    latest = _latest(project, as_of)
    return BestTexts(sole_best(latest), simulated_answers(latest)) if latest else None


def _latest(project: Project, as_of: int | None) -> Round | None:
    rounds = project.rounds.filter(
        kind=RoundKind.COMPARISON, state=RoundState.CLOSED, answered_count__gt=0
    )
    if as_of is not None:
        rounds = rounds.filter(number__lte=as_of)
    found: Round | None = rounds.select_related("project").order_by("-number").first()
    return found


declare_comparisons(read_comparison, read_best)
