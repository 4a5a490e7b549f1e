"""A statistic with its interval, or the reason why it has none."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class Undefined(StrEnum):
    """Why a statistic has no value; the text for people is made elsewhere."""

    NO_ITEMS = "no_items"
    NOTHING_TO_COMPARE = "nothing_to_compare"
    TOO_FEW_ITEMS = "too_few_items"
    NO_VARIATION = "no_variation"
    SEGMENTERS_DIFFER = "segmenters_differ"


class NoInterval(StrEnum):
    """Why a value has no interval; the text for people is made elsewhere."""

    TOO_LITTLE_DISAGREEMENT = "too_little_disagreement"
    ALL_THE_SAME = "all_the_same"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its 95 % interval; `value` is None exactly when `undefined_reason` is given.

    `n_used` and `n_left_out` count items. `low` and `high` are None when there is no value, when
    no resamples were asked for, or for the reason in `no_interval`.
    """

    value: float | None
    low: float | None
    high: float | None
    n_used: int
    n_left_out: int
    undefined_reason: Undefined | None = None
    no_interval: NoInterval | None = None

    def as_json(self) -> dict[str, Any]:
        """Give the object of the outer contract: the reason is called `undefined` there."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n_used": self.n_used,
            "n_left_out": self.n_left_out,
            "undefined": None if self.undefined_reason is None else self.undefined_reason.value,
            "no_interval": None if self.no_interval is None else self.no_interval.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `as_json` wrote; KeyError or ValueError when it is something else.

        Figures that were frozen before intervals could be withheld have no `no_interval`.
        """
        reason, no_interval = data["undefined"], data.get("no_interval")
        return cls(
            data["value"],
            data["low"],
            data["high"],
            data["n_used"],
            data["n_left_out"],
            None if reason is None else Undefined(reason),
            None if no_interval is None else NoInterval(no_interval),
        )
