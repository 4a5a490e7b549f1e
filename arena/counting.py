"""The figures of an arena as the page, the API and the command show them, counted in its job.

Rates are in percent. People's verdicts come in as signs, so that sizes of wins don't matter.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from arena.figures import (
    Agreement,
    Rate,
    Standing,
    agreement,
    in_both_orders,
    judges_correlation,
    majority,
    self_preference,
    standings,
    steadiness,
    verdict_of_judge,
)
from arena.models import Arena, Contestant, Judge
from arena.queries import (
    answer_texts,
    contestants_of,
    games_of,
    human_scores,
    judges_of,
    simulated_verdicts,
    unreadable_counts,
)
from arena.rates import Game, points
from arena.strength import Compared, Fit, fit_strengths
from arena.style import FEATURES, difference, style_of
from common.batches import batched
from common.names import fold_name

FEWEST_COMPARED: Final = 10
"""A judge is left out for disagreeing only after so many battles that people have decided."""

CHUNK: Final = 500
Meeting = tuple[int, int, int]
Scores = Mapping[Meeting, Mapping[int, int]]


def count_arena(arena: Arena) -> dict[str, Any]:
    """Return all figures of an arena as JSON. It reads every verdict and takes seconds."""
    contestants, judges, games = contestants_of(arena), judges_of(arena), games_of(arena)
    both, humans = in_both_orders(games), human_scores(arena)
    agreed = {judge.pk: _with_people(judge.pk, both, humans) for judge in judges}
    used = [
        judge.pk
        for judge in judges
        if not (judge.left_out_reason or _is_left_out(agreed[judge.pk], arena.bound))
    ]
    baseline = next((each.pk for each in contestants if each.is_baseline), None)
    every = [each.pk for each in contestants]
    found = standings(both, contestants=every, judges=used, baseline=baseline, seed=arena.seed)
    fit = _fit(arena, contestants, [game for game in both if game.judge in used])
    return {
        "verdicts": len(games),
        "contestants": [_standing_json(each, contestants, judges, fit) for each in found],
        "without_verdicts": _without_verdicts(contestants, found),
        "unmet_pairs": 0 if baseline is not None else _unmet_pairs(found, both, used),
        "reference": _reference(contestants, fit),
        "styles": dict(zip(FEATURES, fit.styles, strict=True)) if fit and fit.styles else {},
        "judges": _judges_json(arena, judges, contestants, games, agreed, used),
        "correlations": _correlations(arena, judges, every, both, baseline),
        "people": _people_json(humans, simulated_verdicts(arena)),
        "bound": arena.bound,
    }


def _unmet_pairs(found: Sequence[Standing], games: Iterable[Game], used: Sequence[int]) -> int:
    """Return how many pairs of the ranked no judge compared that counts."""
    met = {
        frozenset((game.first, game.second))
        for game in games
        if game.judge in used and not game.is_own
    }
    return math.comb(len(found), 2) - len(met)


def _with_people(judge: int, games: Iterable[Game], humans: Scores) -> Agreement:
    """Compare a judge with what most people said, on battles that two or more people judged."""
    scores: dict[Meeting, list[int]] = defaultdict(list)
    for game in games:
        if game.judge == judge and not game.is_own:
            scores[game.question, game.first, game.second].append(game.score)
    pairs = []
    for meeting, said in humans.items():
        decided = majority(list(said.values())) if len(said) > 1 else None
        if decided is not None and meeting in scores:
            pairs.append((verdict_of_judge(scores[meeting]), decided))
    return agreement(pairs)


def _is_left_out(agreed: Agreement, bound: float) -> bool:
    if agreed.share is None or agreed.battles < FEWEST_COMPARED:
        return False
    return agreed.share < bound


def _fit(arena: Arena, contestants: Sequence[Contestant], games: Sequence[Game]) -> Fit | None:
    """Fit strengths; style is held equal where every battle has both answers."""
    counted = [game for game in games if not game.is_own]
    if not counted:
        return None
    styles = {} if arena.is_imported else _styles(arena)
    met = {each for game in counted for each in (game.first, game.second)}
    taking_part = [each for each in contestants if each.pk in met]
    reference = next((each.pk for each in taking_part if each.is_baseline), taking_part[0].pk)
    compared = [
        Compared(
            game.question, game.first, game.second, points(game.score),
            styles.get((game.question, game.first, game.second), ()),
        )
        for game in counted
    ]  # fmt: skip
    every = [each.pk for each in taking_part]
    return fit_strengths(compared, contestants=every, reference=reference, seed=arena.seed)


def _styles(arena: Arena) -> dict[Meeting, tuple[float, ...]]:
    found: dict[Meeting, tuple[float, ...]] = {}
    rows = arena.battles.select_related("first", "second").order_by("pk")
    for battles in batched(rows.iterator(chunk_size=CHUNK), CHUNK):
        texts = answer_texts(battles)
        for each in battles:
            item = each.release_item_id
            sides = (each.first.run_id, each.second.run_id)
            first, second = (style_of(texts.get((item, run or 0), "")) for run in sides)
            found[item, each.first_id, each.second_id] = difference(first, second)
    return found


def _standing_json(
    standing: Standing, contestants: Sequence[Contestant], judges: Sequence[Judge], fit: Fit | None
) -> dict[str, Any]:
    contestant = next(each for each in contestants if each.pk == standing.contestant)
    names = {judge.pk: judge.name for judge in judges}
    strengths = {each.contestant: each for each in fit.strengths} if fit else {}
    strength = strengths.get(contestant.pk)
    return {
        "name": contestant.name,
        "family": contestant.family,
        "is_baseline": contestant.is_baseline,
        "best_rank": standing.best_rank,
        "worst_rank": standing.worst_rank,
        "rate": _rate_json(standing.rate),
        "weighted": round(standing.weighted, 2),
        "gap": None if standing.gap is None else round(standing.gap, 2),
        "by_judge": {names[pk]: _rate_json(rate) for pk, rate in standing.by_judge.items()},
        "strength": None
        if strength is None
        else [round(value, 2) for value in (strength.rate, strength.low, strength.high)],
    }


def _reference(contestants: Sequence[Contestant], fit: Fit | None) -> str:
    """Return the name of the contestant against which the others have a rate at equal style."""
    reference = fit.reference if fit else None
    return next((each.name for each in contestants if each.pk == reference), "")


def _without_verdicts(contestants: Sequence[Contestant], found: Sequence[Standing]) -> list[str]:
    """Return the names of those who are not ranked because no verdict on them counts."""
    ranked = {each.contestant for each in found}
    return [each.name for each in contestants if each.pk not in ranked]


def _judges_json(
    arena: Arena,
    judges: Sequence[Judge],
    contestants: Sequence[Contestant],
    games: Sequence[Game],
    agreed: Mapping[int, Agreement],
    used: Sequence[int],
) -> list[dict[str, Any]]:
    unreadable = unreadable_counts(arena)
    families = {each.pk: fold_name(each.family) for each in contestants}
    judge_families = {judge.pk: fold_name(judge.family) for judge in judges}
    found = []
    for judge in judges:
        preference = None
        if judge.family:
            preference = self_preference(
                games, judge_families=judge_families, families=families, family=judge_families[judge.pk],
                seed=arena.seed,
            )  # fmt: skip
        found.append(
            {
                "name": judge.name,
                "family": judge.family,
                "is_used": judge.pk in used,
                "left_out_reason": judge.left_out_reason,
                "verdicts": sum(game.judge == judge.pk for game in games),
                "unreadable": unreadable.get(judge.pk, 0),
                "order": asdict(steadiness(games, judge.pk)),
                "people": asdict(agreed[judge.pk]),
                "self_preference": _rate_json(preference) if preference else None,
            }
        )
    return found


def _correlations(
    arena: Arena,
    judges: Sequence[Judge],
    contestants: Sequence[int],
    games: Sequence[Game],
    baseline: int | None,
) -> list[dict[str, Any]]:
    found = []
    for one, other in itertools.combinations(judges, 2):
        own = judges_correlation(
            games, contestants=contestants, leave_out=baseline, judges=(one.pk, other.pk),
            seed=arena.seed,
        )  # fmt: skip
        found.append(
            {"judges": [one.name, other.name], "spearman": _rate_json(own) if own else None}
        )
    return found


def _people_json(humans: Scores, simulated: int) -> dict[str, Any]:
    """Return how people agree: each pair of people on each battle once, the earlier verdict first.

    Programs gave `simulated` of the verdicts, not people.
    """
    pairs = [
        pair
        for said in humans.values()
        for pair in itertools.combinations([said[person] for person in sorted(said)], 2)
    ]
    return {
        "battles": len(humans),
        "twice": sum(len(said) > 1 for said in humans.values()),
        **{name: value for name, value in asdict(agreement(pairs)).items() if name != "battles"},
        **({"simulated_verdicts": simulated} if simulated else {}),
    }


def _rate_json(rate: Rate) -> dict[str, Any]:
    return {
        "share": round(rate.share, 2),
        "low": round(rate.low, 2),
        "high": round(rate.high, 2),
        "questions": rate.questions,
    }
