"""What the judging of an arena would take before it is created: battles, calls, tokens and price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from arena.actions.arenas import ArenaSettings, plan_battles
from arena.design import Battle as Planned
from arena.enums import CallState
from arena.models import ArenaCall, Contestant, Judge
from arena.queries import ORDERS, is_same_family
from arena.rubric import judge_messages
from endpoints.budgets import BYTES_PER_TOKEN, answer_limit, measured_answer, price_of
from endpoints.models import ModelSpec
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse
from projects.models import Project
from releases.models import ReleaseItem

SAMPLED_BATTLES: Final = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """What judging would take; verdicts that cannot be read are asked again and come on top.

    calls: battles × judges × two orders, without battles of a judge's own family
    prompt_tokens: by the length of the messages of `looked_at` battles in even steps
    completion_tokens: by the judge's last verdicts, else by the most that it may write; None if
        neither is known
    price: in US dollars, None if prices or tokens are not known
    """

    battles: int
    looked_at: int
    calls: int
    prompt_tokens: int
    completion_tokens: int | None
    price: Decimal | None


def estimate_arena(project: Project, settings: ArenaSettings) -> Estimate:
    """Return what judging would take, without writing. Raises what `plan_battles` raises."""
    planned = plan_battles(project, settings)
    looked_at = planned[:: max(1, -(-len(planned) // SAMPLED_BATTLES))]
    prompt_tokens = _message_bytes(settings, looked_at) / len(looked_at) / BYTES_PER_TOKEN
    parts = [
        (spec, len(ORDERS) * _judged(spec, settings, planned), _completion_tokens(project, spec))
        for spec in settings.judges
    ]
    written = [None if each is None else round(each * calls) for _spec, calls, each in parts]
    prices = [
        None if tokens is None else price_of(spec, round(prompt_tokens * calls), tokens)
        for (spec, calls, _each), tokens in zip(parts, written, strict=True)
    ]
    calls = sum(calls for _spec, calls, _each in parts)
    return Estimate(
        battles=len(planned),
        looked_at=len(looked_at),
        calls=calls,
        prompt_tokens=round(prompt_tokens * calls),
        completion_tokens=None if None in written else sum(each or 0 for each in written),
        price=None if None in prices else sum((each or Decimal(0) for each in prices), Decimal(0)),
    )


def estimate_json(found: Estimate) -> dict[str, Any]:
    """Return what the command and the API tell of an estimate; the price is text."""
    return {
        "battles": found.battles,
        "calls": found.calls,
        "prompt_tokens": found.prompt_tokens,
        "completion_tokens": found.completion_tokens,
        "price": None if found.price is None else str(found.price),
    }


def _judged(spec: ModelSpec, settings: ArenaSettings, planned: Sequence[Planned]) -> int:
    """Return how many battles the model may judge."""
    families = settings.families
    judge = Judge(model_spec=spec, name=spec.name, family=families.get(spec.name, ""))
    own = {
        run.pk
        for run in settings.runs
        if is_same_family(
            judge,
            Contestant(
                run=run, name=run.model_spec.name, family=families.get(run.model_spec.name, "")
            ),
        )
    }
    return sum(own.isdisjoint((first, second)) for _item, first, second in planned)


def _message_bytes(settings: ArenaSettings, planned: Sequence[Planned]) -> int:
    items = ReleaseItem.objects.select_related("revision").in_bulk({each[0] for each in planned})
    texts = _answers(settings, list(items))
    return sum(
        len(message.content.encode())
        for item, first, second in planned
        for message in judge_messages(
            settings.rubric,
            question=items[item].revision.question,
            reference=items[item].revision.answer,
            answers=(texts[item, first], texts[item, second]),
        )
    )


def _answers(settings: ArenaSettings, items: Sequence[int]) -> Mapping[tuple[int, int], str]:
    rows = ModelResponse.objects.filter(
        run__in=settings.runs, epoch=1, state=ResponseState.ANSWERED, release_item__in=items
    )
    return {
        (item, run): text for item, run, text in rows.values_list("release_item", "run", "text")
    }


def _completion_tokens(project: Project, spec: ModelSpec) -> float | None:
    verdicts = ArenaCall.objects.filter(
        battle__arena__project=project,
        judge__model_spec__model=spec.model,
        state=CallState.ANSWERED,
    )
    mean = measured_answer(verdicts)
    return answer_limit(spec) if mean is None else mean
