"""Finds what a translation job asks, what it has spent, and what came of a system."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.enums import CallState, ItemKind, TranslatedState
from annotation.hidden_items import hidden_items
from annotation.items.queries import ItemFilter, filtered_items
from annotation.models import TranslatedItem, Translation, TranslationCall, TranslationJob
from annotation.translating.catalogue import STRATEGIES
from endpoints.budgets import price_of
from endpoints.models import Endpoint, ModelSpec
from projects.models import Project

MEASURED_CALLS: Final = 500
RETRIED: Final = ("endpoint", "hidden")
"""Reasons of failed items that a resumed job tries again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The items of a job: a filter of the list of items, and the first `limit` of them; 0 means all."""

    items: ItemFilter = field(default_factory=ItemFilter)
    limit: int = 0

    def as_json(self) -> dict[str, Any]:
        named = {name: value for name, value in asdict(self.items).items() if value}
        return named | ({"limit": self.limit} if self.limit else {})


@dataclass(frozen=True, slots=True)
class Chosen:
    """The items that a job would translate, and how many hidden ones it leaves out."""

    items: Sequence[int]
    hidden_count: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of calls to one role; `measured` counts the calls whose tokens the endpoint told."""

    calls: int = 0
    measured: int = 0
    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a job would take; tokens and price are None if no call of these models has measured them.

    A call that has to be repeated, because its answer cannot be used, comes on top.
    """

    items: int
    hidden_count: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    price: Decimal | None
    measured_on: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What a job has taken so far. `price` is in US dollars, None if a price or tokens are not known."""

    calls: int
    failed_calls: int
    prompt_tokens: int
    completion_tokens: int
    price: Decimal | None


@dataclass(frozen=True, slots=True)
class SystemTotals:
    """What all jobs of a system have taken so far, for the `translated` items that got a text."""

    translated: int
    totals: Totals


@dataclass(frozen=True, slots=True)
class _Used:
    """What the calls of a job to one role took; `failed` ones have no tokens."""

    is_judge: bool
    failed: int
    tokens: Tokens


ANSWERED: Final = Q(state=CallState.ANSWERED)
TOKENS: Final[dict[str, Any]] = {
    "calls": Count("pk", filter=ANSWERED),
    "measured": Count("pk", filter=ANSWERED & Q(prompt_tokens__gte=0, completion_tokens__gte=0)),
    "prompt": Sum("prompt_tokens", filter=ANSWERED),
    "completion": Sum("completion_tokens", filter=ANSWERED),
}


def choose_items(
    project: Project, system: str, selection: Selection, specs: Sequence[ModelSpec]
) -> Chosen:
    """Return the active items of a selection that have no text of `system`.

    Items of the kind translation are left out: their question is what a tested model translates.
    """
    has_text = Translation.all_rows.filter(item=OuterRef("pk"), system=system)
    rows = filtered_items(project, selection.items).filter(~Exists(has_text))
    rows = rows.active().exclude(kind=ItemKind.TRANSLATION)  # type: ignore[attr-defined]
    ids = list(rows.order_by("uid_order", "pk").values_list("pk", flat=True))
    blocked = blocked_items(project, specs)
    allowed = [pk for pk in ids if pk not in blocked]
    chosen = allowed[: selection.limit] if selection.limit else allowed
    return Chosen(chosen, len(ids) - len(allowed))


def blocked_items(project: Project, specs: Sequence[ModelSpec]) -> frozenset[int]:
    """Return the hidden items whose text must not go to one of these models' endpoints."""
    endpoints = {spec.endpoint_id for spec in specs}
    allowed = project_allows_hidden(project, endpoints)
    return frozenset() if allowed == endpoints else hidden_items(project.pk)


def project_allows_hidden(project: Project, endpoints: set[int]) -> set[int]:
    """Return those of the endpoints that the project allows to see hidden items."""
    rows = Endpoint.objects.filter(pk__in=endpoints, hidden_item_projects=project)
    return set(rows.values_list("pk", flat=True))


def estimate(
    project: Project,
    chosen: Chosen,
    *,
    strategy: str,
    samples: int,
    model: ModelSpec,
    judge: ModelSpec,
) -> Estimate:
    """Return what translating the chosen items would take, by the last calls of the same strategy and models."""
    way, count = STRATEGIES[strategy], len(chosen.items)
    judged = way.judge_calls(samples) * count
    parts = [(model, False, way.calls(samples) * count - judged), (judge, True, judged)]
    known = [
        (spec, calls, _measured(project, strategy, spec, is_judge=is_judge))
        for spec, is_judge, calls in parts
        if calls
    ]
    expected = [expected_tokens(calls, tokens) for _spec, calls, tokens in known]
    prices = [
        price_of(spec, *tokens) if tokens else None
        for (spec, _calls, _tokens), tokens in zip(known, expected, strict=True)
    ]
    is_known = None not in expected
    return Estimate(
        items=count,
        hidden_count=chosen.hidden_count,
        calls=way.calls(samples) * count,
        prompt_tokens=sum(e[0] for e in expected if e) if is_known else None,
        completion_tokens=sum(e[1] for e in expected if e) if is_known else None,
        price=None if None in prices else sum((p for p in prices if p), Decimal(0)),
        measured_on=min((tokens.measured for _spec, _calls, tokens in known), default=0),
    )


def estimate_json(found: Estimate) -> dict[str, Any]:
    """Return what the API and the command print of an estimate."""
    return {
        "items": found.items,
        "hidden_left_out": found.hidden_count,
        "calls": found.calls,
        "tokens": None
        if found.prompt_tokens is None
        else {"prompt": found.prompt_tokens, "completion": found.completion_tokens},
        "price": None if found.price is None else str(found.price),
        "measured_on": found.measured_on,
    }


def totals_of(translation_job: TranslationJob) -> Totals:
    """Return calls, tokens and price of a job, in one grouped query."""
    return _totals_of([translation_job], _used_by([translation_job]))


def totals_by_system(project: Project, systems: Collection[str]) -> dict[str, SystemTotals]:
    """Return what each of these systems took that has a translation job; three queries, or one."""
    jobs: dict[str, list[TranslationJob]] = {}
    rows = TranslationJob.objects.filter(project=project, system__in=systems)
    for each in rows.select_related("model_spec", "judge_spec").order_by("pk"):
        jobs.setdefault(each.system, []).append(each)
    if not jobs:
        return {}
    used = _used_by([each for found in jobs.values() for each in found])
    items = TranslatedItem.objects.filter(
        translation_job__in=list(used), state=TranslatedState.TRANSLATED
    )
    grouped = items.values_list("translation_job__system").annotate(n=Count("pk")).order_by()
    translated = dict(grouped)
    return {
        system: SystemTotals(translated.get(system, 0), _totals_of(found, used))
        for system, found in jobs.items()
    }


def item_counts(items: QuerySet[TranslatedItem]) -> dict[str, int]:
    """Return how many items of jobs are open, translated and failed."""
    rows = items.values_list("state").annotate(n=Count("pk")).order_by()
    return dict.fromkeys(TranslatedState.values, 0) | dict(rows)


def retried_items(translation_job: TranslationJob) -> QuerySet[TranslatedItem]:
    """Return the items that a resumed job tries: open ones, and failed ones that may succeed now."""
    may_succeed = Q(state=TranslatedState.FAILED, reason__in=RETRIED)
    return translation_job.items.filter(Q(state=TranslatedState.OPEN) | may_succeed)


def translation_jobs(project: Project) -> QuerySet[TranslationJob]:
    """Return the translation jobs of a project with the relations for a list; order by -pk."""
    rows = TranslationJob.objects.filter(project=project)
    return rows.select_related(
        "project", "job", "model_spec", "judge_spec", "prompt_template", "started_by"
    )


def _used_by(jobs: Sequence[TranslationJob]) -> dict[int, list[_Used]]:
    """Return what the calls of each job took, by the role of the model; one grouped query."""
    used: dict[int, list[_Used]] = {each.pk: [] for each in jobs}
    calls = TranslationCall.objects.filter(translated_item__translation_job__in=list(used))
    grouped: Any = calls.order_by().values("translated_item__translation_job", "is_judge")
    failed = Count("pk", filter=Q(state=CallState.FAILED))
    for row in grouped.annotate(failed=failed, **TOKENS):
        tokens = Tokens(**{name: row[name] or 0 for name in TOKENS})
        used[row["translated_item__translation_job"]].append(
            _Used(row["is_judge"], row["failed"], tokens)
        )
    return used


def _totals_of(jobs: Sequence[TranslationJob], used: Mapping[int, Sequence[_Used]]) -> Totals:
    rows = [(job, each) for job in jobs for each in used[job.pk]]
    prices = [_price(job, each) for job, each in rows if each.tokens.calls]
    return Totals(
        calls=sum(each.tokens.calls for _job, each in rows),
        failed_calls=sum(each.failed for _job, each in rows),
        prompt_tokens=sum(each.tokens.prompt for _job, each in rows),
        completion_tokens=sum(each.tokens.completion for _job, each in rows),
        price=None if None in prices else sum((p for p in prices if p), Decimal(0)),
    )


def _price(job: TranslationJob, used: _Used) -> Decimal | None:
    if used.tokens.measured < used.tokens.calls:
        return None
    spec = job.judge if used.is_judge else job.model_spec
    return price_of(spec, used.tokens.prompt, used.tokens.completion)


def tokens_of(calls: QuerySet[Any]) -> Tokens:
    """Return the tokens of raw calls of any kind of job, in one query."""
    return Tokens(**{name: value or 0 for name, value in calls.aggregate(**TOKENS).items()})


def _measured(project: Project, strategy: str, spec: ModelSpec, *, is_judge: bool) -> Tokens:
    """Return the tokens of the last calls of the model in this role, in jobs of the strategy."""
    path = "translated_item__translation_job"
    own = Q(**{f"{path}__model_spec__name": spec.name})
    judged = Q(**{f"{path}__judge_spec__name": spec.name})
    if is_judge:
        own = judged | Q(own, **{f"{path}__judge_spec": None})
    calls = TranslationCall.objects.filter(
        own,
        is_judge=is_judge,
        prompt_tokens__isnull=False,
        completion_tokens__isnull=False,
        state=CallState.ANSWERED,
        **{f"{path}__project": project, f"{path}__strategy": strategy},
    )
    last = calls.order_by("-pk").values("pk")[:MEASURED_CALLS]
    return tokens_of(TranslationCall.objects.filter(pk__in=list(last.values_list("pk", flat=True))))


def expected_tokens(calls: int, tokens: Tokens) -> tuple[int, int] | None:
    """Return the tokens sent and received by so many calls like those; None if none was measured."""
    if not tokens.measured:
        return None
    return (
        round(tokens.prompt * calls / tokens.measured),
        round(tokens.completion * calls / tokens.measured),
    )
