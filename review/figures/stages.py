"""The figures of a group of panels, computed from {tally: number of panels}.

A group is a stage of review, a translation system, a subject or a category.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from common.estimates import Estimate, NoInterval, Undefined
from common.intervals import wilson_interval
from projects.criteria import DEFAULT_CRITERIA, Criterion, names_of
from review.figures.agreement import fleiss_kappa, gwet_ac1, krippendorff_alpha, merge_rows
from review.figures.intervals import RESAMPLES, Floats, Ints, percentile_bootstrap
from review.outcomes import VERDICTS, TallyEntry, first_tally, parse_tally

LEAST_ITEMS = 10
"""Agreement of fewer items is not shown: by chance alone it could be nearly anything."""


@dataclass(frozen=True, slots=True)
class StageInput:
    """What the figures of a group of panels are made from.

    `tallies` counts panels by tally and may hold unfinished and empty ones; `approved` counts
    the panels whose outcome is approved, `adjudicated` the disputes that a senior settled by
    approving the text as it stood. The digits of a tally are ratings of `criteria`.
    """

    panel_size: int
    approved: int
    tallies: Mapping[str, int]
    adjudicated: int = 0
    criteria: Sequence[Criterion] = DEFAULT_CRITERIA


@dataclass(frozen=True, slots=True)
class StageFigures:
    """The figures of one stage; `means` and `alphas` hold one estimate for each criterion.

    `items_judged` counts the items with a full panel, the denominator of both approval rates
    (shares from 0 to 1): `approval_rate` is what the panels approved, `final_approval_rate`
    adds the disputes that ended in an approval. Items judged in part are left out there, but
    their ratings count in the means (over all ratings) and in alpha. Items that nobody has
    judged yet count nowhere. kappa, `alpha_verdicts` (nominal) and AC1 are about verdicts,
    `alphas` (ordinal) about ratings; none of them has a value for fewer than LEAST_ITEMS items.
    """

    panel_size: int
    items_judged: int
    approved: int
    approval_rate: Estimate
    final_approval_rate: Estimate
    means: Mapping[str, Estimate]
    fleiss_kappa: Estimate
    alpha_verdicts: Estimate
    alphas: Mapping[str, Estimate]
    gwet_ac1: Estimate

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The estimates by their names in reports, in the order in which they are printed."""
        return {
            "approval_rate": self.approval_rate,
            "final_approval_rate": self.final_approval_rate,
            **_means(self.means),
            "fleiss_kappa": self.fleiss_kappa,
            "alpha_verdicts": self.alpha_verdicts,
            **{f"alpha_{name}": estimate for name, estimate in self.alphas.items()},
            "gwet_ac1": self.gwet_ac1,
        }

    def as_json(self) -> dict[str, Any]:
        """Give what is frozen when a round closes.

        {"panel_size", "items_judged", "approved", and under each name of `estimates` {"value",
        "low", "high", "n_used", "n_left_out", "undefined", "no_interval"}}; `undefined` (no
        value) and `no_interval` are reason codes or null.
        """
        return _as_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], criteria: Sequence[Criterion]) -> Self:
        """Read what `as_json` wrote; KeyError or ValueError when it is something else.

        Figures that were frozen before decisions of seniors counted have none.
        """
        return cls(
            panel_size=data["panel_size"],
            items_judged=data["items_judged"],
            approved=data["approved"],
            approval_rate=Estimate.from_json(data["approval_rate"]),
            final_approval_rate=_final_from_json(data),
            means=_stored(data, "{}_mean", criteria),
            fleiss_kappa=Estimate.from_json(data["fleiss_kappa"]),
            alpha_verdicts=Estimate.from_json(data["alpha_verdicts"]),
            alphas=_stored(data, "alpha_{}", criteria),
            gwet_ac1=Estimate.from_json(data["gwet_ac1"]),
        )

    def with_adjudicated(self, count: int) -> "StageFigures":
        """The same figures after `count` disputes were settled by an approval."""
        return replace(self, final_approval_rate=_final(self, count))


@dataclass(frozen=True, slots=True)
class CumulativeFigures:
    """Approval and mean ratings of all items judged up to a stage, each by its latest panel.

    An item that a later stage judges again counts once, with what the later panel said.
    """

    items_judged: int
    approved: int
    approval_rate: Estimate
    final_approval_rate: Estimate
    means: Mapping[str, Estimate]

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The estimates by their names in reports; they are some of those of a stage."""
        return {
            "approval_rate": self.approval_rate,
            "final_approval_rate": self.final_approval_rate,
            **_means(self.means),
        }

    def as_json(self) -> dict[str, Any]:
        """Give the figures as `StageFigures.as_json` does, as far as there are any."""
        return {
            "items_judged": self.items_judged,
            "approved": self.approved,
            **{name: estimate.as_json() for name, estimate in self.estimates.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], criteria: Sequence[Criterion]) -> Self:
        """Read what `as_json` wrote; KeyError or ValueError when it is something else."""
        return cls(
            items_judged=data["items_judged"],
            approved=data["approved"],
            approval_rate=Estimate.from_json(data["approval_rate"]),
            final_approval_rate=Estimate.from_json(data["final_approval_rate"]),
            means=_stored(data, "{}_mean", criteria),
        )

    def with_adjudicated(self, count: int) -> "CumulativeFigures":
        """The same figures after `count` disputes were settled by an approval."""
        return replace(self, final_approval_rate=_final(self, count))


@dataclass(frozen=True, slots=True)
class BriefFigures:
    """The figures of one of many groups of panels, such as a subject; see `StageFigures`."""

    panel_size: int
    items_judged: int
    approved: int
    approval_rate: Estimate
    final_approval_rate: Estimate
    means: Mapping[str, Estimate]
    fleiss_kappa: Estimate

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The estimates by their names in reports; they are some of those of a stage."""
        return {
            "approval_rate": self.approval_rate,
            "final_approval_rate": self.final_approval_rate,
            **_means(self.means),
            "fleiss_kappa": self.fleiss_kappa,
        }

    def as_json(self) -> dict[str, Any]:
        """Give the figures as `StageFigures.as_json` does, as far as there are any."""
        return _as_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], criteria: Sequence[Criterion]) -> Self:
        """Read what `as_json` wrote; KeyError or ValueError when it is something else."""
        return cls(
            panel_size=data["panel_size"],
            items_judged=data["items_judged"],
            approved=data["approved"],
            approval_rate=Estimate.from_json(data["approval_rate"]),
            final_approval_rate=_final_from_json(data),
            means=_stored(data, "{}_mean", criteria),
            fleiss_kappa=Estimate.from_json(data["fleiss_kappa"]),
        )

    def with_adjudicated(self, count: int) -> "BriefFigures":
        """The same figures after `count` disputes were settled by an approval."""
        return replace(self, final_approval_rate=_final(self, count))


def stage_figures(stage: StageInput, *, resamples: int = RESAMPLES, seed: int = 0) -> StageFigures:
    """Compute the figures of a stage; the same panels and seed give the same figures.

    Raises ValueError when a tally cannot be read or more are approved than were judged.
    """
    brief = brief_figures(stage, resamples=resamples, seed=seed)
    groups = _grouped(stage.tallies, stage.criteria)
    verdicts = _table(groups.verdicts, len(VERDICTS))
    options = _Options(resamples, seed, LEAST_ITEMS)._asdict()
    return StageFigures(
        panel_size=stage.panel_size,
        items_judged=brief.items_judged,
        approved=stage.approved,
        approval_rate=brief.approval_rate,
        final_approval_rate=brief.final_approval_rate,
        means=brief.means,
        fleiss_kappa=brief.fleiss_kappa,
        alpha_verdicts=krippendorff_alpha(*verdicts, level="nominal", **options),
        alphas={
            name: krippendorff_alpha(*table, level="ordinal", **options)
            for name, table in _rating_tables(groups, stage.criteria).items()
        },
        gwet_ac1=gwet_ac1(*verdicts, **options),
    )


def brief_figures(stage: StageInput, *, resamples: int = 400, seed: int = 0) -> BriefFigures:
    """Compute only what a table of many groups shows, at a third of the cost of all figures.

    Raises ValueError as `stage_figures` does.
    """
    groups = _grouped(stage.tallies, stage.criteria)
    judged = sum(n for size, n in groups.sizes.items() if size >= stage.panel_size)
    begun = sum(n for size, n in groups.sizes.items() if size)
    return BriefFigures(
        panel_size=stage.panel_size,
        items_judged=judged,
        approved=stage.approved,
        approval_rate=approval_rate(stage.approved, judged, n_left_out=begun - judged),
        final_approval_rate=approval_rate(
            stage.approved + stage.adjudicated, judged, n_left_out=begun - judged
        ),
        means={
            name: mean_rating(*table, resamples=resamples, seed=seed)
            for name, table in _rating_tables(groups, stage.criteria).items()
        },
        fleiss_kappa=fleiss_kappa(
            *_table(groups.verdicts, len(VERDICTS)),
            panel_size=stage.panel_size,
            **_Options(resamples, seed, LEAST_ITEMS)._asdict(),
        ),
    )


def cumulative_figures(
    stage: StageInput, *, resamples: int = RESAMPLES, seed: int = 0
) -> CumulativeFigures:
    """Compute the figures of the latest full panel of each item, of whatever size it was.

    Raises ValueError as `stage_figures` does.
    """
    groups = _grouped(stage.tallies, stage.criteria)
    judged = sum(groups.sizes.values())
    return CumulativeFigures(
        items_judged=judged,
        approved=stage.approved,
        approval_rate=approval_rate(stage.approved, judged),
        final_approval_rate=approval_rate(stage.approved + stage.adjudicated, judged),
        means={
            name: mean_rating(*table, resamples=resamples, seed=seed)
            for name, table in _rating_tables(groups, stage.criteria).items()
        },
    )


def rating_counts(stage: StageInput) -> dict[str, tuple[int, ...]]:
    """How often each rating was given, the lowest first, by criterion."""
    lowest = {each.name: each.lowest for each in stage.criteria}
    tables = _rating_tables(_grouped(stage.tallies, stage.criteria), stage.criteria)
    return {
        name: tuple(int(n) for n in weights @ counts)[lowest[name] :]
        for name, (counts, weights) in tables.items()
    }


def approval_rate(approved: int, judged: int, *, n_left_out: int = 0) -> Estimate:
    """Give approved / judged with its 95 % Wilson interval.

    Raises ValueError when `approved` is not within 0..judged.
    """
    if not 0 <= approved <= judged:
        raise ValueError(f"{approved} approved of {judged} judged")
    if judged == 0:
        return Estimate(None, None, None, 0, n_left_out, Undefined.NO_ITEMS)
    interval = wilson_interval(approved, judged)
    return Estimate(approved / judged, interval.low, interval.high, judged, n_left_out)


def mean_rating(
    counts: Ints, weights: Ints, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Give the mean of all ratings (column c of `counts` is rating c), bootstrap over items.

    Items, not ratings, are drawn: the ratings of one item depend on each other. One item has a
    mean but no interval, and so have items that all have the same mean: in every draw they would
    have it too, as if the mean were certain.
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
    if len(set((rows[:, 0] / rows[:, 1]).tolist())) == 1:
        return Estimate(value, None, None, used, 0, None, NoInterval.ALL_THE_SAME)
    interval = percentile_bootstrap(rows, n, _ratio, resamples=resamples, seed=seed)
    return Estimate(value, *interval, used, 0)


def _means(means: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {f"{name}_mean": estimate for name, estimate in means.items()}


def _final(figures: StageFigures | BriefFigures | CumulativeFigures, adjudicated: int) -> Estimate:
    left_out = figures.approval_rate.n_left_out
    approved = figures.approved + adjudicated
    return approval_rate(approved, figures.items_judged, n_left_out=left_out)


def _stored(
    data: Mapping[str, Any], pattern: str, criteria: Sequence[Criterion]
) -> dict[str, Estimate]:
    """The estimates of each criterion; a round that nobody judged may have been closed with others."""
    none = Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS).as_json()
    return {
        name: Estimate.from_json(data.get(pattern.format(name), none))
        for name in names_of(criteria)
    }


def _final_from_json(data: Mapping[str, Any]) -> Estimate:
    return Estimate.from_json(data.get("final_approval_rate", data["approval_rate"]))


def _as_json(figures: StageFigures | BriefFigures) -> dict[str, Any]:
    return {
        "panel_size": figures.panel_size,
        "items_judged": figures.items_judged,
        "approved": figures.approved,
        **{name: estimate.as_json() for name, estimate in figures.estimates.items()},
    }


class _Options(NamedTuple):
    resamples: int
    seed: int
    least_items: int


class _Groups(NamedTuple):
    """Numbers of panels by their counts of each verdict and of each rating, and by size."""

    verdicts: Counter[tuple[int, ...]]
    ratings: tuple[Counter[tuple[int, ...]], ...]
    sizes: Counter[int]


def _grouped(tallies: Mapping[str, int], criteria: Sequence[Criterion]) -> _Groups:
    groups = _Groups(Counter(), tuple(Counter() for _criterion in criteria), Counter())
    for tally, n in tallies.items():
        entries = parse_tally(first_tally(tally), criteria)
        groups.verdicts[_counted([VERDICTS.index(e.verdict) for e in entries], len(VERDICTS))] += n
        for place, criterion in enumerate(criteria):
            groups.ratings[place][_rated(entries, place, criterion)] += n
        groups.sizes[len(entries)] += n
    return groups


def _rated(entries: Sequence[TallyEntry], place: int, criterion: Criterion) -> tuple[int, ...]:
    columns = [entry.ratings[place] for entry in entries]
    return _counted(columns, criterion.highest + 1)


def _counted(columns: Sequence[int], width: int) -> tuple[int, ...]:
    counts = [0] * width
    for column in columns:
        counts[column] += 1
    return tuple(counts)


def _rating_tables(groups: _Groups, criteria: Sequence[Criterion]) -> dict[str, tuple[Ints, Ints]]:
    return {
        criterion.name: _table(counter, criterion.highest + 1)
        for criterion, counter in zip(criteria, groups.ratings, strict=True)
    }


def _table(counter: Counter[tuple[int, ...]], width: int) -> tuple[Ints, Ints]:
    counts = np.array(list(counter), dtype=np.int64).reshape(len(counter), width)
    return counts, np.array(list(counter.values()), dtype=np.int64)


def _ratio(rows: Ints, draws: Floats) -> Floats:
    totals = draws @ rows
    ratio: Floats = totals[:, 0] / totals[:, 1]
    return ratio
