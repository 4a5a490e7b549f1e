"""The price of tokens, and the budget of work that buys them."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import Avg, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common.errors import DomainError
from endpoints import engine
from endpoints.engine import Key
from endpoints.models import ModelSpec

MOST_BUDGET: Final = 99_999_999
TOKENS_PER_PRICE: Final = 1_000_000
BYTES_PER_TOKEN: Final = 3.0
"""Assumed where no answer tells: tokenizers need 1 to 4 bytes of UTF-8 for a token."""
MEASURED_CALLS: Final = 50
"""So many of the last answers tell how long the next ones will be."""


class BudgetUnmeasured(DomainError):
    code = "budget_unmeasured"
    detail = gettext_lazy(
        "The endpoint does not say how many tokens an answer took, so the budget cannot be kept. "
        "The answers so far are kept. Start again without a budget for the rest."
    )


def price_of(
    spec: ModelSpec, prompt_tokens: int, completion_tokens: int, *, is_from_file: bool = False
) -> Decimal | None:
    """Return the price of tokens in US dollars, None if the model has no prices.

    Tokens of batch files cost the model's `batch_factor` times its prices.
    """
    if spec.prompt_price is None or spec.completion_price is None:
        return None
    price = prompt_tokens * spec.prompt_price + completion_tokens * spec.completion_price
    return price * (spec.batch_factor if is_from_file else 1) / TOKENS_PER_PRICE


def answer_limit(spec: ModelSpec) -> float | None:
    """Return the most tokens that a model may write in an answer, None if nothing limits it."""
    limits = (spec.parameters.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return next((float(limit) for limit in limits if isinstance(limit, int)), None)


def measured_answer(calls: QuerySet[Any]) -> float | None:
    """Return the mean tokens of the last of these calls that told them, None if none did."""
    last = calls.filter(completion_tokens__gte=0).order_by("-pk")[:MEASURED_CALLS]
    mean: float | None = last.aggregate(mean=Avg("completion_tokens"))["mean"]
    return mean


def budget_faults(budget: Decimal, specs: Sequence[ModelSpec]) -> dict[str, list[str]]:
    """Return what is wrong with a budget for calls to these models, for the field `budget`."""
    if not 0 < budget <= MOST_BUDGET:
        return {"budget": [_("Enter an amount above 0, or leave it empty.")]}
    without = [spec.name for spec in specs if spec.prompt_price is None]
    if without:
        words = _("A budget needs prices. Enter the prices of the model %s first.")
        return {"budget": [words % without[0]]}
    return {}


def unmeasured_fault(count: int) -> dict[str, list[str]]:
    """Return why there can be no budget, for the field `budget`, if `count` answers told no tokens."""
    if not count:
        return {}
    words = ngettext(
        "Leave this empty: the endpoint did not say how many tokens %(n)s answer took.",
        "Leave this empty: the endpoint did not say how many tokens %(n)s answers took.",
        count,
    )
    return {"budget": [words % {"n": count}]}


@dataclass(slots=True)
class Purse:
    """What work has spent of its budget, for `calls` answers."""

    budget: Decimal | None
    spent: Decimal
    calls: int

    def affords(self, most: int, first: int) -> int:
        """Return how many of `most` calls to make next; `first` as long as no price is measured."""
        if self.budget is None:
            return most
        left = self.budget - self.spent
        if left <= 0:
            return 0
        return min(most, int(left / (self.spent / self.calls)) if self.spent else first)

    def shares(self, keys: Sequence[Key], first: int) -> Generator[Sequence[Key], None, bool]:
        """Yield as many keys at once as the budget affords; return whether it afforded all."""
        while keys:
            count = self.affords(len(keys), first)
            if not count:
                return False
            yield keys[:count]
            keys = keys[count:]
        return True

    def pay(self, spec: ModelSpec, result: engine.Result[Any]) -> None:
        """Count an answer. Raises BudgetUnmeasured if a budget cannot be kept."""
        if self.budget is None or result.state != engine.ANSWERED:
            return
        if result.prompt_tokens is None or result.completion_tokens is None:
            raise BudgetUnmeasured
        self.spent += price_of(spec, result.prompt_tokens, result.completion_tokens) or 0
        self.calls += 1
