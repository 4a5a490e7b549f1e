"""The work of an analysis: read all answers, compute, and store figures and suggestions.

Only jobs and commands import this module: it needs statsmodels.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.utils import timezone

from annotation.enums import ItemKind
from evaluation.items.actions import store_figures
from evaluation.items.answers import (
    analysed_items,
    basis_of,
    finished_runs,
    methods_used,
    read_answers,
)
from evaluation.items.judging import Judged, Suggested, suggestions
from evaluation.models import ItemAnalysis, ItemFigure, ReviewSuggestion, Run
from jobs.models import Job
from jobs.progress import Progress
from languages.letters import letter_of, position_of
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from scoring.item_dif import DifResult, ItemDif, differential_items
from scoring.item_statistics import NONE, ItemStatistics, item_statistics

LAST_RANK = 1000.0
"""Where a list has what is undefined; no figure reaches it."""
Check = Callable[[], None]


def perform_analysis(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of an analysis job; return {release, items, runs, suggestions}.

    Nothing is stored before everything is computed, so a job that was killed begins anew.
    """
    analysis = ItemAnalysis.objects.select_related("release__project", "reference").get(
        release=job.params["release_id"]
    )
    return analyse(analysis, now=timezone.now(), check=progress.check)


def analyse(
    analysis: ItemAnalysis, *, now: datetime, check: Check = lambda: None
) -> dict[str, Any]:
    release = analysis.release
    basis = basis_of(release, analysis.reference)
    items, runs = analysed_items(release), list(finished_runs(release))
    columns = {placed.pk: place for place, placed in enumerate(items)}
    answers = read_answers(runs, columns, check=check)
    figures = item_statistics(answers, [_option_count(placed) for placed in items])
    facts = {
        "items": len(items),
        "runs": len(runs),
        "models": answers.model_count,
        "respondents": len(answers.runs),
        "methods": sorted({name for run in runs for name in methods_used(run)}),
    }
    by_place: dict[int, ItemDif] = {}
    if analysis.reference is not None:
        by_place, more = _compare(analysis.reference, items, runs, check)
        facts |= more
    judged = [
        Judged(found, _key_place(placed), by_place.get(place))
        for place, (placed, found) in enumerate(zip(items, figures, strict=True))
    ]
    suggested = [_suggestion(release, items, each, now) for each in suggestions(judged)]
    store_figures(
        analysis=analysis,
        figures=[
            _figure(analysis, placed, each.figures, each.dif)
            for placed, each in zip(items, judged, strict=True)
        ],
        suggested=suggested,
        basis=basis,
        facts=facts,
        now=now,
    )
    return {
        "release": release.version,
        "items": len(items),
        "runs": len(runs),
        "suggestions": len(suggested),
    }


def _compare(
    reference: Release, items: Sequence[ReleaseItem], runs: Sequence[Run], check: Check
) -> tuple[dict[int, ItemDif], dict[str, Any]]:
    """Compare the items that both releases have under the same uid, by models that ran on both."""
    places = {placed.uid: place for place, placed in enumerate(items)}
    shared = [placed for placed in analysed_items(reference) if placed.uid in places]
    theirs = list(finished_runs(reference))
    models = {run.model_spec.model for run in runs} & {run.model_spec.model for run in theirs}
    facts = {
        "reference": str(reference),
        "shared_items": len(shared),
        "shared_models": len(models),
        "reference_respondents": 0,
        "focal_respondents": 0,
    }
    if not shared or not models:
        return {}, facts
    source = read_answers(
        _of_models(theirs, models),
        {placed.pk: column for column, placed in enumerate(shared)},
        check=check,
    )
    target = read_answers(
        _of_models(runs, models),
        {items[places[placed.uid]].pk: column for column, placed in enumerate(shared)},
        check=check,
    )
    result: DifResult = differential_items(source, target, check=check)
    facts |= {
        "reference_respondents": len(source.runs),
        "focal_respondents": len(target.runs),
        "design_effect": round(result.design_effect, 3),
    }
    found = zip(shared, result.items, strict=True)
    return {places[placed.uid]: each for placed, each in found}, facts


def _of_models(runs: Sequence[Run], models: set[str]) -> list[Run]:
    return [run for run in runs if run.model_spec.model in models]


def _option_count(placed: ReleaseItem) -> int:
    return len(placed.options) if placed.kind == ItemKind.CHOICE else 0


def _key_place(placed: ReleaseItem) -> int | None:
    return position_of(placed.key) if placed.kind == ItemKind.CHOICE else None


def _figure(
    analysis: ItemAnalysis, placed: ReleaseItem, found: ItemStatistics, dif: ItemDif | None
) -> ItemFigure:
    delta = None if dif is None else dif.delta if dif.delta is not None else dif.logistic_delta
    choice = found.strong_choice
    return ItemFigure(
        analysis=analysis,
        placed=placed,
        position=placed.position,
        is_hidden=placed.subset == Subset.BLACK_BOX,
        answers=found.answers,
        model_count=found.models,
        difficulty=found.difficulty,
        discrimination=found.discrimination,
        chosen=_rounded(found.chosen),
        strong_chosen=_rounded(found.strong_chosen),
        strong=found.strong,
        strong_choice="" if choice == NONE else letter_of(choice),
        strong_agree=found.strong_agree,
        epoch_runs=found.epoch_runs,
        epoch_flips=found.epoch_flips,
        prompt_spread=found.prompt_spread,
        dif={} if dif is None else asdict(dif),
        difficulty_rank=_rank(found.difficulty),
        discrimination_rank=_rank(found.discrimination),
        dif_rank=_rank(delta),
    )


def _rank(value: float | None) -> float:
    return LAST_RANK if value is None else value


def _rounded(shares: Sequence[float]) -> list[float]:
    return [round(share, 4) for share in shares]


def _suggestion(
    release: Release, items: Sequence[ReleaseItem], made: Suggested, now: datetime
) -> ReviewSuggestion:
    placed = items[made.place]
    evidence = dict(made.evidence)
    for name in ("option", "key"):
        if name in evidence:
            evidence[name] = letter_of(evidence[name])
    return ReviewSuggestion(
        project=release.project,
        release=release,
        placed=placed,
        item_id=placed.item_id,
        revision_id=placed.revision_id,
        kind=made.kind,
        strength=made.strength,
        evidence=evidence,
        created_at=now,
    )
