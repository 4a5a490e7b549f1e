"""Copies the answers of earlier runs to the same questions, so that none is bought twice."""

from collections.abc import Iterable, Mapping

from django.db.models import QuerySet
from django.utils import timezone

from common.batches import batched
from endpoints.batches import insert_missing
from endpoints.connections import address_of
from endpoints.models import RawCall
from endpoints.providers.base import ChatRequest, request_hash
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run

BATCH = 500
Asked = tuple[int, int]
"""The id of a release item, and an epoch."""
Question = tuple[str, int]
"""The hash of a request, and an epoch."""
COPIED = tuple(
    field.name for field in RawCall._meta.get_fields() if field.name not in {"id", "created_at"}
)


def has_earlier_run(run: Run) -> bool:
    """Whether to look for answers: another run of the project has asked the model at this address."""
    if run.is_asked_again:
        return False
    spec = run.model_spec
    others = Run.objects.filter(
        release__project=run.release.project,
        model_spec__model=spec.model,
        model_spec__endpoint__base_url=spec.endpoint.base_url,
    )
    return others.exclude(pk=run.pk).exists()


def reuse_answers(*, run: Run, requests: Mapping[Asked, ChatRequest]) -> int:
    """Store a copy of the earliest answer to each request that an earlier run has; return how many.

    Requests are equal if address, model, parameters and messages are equal, whatever the item, the
    release or the prompt are called; epoch k takes answers of epoch k. Failures are not copied.
    May run twice: there can be only one answer for each (run, item, epoch).
    """
    return store_copies(run, reusable_answers(run, requests))


def reusable_answers(run: Run, requests: Mapping[Asked, ChatRequest]) -> dict[Asked, ModelResponse]:
    """Return the earliest answer of another run to each request that has one."""
    address = address_of(run.model_spec.endpoint)
    wanted = {key: (request_hash(address, asked), key[1]) for key, asked in requests.items()}
    found = bought_answers(run, wanted.values())
    return {key: found[each] for key, each in wanted.items() if each in found}


def store_copies(run: Run, bought: Mapping[Asked, ModelResponse]) -> int:
    """Store a copy of each answer, by what it answers; return how many."""
    rows = [_copy(run, key, answer) for key, answer in bought.items()]
    there = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    for some in batched(rows, BATCH):
        stored = there.filter(release_item__in={row.release_item_id for row in some})
        insert_missing(some, stored=stored, key=("release_item_id", "epoch"))
    return len(rows)


def bought_answers(run: Run, questions: Iterable[Question]) -> dict[Question, ModelResponse]:
    """Return the earliest answer that other runs of the project bought to each of the questions."""
    wanted = set(questions)
    hashes = sorted({digest for digest, _epoch in wanted})
    bought = _bought_by_others(run).order_by("pk")
    found: dict[Question, ModelResponse] = {}
    for some in batched(hashes, BATCH):
        for row in bought.filter(request_hash__in=some):
            question = (row.request_hash, row.epoch)
            if question in wanted:
                found.setdefault(question, row)
    return found


def _bought_by_others(run: Run) -> QuerySet[ModelResponse]:
    rows = ModelResponse.objects.filter(
        run__release__project=run.release.project, state=ResponseState.ANSWERED, reused_from=None
    )
    return rows.exclude(run=run.pk) if run.pk else rows


def _copy(run: Run, key: Asked, bought: ModelResponse) -> ModelResponse:
    pk, epoch = key
    return ModelResponse(
        run=run,
        release_item_id=pk,
        epoch=epoch,
        state=ResponseState.ANSWERED,
        says=bought.says,
        reused_from=bought,
        created_at=timezone.now(),
        **{name: getattr(bought, name) for name in COPIED},
    )
