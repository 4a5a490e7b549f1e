"""Drawing a sample of items that has each subject's share, and that a seed repeats."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol, TypeVar


class Candidate(Protocol):
    @property
    def uid(self) -> str: ...

    @property
    def subject(self) -> int: ...


C = TypeVar("C", bound=Candidate)


def stratified_sample(items: Sequence[C], size: int, seed: int) -> list[C]:
    """Return `size` of `items` by uid, shared out over subjects in proportion (largest remainder).

    Within a subject the order is by a hash of seed and uid: the same seed gives the same sample,
    and a larger share of a subject contains the smaller one.
    """
    by_subject: dict[int, list[C]] = defaultdict(list)
    for item in items:
        by_subject[item.subject].append(item)
    quota = _quotas({subject: len(group) for subject, group in by_subject.items()}, size)
    chosen = [
        item
        for subject, group in by_subject.items()
        for item in sorted(group, key=lambda each: _rank(seed, each.uid))[: quota[subject]]
    ]
    return sorted(chosen, key=lambda item: item.uid)


def _quotas(sizes: dict[int, int], size: int) -> dict[int, int]:
    total = sum(sizes.values())
    shares = {subject: size * count / total for subject, count in sizes.items()}
    quota = {subject: min(math.floor(share), sizes[subject]) for subject, share in shares.items()}
    remainders = sorted(shares, key=lambda subject: (quota[subject] - shares[subject], subject))
    for subject in remainders[: min(size, total) - sum(quota.values())]:
        quota[subject] += 1
    return quota


def _rank(seed: int, uid: str) -> str:
    return hashlib.sha256(f"{seed}\x00{uid}".encode()).hexdigest()
