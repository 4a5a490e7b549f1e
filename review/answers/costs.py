"""What the systems of a comparison took, and how much approved text a dollar and an expert's hour buy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.translating.queries import SystemTotals
from review.answers.figures import SystemFigures

SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCost:
    """What one system took in money and in experts' time.

    `took` is of all its translation jobs; None if its texts came from elsewhere.
    `approved_per_dollar` is the share of judged texts that were approved, divided by the price of
    one translated item: failed items and calls are paid for too. `approved_per_hour` is the number
    of approved texts divided by the time that experts spent on the system's texts, where the time
    of an answer is divided evenly among the texts that it is about. Each is None where the price or
    a time was not measured, or is 0.
    """

    took: SystemTotals | None
    approved_per_dollar: float | None
    approved_per_hour: float | None

    def as_json(self) -> dict[str, Any]:
        """Prices are text, so that no digit is lost."""
        totals = self.took.totals if self.took else None
        price = totals.price if totals else None
        return {
            "translated": self.took.translated if self.took else None,
            "calls": totals.calls + totals.failed_calls if totals else None,
            "prompt_tokens": totals.prompt_tokens if totals else None,
            "completion_tokens": totals.completion_tokens if totals else None,
            "price": None if price is None else str(price),
            "approved_per_dollar": self.approved_per_dollar,
            "approved_per_hour": self.approved_per_hour,
        }


def system_cost(
    figures: SystemFigures,
    took: SystemTotals | None,
    items: Iterable[int],
    seconds: Mapping[int, float | None],
) -> SystemCost:
    """The cost of one system; `seconds` are the time spent on one text of each of its judged `items`."""
    return SystemCost(
        took=took,
        approved_per_dollar=_per_dollar(figures, took),
        approved_per_hour=_per_hour(figures.approved, [seconds.get(item) for item in items]),
    )


def _per_dollar(figures: SystemFigures, took: SystemTotals | None) -> float | None:
    share, price = figures.approval_rate.value, took.totals.price if took else None
    if took is None or share is None or not price:
        return None
    return share * took.translated / float(price)


def _per_hour(approved: int, seconds: list[float | None]) -> float | None:
    measured = [each for each in seconds if each is not None]
    if len(measured) < len(seconds) or not sum(measured):
        return None
    return approved * SECONDS_PER_HOUR / sum(measured)
