"""Differential item functioning: items that are harder in one group than their other items say.

Here the groups are the answers of the same models in two languages: the reference group answers in
the source language, the focal group in the target language. An item whose translation is bad is
harder in the target language than for respondents who do as well on the *other* items there. So a
general drop between the languages is no sign of anything; only what goes beyond it is.

Mantel-Haenszel: respondents are put in strata by the share of their other items that they got right.
Holland and Thayer 1988 ("Differential item performance and the Mantel-Haenszel procedure"); the
common odds ratio α, its standard error (Robins, Breslow and Greenland 1986) and the test are those of
statsmodels. Δ = −2.35 ln α is the effect on the delta scale of ETS: below 0 the item is harder for
the focal group. Classes (Zieky 1993; Zwick 2012, ETS RR-12-08): A where Δ is not significantly
different from 0 or |Δ| < 1; C where |Δ| ≥ 1.5 and significantly above 1; B otherwise.

Logistic (Swaminathan and Rogers 1990, J. Educ. Meas. 27:361-370): logit P(right) = b0 + b1·matching
+ b2·group, against the same without group (uniform DIF), by the likelihood ratio. The matching
variable is the logit of the share of other items, so that the model reaches across languages where
respondents of the two do not overlap and no stratum holds both.

Whether an item is *harder* is asked of both tests together, in this direction alone: their one-sided
p values are combined by the Cauchy combination (Liu and Xie 2020, JASA 115:393-402), which holds
however much they depend on each other, and are then adjusted for all items.

Two passes: the second one leaves out of the matching variable what the first one found (purification).

Epochs of one model are hardly new respondents. Both statistics are divided by the design effect
1 + (m − 1)·ρ (Kish 1965), with m the epochs and prompts of a model and ρ the correlation of residuals
within models, estimated from all items together.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.stats import cauchy, chi2, false_discovery_control, norm
from statsmodels.stats.contingency_tables import StratifiedTable

from scoring.item_statistics import Answers, Floats

LEVEL = 0.05
DELTA_SCALE = -2.35
NEGLIGIBLE, LARGE = 1.0, 1.5
IN_STRATUM = 12
MOST_STRATA = 10
LEAST_P = 1e-12
"""Nearer to 0 or 1, a p value counts as this near: its tangent is finite."""
FEWEST_RESPONDENTS = 6
"""In each group; with fewer no item is tested."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ItemDif:
    """How an item functions in the focal group compared with the reference group.

    reference, focal: the respondents; reference_share, focal_share: how many of them were right
    strata: those that hold both groups
    delta: the effect of ETS, below 0 if the item is harder for the focal group; None if undefined
    p: of the Mantel-Haenszel test; q: p adjusted for all items (Benjamini and Hochberg 1995)
    size: A, B or C; empty if undefined
    logistic_delta, logistic_p, logistic_q: the same by logistic regression
    harder_q: both tests together, of an item that is harder for the focal group
    """

    reference: int
    focal: int
    strata: int
    reference_share: float | None = None
    focal_share: float | None = None
    delta: float | None = None
    error: float | None = None
    p: float | None = None
    q: float | None = None
    size: str = ""
    logistic_delta: float | None = None
    logistic_p: float | None = None
    logistic_q: float | None = None
    harder_q: float | None = None

    @property
    def is_found(self) -> bool:
        """Whether an effect that is not negligible is significant among all items.

        Either test may say so, each at half the level (Bonferroni).
        """
        by_strata = self.q is not None and self.q <= LEVEL / 2 and self.size in ("B", "C")
        by_model = (
            self.logistic_q is not None
            and self.logistic_q <= LEVEL / 2
            and abs(self.logistic_delta or 0.0) >= LARGE
        )
        return by_strata or by_model

    @property
    def is_harder(self) -> bool:
        """Whether a large effect against the focal group is significant among all items.

        At half the level, as only one of the two directions is asked for.
        """
        return (
            self.harder_q is not None and self.harder_q <= LEVEL / 2 and self.most_harder <= -LARGE
        )

    @property
    def most_harder(self) -> float:
        """The effect of the test that finds the item harder for the focal group; 0 without one."""
        known = [each for each in (self.delta, self.logistic_delta) if each is not None]
        return min(known, default=0.0)


@dataclass(frozen=True, slots=True)
class DifResult:
    """The figures of all items, and by how much dependence among a model's answers divides them."""

    items: tuple[ItemDif, ...]
    design_effect: float


def differential_items(
    reference: Answers, focal: Answers, *, check: Callable[[], None] = lambda: None
) -> DifResult:
    """Compare each item; the columns of both are the same items. `check` may stop the work."""
    effect = max(design_effect(reference), design_effect(focal))
    every = np.ones(reference.right.shape[1], dtype=bool)
    first = _pass(reference, focal, every, effect, check)
    found = np.array([each.is_found for each in first], dtype=bool)
    if not found.any() or found.sum() > len(found) / 2:
        return DifResult(tuple(first), effect)
    return DifResult(tuple(_pass(reference, focal, ~found, effect, check)), effect)


def design_effect(answers: Answers) -> float:
    """1 + (m − 1)·ρ of answers by the same model, at least 1."""
    right = answers.right
    if not right.size or np.isnan(right).all():
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # rows and columns without any answer
        fitted = (
            np.nanmean(right, axis=1, keepdims=True)
            + np.nanmean(right, axis=0, keepdims=True)
            - np.nanmean(right)
        )
    residuals = np.nan_to_num(right - fitted)
    products, squares, sizes = 0.0, 0.0, []
    for model in np.unique(answers.models):
        own = residuals[answers.models == model]
        sizes.append(len(own))
        products += float((own.sum(axis=0) ** 2 - (own**2).sum(axis=0)).sum())
        squares += (len(own) - 1) * float((own**2).sum())
    size = sum(n * n for n in sizes) / sum(sizes)
    return max(1.0, 1 + (size - 1) * (products / squares if squares else 0.0))


def mantel_haenszel(
    reference: Floats, focal: Floats, strata: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> ItemDif:
    """Compare one item; 1 or 0 for each respondent, and the stratum of each; without q."""
    places = np.intersect1d(*strata)
    tables = []
    for place in places:
        own, theirs = reference[strata[0] == place], focal[strata[1] == place]
        table = [[own.sum(), (1 - own).sum()], [theirs.sum(), (1 - theirs).sum()]]
        if np.ptp(np.concatenate([own, theirs])) > 0:
            tables.append(table)
    found = ItemDif(len(reference), len(focal), len(places))
    if not tables:
        return found
    stack = np.array(tables, dtype=float).transpose(1, 2, 0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        table = StratifiedTable(stack)
        p = float(table.test_null_odds(correction=False).pvalue)
        if not 0 < table.oddsratio_pooled < math.inf:
            table = StratifiedTable(stack, shift_zeros=True)
        log_odds, error = float(table.logodds_pooled), float(table.logodds_pooled_se)
    if not (math.isfinite(log_odds) and math.isfinite(error) and math.isfinite(p)):
        return found
    return replace(found, delta=DELTA_SCALE * log_odds, error=-DELTA_SCALE * error, p=p)


def logistic_dif(
    reference: Floats, focal: Floats, matching: tuple[Floats, Floats]
) -> tuple[float, float] | None:
    """The effect of the group on the delta scale and the likelihood ratio; None if undefined."""
    right = np.concatenate([reference, focal])
    group = np.concatenate([np.zeros(len(reference)), np.ones(len(focal))])
    score = np.concatenate(matching)
    if np.ptp(right) == 0:
        return None
    without = sm.add_constant(score, has_constant="add")
    with_group = np.column_stack([without, group])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        small = sm.GLM(right, without, family=sm.families.Binomial()).fit()
        large = sm.GLM(right, with_group, family=sm.families.Binomial()).fit()
    ratio, effect = (
        2 * (large.llf - small.llf),
        -DELTA_SCALE * float(large.params[2]),
    )
    if not (math.isfinite(ratio) and math.isfinite(effect)):
        return None
    return effect, max(0.0, ratio)


def ets_size(delta: float, error: float) -> str:
    """A, B or C."""
    if abs(delta) < NEGLIGIBLE or abs(delta) < norm.ppf(1 - LEVEL / 2) * error:
        return "A"
    is_large = abs(delta) >= LARGE and abs(delta) - NEGLIGIBLE > norm.ppf(1 - LEVEL) * error
    return "C" if is_large else "B"


def _pass(
    reference: Answers, focal: Answers, anchors: Mask, effect: float, check: Callable[[], None]
) -> list[ItemDif]:
    """Compare each item with the others among `anchors`."""
    found = []
    for item in range(reference.right.shape[1]):
        check()
        others = anchors.copy()
        others[item] = False
        found.append(_compare(reference.right, focal.right, item, others, effect))
    return _adjusted(found)


def _compare(reference: Floats, focal: Floats, item: int, others: Mask, effect: float) -> ItemDif:
    own, own_rest = _known(reference, item, others)
    theirs, their_rest = _known(focal, item, others)
    if min(len(own), len(theirs)) < FEWEST_RESPONDENTS:
        return ItemDif(len(own), len(theirs), 0)
    shares = float(own.mean()), float(theirs.mean())
    edges = _edges(np.concatenate([own_rest, their_rest]))
    strata = np.searchsorted(edges, own_rest), np.searchsorted(edges, their_rest)
    found = mantel_haenszel(own, theirs, strata)
    found = replace(found, reference_share=shares[0], focal_share=shares[1])
    if found.p is not None and found.delta is not None and found.error is not None:
        error = found.error * math.sqrt(effect)
        p = float(chi2.sf(chi2.isf(found.p, 1) / effect, 1))
        found = replace(found, error=error, p=p, size=ets_size(found.delta, error))
    count = int(others.sum())
    matching = _logit(own_rest, count), _logit(their_rest, count)
    if (fitted := logistic_dif(own, theirs, matching)) is not None:
        delta, ratio = fitted
        found = replace(found, logistic_delta=delta, logistic_p=float(chi2.sf(ratio / effect, 1)))
    return found


def _known(right: Floats, item: int, others: Mask) -> tuple[Floats, Floats]:
    """The answers to the item of those who have one, and the share of other items they got right."""
    rows = right[~np.isnan(right[:, item])]
    rest = rows[:, others]
    answered = ~np.isnan(rest)
    rows, rest, answered = (each[answered.any(axis=1)] for each in (rows, rest, answered))
    return rows[:, item], np.where(answered, rest, 0.0).sum(axis=1) / answered.sum(axis=1)


def _edges(scores: Floats) -> Floats:
    """Where the strata end: quantiles of the scores of both groups together."""
    count = min(MOST_STRATA, max(1, len(scores) // IN_STRATUM))
    return np.unique(np.quantile(scores, np.arange(1, count) / count))


def _logit(shares: Floats, count: int) -> Floats:
    """The logit of each share of `count` items, with half an item so that it is finite."""
    right = shares * count
    return np.log((right + 0.5) / (count - right + 0.5))


def _adjusted(found: list[ItemDif]) -> list[ItemDif]:
    by_strata = _false_discovery([each.p for each in found])
    by_model = _false_discovery([each.logistic_p for each in found])
    together = _false_discovery([harder_p(each) for each in found])
    return [
        replace(each, q=q, logistic_q=logistic_q, harder_q=harder_q)
        for each, q, logistic_q, harder_q in zip(found, by_strata, by_model, together, strict=True)
    ]


def harder_p(found: ItemDif) -> float | None:
    """The p value that the item is no harder for the focal group, by both tests; None without one."""
    tests = ((found.delta, found.p), (found.logistic_delta, found.logistic_p))
    tails = [
        p / 2 if delta < 0 else 1 - p / 2
        for delta, p in tests
        if delta is not None and p is not None
    ]
    if not tails:
        return None
    near = np.clip(tails, LEAST_P, 1 - LEAST_P)
    return float(cauchy.sf(np.tan((0.5 - near) * np.pi).mean()))


def _false_discovery(values: list[float | None]) -> list[float | None]:
    """Adjust p values for their number, and leave those out that are undefined."""
    known = [value for value in values if value is not None]
    adjusted = iter(false_discovery_control(known) if known else [])
    return [None if value is None else float(next(adjusted)) for value in values]
