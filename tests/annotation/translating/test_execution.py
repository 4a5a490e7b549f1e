"""A job ends with every item translated or failed in words, and asks no stored answer again."""

import json
from collections import Counter
from decimal import Decimal

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from accounts.models import AuditEvent
from annotation.asking.actions import resume_asking
from annotation.asking.answers import fault_text
from annotation.asking.queries import reason_text
from annotation.enums import Origin
from annotation.items.revisions import new_machine_text, store_machine_texts
from annotation.models import Item, Revision, Translation, TranslationCall, TranslationJob
from annotation.translating.actions import (
    TRANSLATION,
    TranslationComplete,
    TranslationUnderway,
    conclude_items,
)
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.queries import totals_of
from annotation.translating.texts import ItemText
from endpoints.connections import EndpointClosed, connect
from endpoints.models import Endpoint
from endpoints.providers.base import CONTENT_FILTER, ChatReply, ChatRequest, EndpointRefused
from endpoints.providers.recorded import NullProvider
from jobs.actions import cancel_job, resume_job
from jobs.enums import JobState
from projects.models import Project
from tests.annotation.translating.builders import (
    NOW,
    Reply,
    good,
    make_items,
    make_job,
    outcomes,
    work_off,
)
from tests.evaluation.builders import serving
from tests.factories import EndpointFactory, ModelSpecFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def answered(started: TranslationJob) -> int:
    return TranslationCall.objects.filter(
        translated_item__translation_job=started, state="answered"
    ).count()


@pytest.mark.parametrize(("strategy", "calls"), [
    ("single", 1), ("self_check", 2), ("best_of_n", 4), ("fuse", 4), ("rank", 7),
])  # fmt: skip
def test_strategy_takes_its_calls_and_stores_machine_texts_with_findings_checked(
    project: Project, strategy: str, calls: int
) -> None:
    items = make_items(project)
    started = make_job(project, strategy=strategy)

    job = work_off(started)

    assert job.state == JobState.DONE
    assert STRATEGIES[strategy].calls(3) == calls
    assert answered(started) == 3 * calls
    assert outcomes(started) == [("translated", "")] * 3
    for item in items:
        item.refresh_from_db()
        text = item.working_translation.current_revision
        assert (text.translation.system, text.origin, len(text.options)) == ("m1", Origin.MT, 4)
        assert (text.options[2][:3], text.options[3]) == ("DNA", item.options[3])
        assert not text.findings.filter(severity="error").exists()


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "engine"])
def test_every_item_is_translated_or_failed_in_words_at_an_endpoint_that_misbehaves(
    project: Project, strategy: str
) -> None:
    make_items(project, 12)
    with serving(
        faults={"busy": 0.1, "broken": 0.1, "disconnect": 0.05, "garbage": 0.05}
    ) as server:
        endpoint = EndpointFactory(project=project, base_url=server.base_url)
        spec = ModelSpecFactory(project=project, endpoint=endpoint, model="stand-in-weak")
        started = make_job(project, spec=spec, strategy=strategy)
        job = work_off(started, connect(endpoint))

    assert job.state == JobState.DONE
    states = Counter(state for state, _reason in outcomes(started))
    assert states["translated"] + states["failed"] == 12
    assert states["translated"]
    for row in started.items.filter(state="failed"):
        assert fault_text(row.reason, row.reason_data) != row.reason
    assert not Item.objects.filter(translations__revisions__options__len=3).exists()


def test_item_whose_answers_cannot_be_used_is_asked_thrice_and_says_why(project: Project) -> None:
    make_items(project, 1)
    asked: list[ChatRequest] = []

    def three_options(request: ChatRequest) -> str:
        asked.append(request)
        return json.dumps({"question": "水 80 $\\rho_{0}$", "options": ["ཀ", "ཁ", "ག"]})

    started = make_job(project)
    work_off(started, three_options)

    assert outcomes(started) == [("failed", "option_count")]
    row = started.items.get()
    words = "Whole item: The translation has 3 options, the source has 4."
    assert fault_text(row.reason, row.reason_data) == words
    assert [len(request.messages) for request in asked] == [2, 4, 4]
    assert words in asked[1].messages[-1].content
    with pytest.raises(TranslationComplete):
        resume_asking(TRANSLATION, started, actor=None, now=NOW)


def dying(answers: int) -> Reply:
    """Give some answers and then end the worker: nothing of the last call is stored."""
    left = iter(range(answers))

    def reply(request: ChatRequest) -> str:
        if next(left, None) is None:
            raise SystemExit
        return good(request)

    return reply


@pytest.mark.parametrize("answers", [1, 4, 9, 17])
def test_job_that_was_killed_continues_without_asking_a_stored_answer_again(
    project: Project, answers: int
) -> None:
    make_items(project, 3)
    started = make_job(project, strategy="rank", concurrency=2)
    with pytest.raises(SystemExit):
        work_off(started, dying(answers))
    stored = answered(started)
    asked: list[ChatRequest] = []

    def count(request: ChatRequest) -> str:
        asked.append(request)
        return good(request)

    type(started.job).objects.filter(pk=started.job_id).update(state=JobState.QUEUED, worker="")
    work_off(started, count)

    assert outcomes(started) == [("translated", "")] * 3
    assert len(asked) == 21 - stored


def test_item_whose_endpoint_refused_is_tried_again_on_resume(project: Project) -> None:
    make_items(project, 2)

    class Refusing(NullProvider):
        async def complete(self, request: ChatRequest) -> ChatReply:
            if "80℃" in request.messages[-1].content:
                raise EndpointRefused("400", body="secret text")
            return await super().complete(request)

    started = make_job(project)
    work_off(started, Refusing(good))
    assert outcomes(started) == [("failed", "endpoint"), ("translated", "")]
    assert started.items.first().reason_data == {"fault": "endpoint-refused: 400"}

    resume_asking(TRANSLATION, started, actor=None, now=NOW)
    work_off(started)
    assert outcomes(started) == [("translated", "")] * 2
    assert answered(started) == 2


class Filtered(NullProvider):
    """An endpoint whose filter refuses the prompts that hold some words, or have a seed."""

    def __init__(self, words: str = "80℃", seed: int = 0) -> None:
        super().__init__(good)
        self.words, self.seed, self.asked = words, seed, 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked += 1
        is_seed = not self.seed or request.parameters.get("seed") == self.seed
        if is_seed and self.words in request.messages[0].content + request.messages[-1].content:
            return ChatReply("", fault=CONTENT_FILTER)
        return await super().complete(request)


@pytest.mark.parametrize(("strategy", "asked"), [("single", 2), ("self_check", 3), ("fuse", 7)])
def test_question_that_a_filter_refuses_is_never_asked_again(
    project: Project, strategy: str, asked: int
) -> None:
    make_items(project, 2)
    started, provider = make_job(project, strategy=strategy), Filtered()
    work_off(started, provider)

    assert outcomes(started) == [("failed", "no_answer"), ("translated", "")]
    row = started.items.get(state="failed")
    words = "The model gave no answer: a content filter refused the question."
    assert reason_text(row.reason, row.reason_data) == words
    assert provider.asked == asked
    with pytest.raises(TranslationComplete):
        resume_asking(TRANSLATION, started, actor=None, now=NOW)


@pytest.mark.parametrize("strategy", ["best_of_n", "fuse", "rank"])
def test_candidate_that_a_filter_refuses_is_left_out(project: Project, strategy: str) -> None:
    make_items(project, 1)
    spec = ModelSpecFactory(project=project, parameters={"seed": 1})
    started = make_job(project, spec=spec, strategy=strategy)
    work_off(started, Filtered(seed=2))
    assert outcomes(started) == [("translated", "")]


class MeteredProvider(NullProvider):
    """An endpoint that says that each answer took 100 tokens in and 100 out."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(good(request), prompt_tokens=100, completion_tokens=100)


def test_budget_ends_the_job_in_order_and_a_higher_one_continues_it(project: Project) -> None:
    make_items(project, 6)
    prices = {"prompt_price": Decimal(1000), "completion_price": Decimal(4000)}
    spec = ModelSpecFactory(project=project, **prices)  # half a dollar a call
    started = make_job(project, spec=spec, budget=Decimal(2), concurrency=1)

    job = work_off(started, MeteredProvider(good))
    assert (job.state, answered(started)) == (JobState.DONE, 4)
    assert job.result["is_budget_spent"]
    assert outcomes(started) == [("translated", "")] * 4 + [("open", "")] * 2

    resume_asking(TRANSLATION, started, budget=Decimal(3), actor=None, now=NOW)
    job = work_off(started, MeteredProvider(good))
    assert (answered(started), job.result["translated"]) == (6, 6)


def test_question_without_an_answer_leaves_the_price_known(project: Project) -> None:
    make_items(project, 3)
    prices = {"prompt_price": Decimal(1000), "completion_price": Decimal(4000)}
    spec = ModelSpecFactory(project=project, **prices)

    class MeteredFilter(Filtered, MeteredProvider):
        """What is answered is metered, and what the filter refuses is not."""

    started = make_job(project, spec=spec, budget=Decimal("0.7"), concurrency=1)
    work_off(started, MeteredFilter())
    assert totals_of(started).price == Decimal("0.5")

    resume_asking(TRANSLATION, started, budget=Decimal(2), actor=None, now=NOW)
    job = work_off(started, MeteredFilter())
    assert (job.state, totals_of(started).price) == (JobState.DONE, Decimal(1))
    assert outcomes(started) == [("failed", "no_answer"), ("translated", ""), ("translated", "")]


def test_budget_at_an_endpoint_that_tells_no_tokens_ends_the_job_in_words(project: Project) -> None:
    make_items(project, 2)
    prices = {"prompt_price": Decimal(1), "completion_price": Decimal(4)}
    started = make_job(project, spec=ModelSpecFactory(project=project, **prices), budget=Decimal(1))
    job = work_off(started)
    assert (job.state, job.error_code) == (JobState.FAILED, "budget_unmeasured")


def test_judge_may_be_another_model(project: Project) -> None:
    make_items(project, 1)
    judge = ModelSpecFactory(project=project, model="the-judge")
    started = make_job(project, strategy="rank", judge=judge)
    asked: Counter[str] = Counter()

    def count(request: ChatRequest) -> str:
        asked[request.model] += 1
        return good(request)

    work_off(started, count)
    assert asked == {"stand-in-strong": 4, "the-judge": 3}


def test_job_is_not_resumed_beside_another_of_its_system_nor_at_a_closed_endpoint(
    project: Project,
) -> None:
    make_items(project, 2)
    first = make_job(project)
    cancel_job(job=first.job, actor=None, now=NOW)
    second = make_job(project)
    first.job.refresh_from_db()
    with pytest.raises(TranslationUnderway), transaction.atomic():
        resume_job(job=first.job, actor=None, now=NOW)
    first.job.refresh_from_db()
    assert first.job.state == JobState.CANCELLED

    cancel_job(job=second.job, actor=None, now=NOW)
    Endpoint.objects.update(is_active=False)
    with pytest.raises(EndpointClosed), transaction.atomic():
        resume_asking(TRANSLATION, first, actor=None, now=NOW)


def test_endpoint_that_was_closed_meanwhile_is_not_called(project: Project) -> None:
    make_items(project, 2)
    started = make_job(project)
    Endpoint.objects.update(is_active=False)
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return good(request)

    job = work_off(started, reply)
    assert (job.state, job.error_code, asked) == (JobState.FAILED, "endpoint_closed", [])


def test_item_that_has_a_text_of_the_system_by_now_fails_and_the_others_are_stored(
    project: Project,
) -> None:
    items = make_items(project)
    started = make_job(project)
    other = new_machine_text(
        item=items[1], question="དྲི་བ།", options=["ཀ"], answer="", explanation="", now=NOW
    )
    store_machine_texts(texts=[other], project=project, system="m1", actor=None, now=NOW)

    work_off(started)

    assert outcomes(started) == [("translated", ""), ("failed", "text_exists"), ("translated", "")]
    texts = Revision.objects.filter(translation__system="m1").order_by("pk")
    assert [text.translation.item for text in texts] == [items[1], items[0], items[2]]
    assert list(started.items.order_by("pk").values_list("revision", flat=True)) == [
        texts[1].pk, None, texts[2].pk,
    ]  # fmt: skip
    events = AuditEvent.objects.filter(verb="revision.created").order_by("pk")
    assert [event.target for event in events] == [f"revision:{text.pk}" for text in texts]


@pytest.mark.parametrize("count", [1, 6])
def test_texts_are_stored_by_as_many_statements_for_one_item_as_for_six(
    project: Project, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_items(project, count)
    started = make_job(project)
    text = ItemText("དྲི་བ།", ("ཀ", "ཁ", "ག", "ང"))
    rows = list(started.items.select_related("item__project").order_by("pk"))
    texts = dict.fromkeys(reversed(rows), text)

    with django_assert_num_queries(17):
        conclude_items(started=started, texts=texts, now=NOW)

    assert outcomes(started) == [("translated", "")] * count
    made = Translation.objects.filter(system="m1").order_by("pk").values_list("item", flat=True)
    assert list(made) == sorted(made)  # as an import does, so that neither waits for the other
