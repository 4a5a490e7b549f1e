"""Finds what a job may ask models about items, which rows are left, and what its calls take."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from math import ceil
from typing import Any, Final

from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import gettext, gettext_lazy

from annotation.asking.answers import fault_text
from annotation.asking.kinds import AskingKind, Started
from annotation.enums import CallState
from annotation.hidden_items import hidden_items
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import Item
from common.errors import DomainError
from endpoints.budgets import price_of
from endpoints.models import Endpoint, ModelSpec
from endpoints.queries import endpoint_concurrency, endpoint_limit, may_see_hidden_items
from endpoints.stops import MODEL_FAULTS
from endpoints.stops import fault_text as call_fault_text
from jobs.models import Job
from projects.models import Project

MEASURED_CALLS: Final = 500
EXPECTED_FROM: Final = 20
"""So many answers tell what a job will have taken in all."""
MOST_UIDS: Final = 10_000
"""A statement can name so many ids on both databases."""
UNKNOWN_SHOWN: Final = 10
OPEN, FAILED = "open", "failed"
"""The states that the rows of all kinds have."""
RETRIED: Final = ("endpoint", "hidden")
"""Reasons of failed rows that a resumed job asks for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The items of a job: a filter of the list of items, and the first `limit` of them; 0 means all.

    With `uids`, only these are among them; what is empty in it is left out, but does not mean all.
    """

    items: ItemFilter = field(default_factory=ItemFilter)
    limit: int = 0
    uids: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        named = {name: value for name, value in asdict(self.items).items() if value}
        further = {"limit": self.limit, "uids": [uid for uid in self.uids if uid]}
        return named | {name: value for name, value in further.items() if value}


class ItemsUnknown(DomainError):
    code = "items_unknown"
    detail = gettext_lazy("This project has no items with these ids, %(count)s in all: %(uids)s.")
    status = 400


class ListEmpty(DomainError):
    code = "list_empty"
    detail = gettext_lazy("The list names no item. Name some, or leave the list out for all items.")
    status = 400


class TooManyUids(DomainError):
    code = "too_many_uids"
    detail = gettext_lazy("A list names at most %(most)s items. Use several jobs, or a filter.")
    status = 400


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of calls to one role; `measured` counts the calls whose tokens the endpoint told.

    `milliseconds` are those of the `timed` calls. The calls of batch files have none.
    """

    calls: int = 0
    measured: int = 0
    prompt: int = 0
    completion: int = 0
    timed: int = 0
    milliseconds: int = 0

    def __sub__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.calls - other.calls,
            self.measured - other.measured,
            self.prompt - other.prompt,
            self.completion - other.completion,
            self.timed - other.timed,
            self.milliseconds - other.milliseconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a job would take; tokens and price are None if no call of these models has measured them.

    A call that has to be repeated, because its answer cannot be used, comes on top. `without_text`
    counts the items that a kind leaves out because they have no text to ask about; None if it asks
    about others too. `call_seconds` is how long the calls take one after another, None if no call was
    timed or files are asked; the limits of the endpoints make the job take `least_seconds`.
    """

    items: int
    hidden_count: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    price: Decimal | None
    measured_on: int
    without_text: int | None = None
    call_seconds: float | None = None
    least_seconds: float = 0.0

    def seconds(self, concurrency: int) -> int | None:
        """Return how long the job takes if it makes so many calls at once."""
        if self.call_seconds is None:
            return None
        return ceil(max(self.call_seconds / concurrency, self.least_seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What a job has taken so far. `price` is in US dollars, None if a price or tokens are not known."""

    calls: int
    failed_calls: int
    prompt_tokens: int
    completion_tokens: int
    price: Decimal | None


ANSWERED: Final = Q(state=CallState.ANSWERED)
# A question that the model did not answer takes no tokens, if the endpoint does not say otherwise.
_MEASURED: Final = Q(prompt_tokens__gte=0, completion_tokens__gte=0) | ~Q(error="")
TOKENS: Final[dict[str, Any]] = {
    "calls": Count("pk", filter=ANSWERED),
    "measured": Count("pk", filter=ANSWERED & _MEASURED),
    "prompt": Sum("prompt_tokens", filter=ANSWERED),
    "completion": Sum("completion_tokens", filter=ANSWERED),
    "timed": Count("pk", filter=ANSWERED & Q(latency_ms__gt=0)),
    "milliseconds": Sum("latency_ms", filter=ANSWERED),
}


def jobs_of(kind: AskingKind[Started], project: Project) -> QuerySet[Started]:
    """Return the jobs of a kind in a project with the relations for a list; order by -pk."""
    return kind.jobs.filter(project=project)


def retried_rows(kind: AskingKind[Started], started: Started) -> QuerySet[Any]:
    """Return the rows that a resumed job asks for: open ones, and failed ones that may succeed now."""
    may_succeed = Q(state=FAILED, **{f"{kind.reason}__in": RETRIED})
    rows: QuerySet[Any] = getattr(started, kind.rows).filter(Q(state=OPEN) | may_succeed)
    return rows


def state_counts(rows: QuerySet[Any]) -> dict[str, int]:
    """Return how many rows are in each state, in one grouped query."""
    states = [state for state, _label in rows.model._meta.get_field("state").choices]
    counts = rows.values_list("state").annotate(n=Count("pk")).order_by()
    return dict.fromkeys(states, 0) | dict(counts)


def reason_text(code: str, data: Mapping[str, Any]) -> str:
    """Return why a row failed in the reader's language; the fault of a call in words too."""
    if error := str(data.get("fault", "")):
        data = {"fault": str(MODEL_FAULTS.get(error) or call_fault_text(error))}
    return fault_text(code, data, gettext)


def blocked_items(project: Project, specs: Sequence[ModelSpec]) -> frozenset[int]:
    """Return the hidden items whose text must not go to one of these models' endpoints."""
    if may_see_hidden_items(project, (spec.endpoint_id for spec in specs)):
        return frozenset()
    return hidden_items(project.pk)


def selected_items(project: Project, selection: Selection) -> QuerySet[Item]:
    """Return the active items of a selection; its limit is not applied.

    Raises ListEmpty, ItemsUnknown, TooManyUids.
    """
    rows: QuerySet[Item] = filtered_items(project, selection.items).active()  # type: ignore[attr-defined]
    if not selection.uids:
        return rows
    wanted = {uid for uid in selection.uids if uid}
    if not wanted:
        raise ListEmpty
    if len(wanted) > MOST_UIDS:
        raise TooManyUids(most=MOST_UIDS)
    known = dict(Item.objects.filter(project=project, uid__in=wanted).values_list("uid", "pk"))
    if unknown := sorted(wanted - known.keys()):
        raise ItemsUnknown(count=len(unknown), uids=", ".join(unknown[:UNKNOWN_SHOWN]))
    return rows.filter(pk__in=known.values())


def allowed_items(
    project: Project, found: Sequence[int], specs: Sequence[ModelSpec], limit: int
) -> tuple[Sequence[int], int]:
    """Return the first `limit` items that may go to the models, and how many hidden ones may not."""
    blocked = blocked_items(project, specs)
    allowed = [pk for pk in found if pk not in blocked]
    return allowed[: limit or None], len(found) - len(allowed)


def tokens_of(calls: QuerySet[Any]) -> Tokens:
    """Return the tokens of raw calls of any kind of job, in one query."""
    return Tokens(**{name: value or 0 for name, value in calls.aggregate(**TOKENS).items()})


def totals_from(
    calls: QuerySet[Any], spec: ModelSpec, *, of_files: QuerySet[Any] | None = None
) -> Totals:
    """Return what the calls of a job to one model took, in two queries; `of_files` those of batch files."""
    tokens = tokens_of(calls)
    prices = [price_from(spec, tokens)]
    if of_files is not None:
        filed = tokens_of(of_files)
        prices = [price_from(spec, tokens - filed), price_from(spec, filed, is_from_file=True)]
    return Totals(
        calls=tokens.calls,
        failed_calls=calls.filter(state=CallState.FAILED).count(),
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        price=sum_of(prices),
    )


def expected_totals(totals: Totals, job: Job) -> Totals | None:
    """Return what a job that goes on will have taken in all, by its answers so far; None before twenty."""
    if job.has_ended or totals.calls < EXPECTED_FROM or not 0 < job.done < job.total:
        return None
    share = Decimal(job.total) / job.done
    return Totals(
        calls=round(totals.calls * share),
        failed_calls=totals.failed_calls,
        prompt_tokens=round(totals.prompt_tokens * share),
        completion_tokens=round(totals.completion_tokens * share),
        price=None if totals.price is None else totals.price * share,
    )


def price_from(spec: ModelSpec, tokens: Tokens, *, is_from_file: bool = False) -> Decimal | None:
    """Return the price of calls to a model, None if the tokens of one are not known."""
    if tokens.measured < tokens.calls:
        return None
    return price_of(spec, tokens.prompt, tokens.completion, is_from_file=is_from_file)


def totals_json(totals: Totals) -> dict[str, Any]:
    """Return calls, tokens and price as the API and commands print them; the price is text."""
    return {
        "calls": totals.calls,
        "tokens": {"prompt": totals.prompt_tokens, "completion": totals.completion_tokens},
        "price": None if totals.price is None else str(totals.price),
    }


def measured_tokens(calls: QuerySet[Any]) -> Tokens:
    """Return the tokens of the last of these calls whose tokens are known."""
    told = calls.filter(ANSWERED, prompt_tokens__isnull=False, completion_tokens__isnull=False)
    last = list(told.order_by("-pk").values_list("pk", flat=True)[:MEASURED_CALLS])
    return tokens_of(calls.filter(pk__in=last))


Parts = Sequence[tuple[ModelSpec, int, Tokens]]
"""A model, how many calls go to it, and what its last calls took."""


def estimate(
    parts: Parts,
    *,
    items: int,
    hidden_count: int,
    is_from_file: bool = False,
) -> Estimate:
    """Return what a job would take whose parts are calls to a model that has measured tokens."""
    expected = [_expected(calls, tokens) for _spec, calls, tokens in parts]
    prices = [
        price_of(spec, *tokens, is_from_file=is_from_file) if tokens else None
        for (spec, _calls, _measured), tokens in zip(parts, expected, strict=True)
    ]
    is_known = None not in expected
    return Estimate(
        items=items,
        hidden_count=hidden_count,
        calls=sum(calls for _spec, calls, _tokens in parts),
        prompt_tokens=sum(each[0] for each in expected if each) if is_known else None,
        completion_tokens=sum(each[1] for each in expected if each) if is_known else None,
        price=sum_of(prices),
        measured_on=min((tokens.measured for _spec, _calls, tokens in parts), default=0),
        call_seconds=None if is_from_file else _call_seconds(parts),
        least_seconds=_least_seconds(parts),
    )


def _call_seconds(parts: Parts) -> float | None:
    if not all(tokens.timed for _spec, _calls, tokens in parts):
        return None
    return sum(_seconds_of(calls, tokens) for _spec, calls, tokens in parts)


def _seconds_of(calls: int, tokens: Tokens) -> float:
    """Return how long the calls take one after another; 0 if none like them was timed."""
    return calls * tokens.milliseconds / tokens.timed / 1000 if tokens.timed else 0.0


def _least_seconds(parts: Parts) -> float:
    """Return the seconds in which the limits of the endpoints let the calls through."""
    counts: Counter[Endpoint] = Counter()
    seconds: dict[Endpoint, float] = {}
    for spec, calls, tokens in parts:
        counts[spec.endpoint] += calls
        spent = seconds.get(spec.endpoint, 0.0)
        seconds[spec.endpoint] = spent + _seconds_of(calls, tokens)
    least = [0.0]
    for endpoint, calls in counts.items():
        if limit := endpoint_limit(endpoint):
            least.append(60 * calls / limit)
        if places := endpoint_concurrency(endpoint.base_url):
            least.append(seconds[endpoint] / places)
    return max(least)


def sum_of(prices: Sequence[Decimal | None]) -> Decimal | None:
    """Return the sum of prices, None if one of them is not known."""
    return None if None in prices else sum((price for price in prices if price), Decimal(0))


def estimate_json(found: Estimate, concurrency: int) -> dict[str, Any]:
    """Return what the API and the command print of an estimate, with the time of so many calls at once."""
    return {
        "items": found.items,
        "hidden_left_out": found.hidden_count,
        "calls": found.calls,
        "tokens": None
        if found.prompt_tokens is None
        else {"prompt": found.prompt_tokens, "completion": found.completion_tokens},
        "price": None if found.price is None else str(found.price),
        "seconds": found.seconds(concurrency),
        "measured_on": found.measured_on,
        **({} if found.without_text is None else {"without_text": found.without_text}),
    }


def _expected(calls: int, tokens: Tokens) -> tuple[int, int] | None:
    """Return the tokens sent and received by so many calls like those; None if none was measured."""
    if not tokens.measured:
        return None
    return (
        round(tokens.prompt * calls / tokens.measured),
        round(tokens.completion * calls / tokens.measured),
    )
