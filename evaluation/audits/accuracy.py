"""The accuracy of a scorer from a sample with strata: an estimate for all responses, with its interval."""

from collections.abc import Iterable
from dataclasses import dataclass

from common.intervals import Interval, wilson_interval


@dataclass(frozen=True, slots=True)
class StratumCount:
    """population: responses of a run; read: those that people read; right: those read alike."""

    population: int
    read: int
    right: int


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of all responses that a scorer reads as people do, with its 95 % interval."""

    share: float
    interval: Interval


def stratified_accuracy(strata: Iterable[StratumCount]) -> Accuracy | None:
    """Weight the share of each stratum by its population (Cochran 1977, Sampling Techniques, 5.3).

        p = Σ W p_h        V(p) = Σ W² p_h (1 − p_h) / n_h        W = N_h / N

    The interval is Wilson's with the effective sample size p (1 − p) / V(p) (Kish 1965; in Wilson's
    interval: Dean and Pagano 2015, J. Surv. Stat. Methodol. 3:484-503). A stratum in which people
    agree with all or nothing would have no variance, so that n is estimated from (right + 1) /
    (read + 2). With one stratum it is Wilson's own interval. The responses count as a sample of what
    such a model writes, so there is no correction for a stratum that was read as a whole.

    None while a stratum with responses has no reading: nobody knows what is in it.
    """
    counted = [each for each in strata if each.population]
    total = sum(each.population for each in counted)
    if not counted or any(not each.read for each in counted):
        return None
    share = effective = variance = 0.0
    for each in counted:
        weight = each.population / total
        smoothed = (each.right + 1) / (each.read + 2)
        share += weight * each.right / each.read
        effective += weight * smoothed
        variance += weight**2 * smoothed * (1 - smoothed) / each.read
    n = effective * (1 - effective) / variance
    return Accuracy(share, wilson_interval(share * n, n))
