"""What the answers of a run took: calls, copies of earlier answers, and tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum

from endpoints.budgets import price_of
from endpoints.models import ModelSpec
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts of a run's answers; those of reused answers were counted in the run that bought them.

    bought: answers that the run asked for
    reused: copies of answers that earlier runs of the project bought
    unmeasured: bought answers whose tokens the endpoint did not tell
    file_…: the tokens among these that came from batch files
    price: of the tokens in US dollars; None if a price or the tokens of an answer are not known
    """

    bought: int = 0
    reused: int = 0
    unmeasured: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    file_prompt_tokens: int = 0
    file_completion_tokens: int = 0
    price: Decimal | None = None


def usage_of(run: Run) -> Usage:
    """Count the answers and tokens of a run, with one query; its model must be loaded."""
    bought = Q(reused_from=None)
    filed = bought & Q(is_from_file=True)
    silent = bought & (Q(prompt_tokens=None) | Q(completion_tokens=None))
    rows = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    found = rows.aggregate(
        bought=Count("pk", filter=bought),
        reused=Count("pk", filter=~bought),
        unmeasured=Count("pk", filter=silent),
        file_prompt_tokens=Sum("prompt_tokens", filter=filed, default=0),
        file_completion_tokens=Sum("completion_tokens", filter=filed, default=0),
        prompt_tokens=Sum("prompt_tokens", filter=bought, default=0),
        completion_tokens=Sum("completion_tokens", filter=bought, default=0),
    )
    return Usage(**found, price=_price(run.model_spec, found))


def spent_on(
    spec: ModelSpec, *, sent: int, got: int, filed: tuple[int, int], silent: int
) -> Decimal | None:
    """Return the price of tokens, None if `silent` answers did not tell theirs; `filed` ones cost less."""
    direct = price_of(spec, sent - filed[0], got - filed[1])
    by_file = price_of(spec, *filed, is_from_file=True) if any(filed) else 0
    return None if silent or direct is None or by_file is None else direct + by_file


def _price(spec: ModelSpec, found: Mapping[str, int]) -> Decimal | None:
    filed = found["file_prompt_tokens"], found["file_completion_tokens"]
    return spent_on(
        spec, sent=found["prompt_tokens"], got=found["completion_tokens"], filed=filed,
        silent=found["unmeasured"],
    )  # fmt: skip
