"""What a run would take before it starts: calls, reused answers, tokens and price."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final

from endpoints.budgets import BYTES_PER_TOKEN, answer_limit, measured_answer, price_of
from endpoints.connections import address_of
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest, Message, request_hash
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from evaluation.queries import asked_items, shots_without_explanation
from evaluation.runs.actions import RunSettings, check_parts, check_settings
from evaluation.runs.execution import Questions
from evaluation.runs.hidden_items import hidden_items_sent
from evaluation.runs.reuse import Question, bought_answers, has_earlier_run
from projects.models import Project
from prompts.models import PromptTemplate
from releases.models import Release, ReleaseItem
from scoring.scorers import are_likelihoods
from scoring.scorers.likelihood import BEGINNING

SAMPLED_ITEMS: Final = 200
"""How many items pages and the API look at; the rest is extrapolated."""
MEASURED_ANSWERS: Final = 50
MEASURED, LIMIT, UNKNOWN = "measured", "limit", "unknown"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take; `reused`, tokens and price are extrapolated if `looked_at` < `items`.

    questions: items × epochs
    reused: questions with an answer from an earlier run
    calls: questions that are asked, without tries that bring nothing
    bytes_per_token: bytes of UTF-8 in a prompt for one of its tokens, by `measured_on` stored
        answers, or assumed if that is 0
    completion_basis: measured, by the mean of the last run of the model in the same style of
        prompt; limit, by the most that the model may write; or unknown
    price: in US dollars, None if prices or tokens are not known
    shots, bare_shots: the examples of all subjects, and those of a chain of thought that have no
        explanation in the target language and show the answer alone
    hidden_items: hidden items that would go to an endpoint which the project does not allow for them
    """

    items: int
    looked_at: int
    questions: int
    reused: int
    calls: int
    prompt_tokens: int
    completion_tokens: int | None
    bytes_per_token: float
    measured_on: int
    completion_basis: str
    price: Decimal | None
    shots: int
    bare_shots: int
    hidden_items: int = 0


def estimate_run(
    *,
    release: Release,
    model_spec: ModelSpec,
    prompt: PromptTemplate,
    settings: RunSettings,
    most: int | None = None,
) -> Estimate:
    """Return what a run would take, without writing and without the endpoint.

    Looks at every item, or at `most` of them in even steps. Raises what `start_run` raises of the
    parts and the settings.
    """
    check_settings(settings, model_spec)
    check_parts(release, model_spec, prompt, settings)
    run = Run(
        release=release, model_spec=model_spec, prompt_template=prompt, shots=settings.shots,
        epochs=settings.epochs, rotation=settings.rotation, methods=list(settings.methods),
        is_asked_again=settings.is_asked_again,
    )  # fmt: skip
    items, chosen = _chosen_items(run, most)
    reused, sent_bytes = _count(run, chosen)
    scale = items / len(chosen)
    questions = items * run.epochs
    reused = min(questions, round(reused * scale))
    calls = questions - reused
    bytes_per_token, measured_on = bytes_per_token_of(release.project, model_spec.model)
    prompt_tokens = round(sent_bytes * scale / bytes_per_token)
    shots, bare_shots = shots_without_explanation(run)
    each, basis = _completion_tokens(run, chosen) if calls else (0.0, MEASURED)
    completion_tokens = None if each is None else round(calls * each)
    return Estimate(
        items=items,
        looked_at=len(chosen),
        questions=questions,
        reused=reused,
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        bytes_per_token=bytes_per_token,
        measured_on=measured_on,
        completion_basis=basis,
        price=_price(model_spec, prompt_tokens, completion_tokens, is_from_file=settings.is_held)
        if calls
        else Decimal(0),
        shots=shots,
        bare_shots=bare_shots,
        hidden_items=hidden_items_sent(release, model_spec, settings.methods),
    )


def _price(
    spec: ModelSpec, sent: int, received: int | None, *, is_from_file: bool
) -> Decimal | None:
    if received is None:
        return None
    return price_of(spec, sent, received, is_from_file=is_from_file)


def estimate_json(found: Estimate) -> dict[str, Any]:
    """Return what the API and the command print of an estimate; the price is text."""
    return {**asdict(found), "price": None if found.price is None else str(found.price)}


def _chosen_items(run: Run, most: int | None) -> tuple[int, Sequence[ReleaseItem]]:
    """Return the number of asked items, and those to look at, in even steps over the release."""
    rows = asked_items(run.release, run.methods)
    if most is None:
        found = list(rows)
        return len(found), found
    pks = list(rows.values_list("pk", flat=True))
    step = max(1, -(-len(pks) // most))
    return len(pks), list(rows.filter(pk__in=pks[::step]))


def _count(run: Run, chosen: Sequence[ReleaseItem]) -> tuple[int, int]:
    """Return how many questions have a bought answer, and the bytes of the prompts of the others."""
    questions, address = Questions(run), address_of(run.model_spec.endpoint)
    questions.take(chosen)
    sizes: list[tuple[Question, int]] = []
    for placed in chosen:
        for epoch in range(1, run.epochs + 1):
            asked = questions.request((placed.pk, epoch))
            sizes.append(((request_hash(address, asked), epoch), sent_bytes(asked)))
    found = bought_answers(run, [key for key, _size_of in sizes]) if has_earlier_run(run) else {}
    reused = sum(key in found for key, _size_of in sizes)
    return reused, sum(size for key, size in sizes if key not in found)


def sent_bytes(asked: ChatRequest) -> int:
    """Return the bytes of what is sent; a prompt goes once with each continuation, if there are any."""
    options = sum(len(each.encode()) for each in asked.continuations)
    return bytes_of(asked.messages) * max(1, len(asked.continuations)) + options


def bytes_of(messages: Sequence[Message]) -> int:
    """Return the bytes of a prompt in UTF-8."""
    return sum(len(message.content.encode()) for message in messages)


def bytes_per_token_of(project: Project, model: str = "") -> tuple[float, int]:
    """Return bytes for each token, by the last answers of the model, or else of any model.

    The second number says how many stored answers tell it; 0 if it is assumed.
    """
    rows = ModelResponse.objects.filter(
        run__release__project=project,
        state=ResponseState.ANSWERED,
        reused_from=None,
        run__imported_from="",
        prompt_tokens__gt=0,
    )
    same = rows.filter(run__model_spec__model=model)
    for told in (same, rows):
        last = told.order_by("-pk").values_list("run", flat=True).first()
        if last is not None:
            return _measured_in(last)
    return BYTES_PER_TOKEN, 0


def _measured_in(run_pk: int) -> tuple[float, int]:
    """Return bytes for each token in the last prompts of one run, built again from its parts."""
    run = Run.objects.select_related("release", "model_spec", "prompt_template").get(pk=run_pk)
    rows = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED, prompt_tokens__gt=0)
    found = list(rows.filter(reused_from=None).order_by("-pk")[:MEASURED_ANSWERS])
    questions = Questions(run)
    placed = asked_items(run.release, run.methods)
    questions.take(placed.filter(pk__in={row.release_item_id for row in found}))
    asked = (questions.request((row.release_item_id, row.epoch)) for row in found)
    sent = sum(sent_bytes(request) for request in asked)
    return sent / sum(row.prompt_tokens or 0 for row in found), len(found)


def _completion_tokens(run: Run, chosen: Sequence[ReleaseItem]) -> tuple[float | None, str]:
    """Return the tokens of one answer, and what they rest on; of likelihoods one for each option."""
    if are_likelihoods(run.methods):
        return sum(len(placed.options) for placed in chosen) / len(chosen), LIMIT
    alike = ModelResponse.objects.filter(
        run__release__project=run.release.project,
        run__model_spec__model=run.model_spec.model,
        run__prompt_template__style=run.prompt_template.style,
        state=ResponseState.ANSWERED,
        reused_from=None,
        run__imported_from="",
    ).exclude(text__startswith=BEGINNING)
    if (mean := measured_answer(alike)) is not None:
        return mean, MEASURED
    limit = answer_limit(run.model_spec)
    return limit, UNKNOWN if limit is None else LIMIT
