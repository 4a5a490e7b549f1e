"""Intervals of a share: Wilson's, for things counted once and for things measured several times."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def wilson_interval(successes: float, n: float, *, confidence: float = CONFIDENCE) -> Interval:
    """Score interval of a binomial proportion (Wilson 1927); 0…1 when n is 0.

    Both numbers may be fractions, as an effective sample size is.
    """
    if n == 0:
        return Interval(0.0, 1.0)
    z = _normal_quantile(confidence)
    share, correction = successes / n, z * z / n
    centre = share + correction / 2
    half = z * math.sqrt(share * (1 - share) / n + correction / (4 * n))
    low, high = (centre - half) / (1 + correction), (centre + half) / (1 + correction)
    return Interval(
        low=0.0 if successes == 0 else max(0.0, low),
        high=1.0 if successes == n else min(1.0, high),
    )


def repeated_wilson_interval(
    repeats: Mapping[tuple[int, int], int], *, confidence: float = CONFIDENCE
) -> Interval:
    """Wilson's interval of the share of successes when each of n items was measured several times.

    `repeats` maps (successes, measurements) → number of items. Measurements of one item are
    not independent, so they don't count as more items. Instead of n the interval takes the
    effective sample size (Kish 1965; in Wilson's interval: Dean and Pagano 2015, J. Surv. Stat.
    Methodol. 3:484-503), which is estimated from how much the items differ:

        p = Σ rᵢ / Σ mᵢ        V(p) = Σ (rᵢ − p·mᵢ)² / (Σ mᵢ)²        n_eff = p (1 − p) / V(p)

    With few items, or none that succeeds, V says little. So n_eff / n is estimated with z²/2
    items that always succeed and as many that never do beside the real ones (the pseudo-counts
    that are inside Wilson's interval already; Agresti and Coull 1998), which pulls it to 1.

    Measured once, or always with the same result, n_eff is n: the interval is that of one
    measurement each. It never exceeds the number of measurements.
    """
    n = sum(repeats.values())
    measured = sum(m * items for (_r, m), items in repeats.items())
    if not measured:
        return Interval(0.0, 1.0)
    share = sum(r * items for (r, _m), items in repeats.items()) / measured
    effective = min(n * _effective_share(repeats, n, measured, confidence), measured)
    return wilson_interval(share * effective, effective, confidence=confidence)


def _effective_share(
    repeats: Mapping[tuple[int, int], int], n: int, measured: int, confidence: float
) -> float:
    """n_eff / n, estimated with the pseudo-items; at least about 1 when all items weigh the same."""
    pseudo, mean = _normal_quantile(confidence) ** 2 / 2, measured / n
    total = measured + 2 * pseudo * mean
    right = sum(r * items for (r, _m), items in repeats.items()) + pseudo * mean
    share = right / total
    squares = math.fsum((r - share * m) ** 2 * items for (r, m), items in repeats.items())
    squares += pseudo * mean**2 * (share**2 + (1 - share) ** 2)
    return share * (1 - share) * total**2 / squares / (n + 2 * pseudo)


@cache
def _normal_quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
