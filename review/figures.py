"""The figures of a stage of review, computed from {tally: number of panels}.

One stage is one round: number 0 is the initial review, number k the k-th alignment. The same
figures serve for any other group of panels (a translation system, a subject).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from review.agreement import (
    RESAMPLES,
    Estimate,
    Floats,
    Ints,
    Undefined,
    bootstrap,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    merge_rows,
    percentile_interval,
)
from review.outcomes import HIGHEST_RATING, VERDICTS, parse_tally

Z_95 = 1.959963984540054
ESTIMATES = (
    "approval_rate",
    "domain_mean",
    "cultural_mean",
    "fleiss_kappa",
    "alpha_verdicts",
    "alpha_domain",
    "alpha_cultural",
    "gwet_ac1",
)
"""The fields of StageFigures that are estimates, in the order in which they are printed."""


@dataclass(frozen=True, slots=True)
class StageInput:
    """What the figures of a stage are made from.

    `tallies` counts panels by tally and may hold unfinished and empty ones; `approved` counts
    the panels whose outcome is approved.
    """

    number: int
    panel_size: int
    approved: int
    tallies: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StageFigures:
    """The figures of one stage.

    `items_judged` counts the items with a full panel, the denominator of `approval_rate` (a
    share from 0 to 1). Items that are judged in part count as left out there, but their ratings
    count in the means (0-5, over all ratings) and in alpha. Items nobody has judged yet count
    nowhere. kappa, `alpha_verdicts` (nominal) and AC1 are on verdicts; `alpha_domain` and
    `alpha_cultural` (ordinal) on ratings.
    """

    number: int
    panel_size: int
    items_judged: int
    approved: int
    approval_rate: Estimate
    domain_mean: Estimate
    cultural_mean: Estimate
    fleiss_kappa: Estimate
    alpha_verdicts: Estimate
    alpha_domain: Estimate
    alpha_cultural: Estimate
    gwet_ac1: Estimate

    @property
    def code(self) -> Literal["initial", "alignment"]:
        """Tell the initial review from the alignments; the name for people is made elsewhere."""
        return "initial" if self.number == 0 else "alignment"

    def as_json(self) -> dict[str, Any]:
        """Give what is frozen when a round closes.

        {"stage": {"number", "code"}, "panel_size", "items_judged", "approved", and under each
        name of ESTIMATES {"value", "low", "high", "n_used", "n_left_out", "undefined",
        "undefined_resamples"}}; `undefined` is a reason code or null.
        """
        return {
            "stage": {"number": self.number, "code": self.code},
            "panel_size": self.panel_size,
            "items_judged": self.items_judged,
            "approved": self.approved,
        } | {name: getattr(self, name).as_json() for name in ESTIMATES}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `as_json` wrote; KeyError or ValueError when it is something else."""
        estimates = {name: Estimate.from_json(data[name]) for name in ESTIMATES}
        return cls(
            number=data["stage"]["number"],
            panel_size=data["panel_size"],
            items_judged=data["items_judged"],
            approved=data["approved"],
            **estimates,
        )


@dataclass(frozen=True, slots=True)
class BriefFigures:
    """The figures of one of many groups of panels, such as a subject; see `StageFigures`."""

    items_judged: int
    approval_rate: Estimate
    domain_mean: Estimate
    cultural_mean: Estimate
    fleiss_kappa: Estimate


def stage_figures(stage: StageInput, *, resamples: int = RESAMPLES, seed: int = 0) -> StageFigures:
    """Compute the figures of a stage; the same panels and seed give the same figures.

    Raises ValueError when a tally cannot be read or more are approved than were judged.
    """
    groups = _grouped(stage.tallies)
    judged = sum(n for size, n in groups.sizes.items() if size >= stage.panel_size)
    begun = sum(n for size, n in groups.sizes.items() if size)
    verdicts, domain, cultural = _tables(groups)
    options = _Options(resamples, seed)._asdict()
    return StageFigures(
        number=stage.number,
        panel_size=stage.panel_size,
        items_judged=judged,
        approved=stage.approved,
        approval_rate=approval_rate(stage.approved, judged, n_left_out=begun - judged),
        domain_mean=mean_rating(*domain, **options),
        cultural_mean=mean_rating(*cultural, **options),
        fleiss_kappa=fleiss_kappa(*verdicts, panel_size=stage.panel_size, **options),
        alpha_verdicts=krippendorff_alpha(*verdicts, level="nominal", **options),
        alpha_domain=krippendorff_alpha(*domain, level="ordinal", **options),
        alpha_cultural=krippendorff_alpha(*cultural, level="ordinal", **options),
        gwet_ac1=gwet_ac1(*verdicts, **options),
    )


def brief_figures(stage: StageInput, *, resamples: int = 200, seed: int = 0) -> BriefFigures:
    """Compute only what a table of many groups shows, at a third of the cost of all figures.

    Raises ValueError as `stage_figures` does.
    """
    groups = _grouped(stage.tallies)
    judged = sum(n for size, n in groups.sizes.items() if size >= stage.panel_size)
    begun = sum(n for size, n in groups.sizes.items() if size)
    verdicts, domain, cultural = _tables(groups)
    options = _Options(resamples, seed)._asdict()
    return BriefFigures(
        items_judged=judged,
        approval_rate=approval_rate(stage.approved, judged, n_left_out=begun - judged),
        domain_mean=mean_rating(*domain, **options),
        cultural_mean=mean_rating(*cultural, **options),
        fleiss_kappa=fleiss_kappa(*verdicts, panel_size=stage.panel_size, **options),
    )


def approval_rate(approved: int, judged: int, *, n_left_out: int = 0) -> Estimate:
    """Give approved / judged with the 95 % Wilson (1927) score interval.

    The interval has its centre at (k + z^2/2) / (n + z^2); it stays within 0-1 and is not empty
    at a rate of 0 or 1. Raises ValueError when `approved` is not within 0..judged.
    """
    if not 0 <= approved <= judged:
        raise ValueError(f"{approved} approved of {judged} judged")
    if judged == 0:
        return Estimate(None, None, None, 0, n_left_out, Undefined.NO_ITEMS)
    z2 = Z_95**2
    centre = (approved + z2 / 2) / (judged + z2)
    spread = sqrt(approved * (judged - approved) / judged + z2 / 4) * Z_95 / (judged + z2)
    low = 0.0 if approved == 0 else centre - spread
    high = 1.0 if approved == judged else centre + spread
    return Estimate(approved / judged, low, high, judged, n_left_out)


def mean_rating(
    counts: Ints, weights: Ints, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Give the mean of all ratings (column c of `counts` is rating c), bootstrap over items.

    Items, not ratings, are drawn: the ratings of one item depend on each other. One item has a
    mean but no interval.
    """
    ratings = counts @ np.arange(counts.shape[1])
    sizes = counts.sum(axis=1)
    rows, n = merge_rows(np.column_stack([ratings, sizes])[sizes > 0], weights[sizes > 0])
    used = int(n.sum())
    if used == 0:
        return Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)
    value = float(_ratio(rows, n[np.newaxis].astype(float))[0])
    if used == 1:
        return Estimate(value, None, None, 1, 0)
    values = bootstrap(rows, n, _ratio, resamples=resamples, seed=seed)
    return Estimate(value, *percentile_interval(values), used, 0)


class _Options(NamedTuple):
    resamples: int
    seed: int


class _Groups(NamedTuple):
    """Numbers of panels by the columns' counts of one judgement field each, and by size."""

    verdicts: Counter[tuple[int, ...]]
    domain: Counter[tuple[int, ...]]
    cultural: Counter[tuple[int, ...]]
    sizes: Counter[int]


def _grouped(tallies: Mapping[str, int]) -> _Groups:
    groups = _Groups(Counter(), Counter(), Counter(), Counter())
    for tally, n in tallies.items():
        entries = parse_tally(tally)
        groups.verdicts[_counted([VERDICTS.index(e.verdict) for e in entries], 3)] += n
        groups.domain[_counted([e.domain for e in entries], HIGHEST_RATING + 1)] += n
        groups.cultural[_counted([e.cultural for e in entries], HIGHEST_RATING + 1)] += n
        groups.sizes[len(entries)] += n
    return groups


def _counted(columns: Sequence[int], width: int) -> tuple[int, ...]:
    counts = [0] * width
    for column in columns:
        counts[column] += 1
    return tuple(counts)


def _tables(groups: _Groups) -> list[tuple[Ints, Ints]]:
    widths = (len(VERDICTS), HIGHEST_RATING + 1, HIGHEST_RATING + 1)
    fields = (groups.verdicts, groups.domain, groups.cultural)
    return [_table(counter, width) for counter, width in zip(fields, widths, strict=True)]


def _table(counter: Counter[tuple[int, ...]], width: int) -> tuple[Ints, Ints]:
    counts = np.array(list(counter), dtype=np.int64).reshape(len(counter), width)
    return counts, np.array(list(counter.values()), dtype=np.int64)


def _ratio(rows: Ints, draws: Floats) -> Floats:
    totals = draws @ rows
    ratio: Floats = totals[:, 0] / totals[:, 1]
    return ratio
