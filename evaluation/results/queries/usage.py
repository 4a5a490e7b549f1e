"""What the answers of a run took: calls, copies of earlier answers, and tokens."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum

from endpoints.budgets import price_of
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts of a run's answers; those of reused answers were counted in the run that bought them.

    bought: answers that the run asked for
    reused: copies of answers that earlier runs of the project bought
    unmeasured: bought answers whose tokens the endpoint did not tell
    price: of the tokens in US dollars; None if a price or the tokens of an answer are not known
    """

    bought: int = 0
    reused: int = 0
    unmeasured: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    price: Decimal | None = None


def usage_of(run: Run) -> Usage:
    """Count the answers and tokens of a run, with one query; its model must be loaded."""
    bought = Q(reused_from=None)
    silent = bought & (Q(prompt_tokens=None) | Q(completion_tokens=None))
    rows = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    found = rows.aggregate(
        bought=Count("pk", filter=bought),
        reused=Count("pk", filter=~bought),
        unmeasured=Count("pk", filter=silent),
        prompt_tokens=Sum("prompt_tokens", filter=bought, default=0),
        completion_tokens=Sum("completion_tokens", filter=bought, default=0),
    )
    price = price_of(run.model_spec, found["prompt_tokens"], found["completion_tokens"])
    return Usage(**found, price=None if found["unmeasured"] else price)
