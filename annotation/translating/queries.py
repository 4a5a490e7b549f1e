"""Finds what a translation job asks, what it has spent, and what came of a system."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from annotation.asking.queries import (
    TOKENS,
    Estimate,
    Selection,
    Tokens,
    Totals,
    allowed_items,
    estimate,
    measured_tokens,
    price_from,
    selected_items,
    sum_of,
)
from annotation.enums import CallState, ItemKind, TranslatedState
from annotation.models import TranslatedItem, Translation, TranslationCall, TranslationJob
from annotation.translating.catalogue import STRATEGIES
from endpoints.models import ModelSpec
from projects.models import Project


@dataclass(frozen=True, slots=True)
class Chosen:
    """The items that a job would translate, and how many hidden ones it leaves out."""

    items: Sequence[int]
    hidden_count: int


@dataclass(frozen=True, slots=True)
class SystemTotals:
    """What all jobs of a system have taken so far, for the `translated` items that got a text."""

    translated: int
    totals: Totals


@dataclass(frozen=True, slots=True)
class _Used:
    """What the calls of a job to one role took, asked directly or by file; `failed` ones have no tokens."""

    is_judge: bool
    is_from_file: bool
    failed: int
    tokens: Tokens


def choose_items(
    project: Project, system: str, selection: Selection, specs: Sequence[ModelSpec]
) -> Chosen:
    """Return the active items of a selection that have no text of `system`.

    Items of the kind translation are left out: their question is what a tested model translates.
    """
    has_text = Translation.all_rows.filter(item=OuterRef("pk"), system=system)
    rows = selected_items(project, selection).filter(~Exists(has_text))
    rows = rows.exclude(kind=ItemKind.TRANSLATION)
    ids = list(rows.order_by("uid_order", "pk").values_list("pk", flat=True))
    return Chosen(*allowed_items(project, ids, specs, selection.limit))


def estimate_items(
    project: Project,
    chosen: Chosen,
    *,
    strategy: str,
    samples: int,
    model: ModelSpec,
    judge: ModelSpec,
    is_from_file: bool = False,
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
    return estimate(known, items=count, hidden_count=chosen.hidden_count, is_from_file=is_from_file)


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


def _used_by(jobs: Sequence[TranslationJob]) -> dict[int, list[_Used]]:
    """Return what the calls of each job took, by the role of the model and the way; one grouped query."""
    used: dict[int, list[_Used]] = {each.pk: [] for each in jobs}
    calls = TranslationCall.objects.filter(translated_item__translation_job__in=list(used))
    grouped: Any = calls.order_by().values(
        "translated_item__translation_job", "is_judge", "is_from_file"
    )
    failed = Count("pk", filter=Q(state=CallState.FAILED))
    for row in grouped.annotate(failed=failed, **TOKENS):
        tokens = Tokens(**{name: row[name] or 0 for name in TOKENS})
        used[row["translated_item__translation_job"]].append(
            _Used(row["is_judge"], row["is_from_file"], row["failed"], tokens)
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
        price=sum_of(prices),
    )


def _price(job: TranslationJob, used: _Used) -> Decimal | None:
    spec = job.judge if used.is_judge else job.model_spec
    return price_from(spec, used.tokens, is_from_file=used.is_from_file)


def _measured(project: Project, strategy: str, spec: ModelSpec, *, is_judge: bool) -> Tokens:
    """Return the tokens of the last calls of the model in this role, in jobs of the strategy."""
    path = "translated_item__translation_job"
    own = Q(**{f"{path}__model_spec__name": spec.name})
    judged = Q(**{f"{path}__judge_spec__name": spec.name})
    if is_judge:
        own = judged | Q(own, **{f"{path}__judge_spec": None})
    calls = TranslationCall.objects.filter(
        own, is_judge=is_judge, **{f"{path}__project": project, f"{path}__strategy": strategy}
    )
    return measured_tokens(calls)
