"""A plain engine translates the parts of an item in one call, and serves nothing but translation jobs."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal

import pytest

from annotation.asking.answers import fault_text
from annotation.models import TranslationCall
from annotation.screening.actions import ScreeningSettings, estimate_of
from annotation.translating.actions import TranslationInvalid
from annotation.translating.queries import totals_of
from endpoints.enums import ProviderName
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest
from endpoints.providers.recorded import RecordedProvider
from endpoints.specs.actions import ModelTranslatesOnly, check_answers_prompts
from endpoints.specs.queries import prompted_models, usable_models
from projects.models import Project
from tests.annotation.translating.builders import make_items, make_job, outcomes, work_off
from tests.factories import EndpointFactory, ModelSpecFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
HAN = re.compile(r"[㐀-鿿]+")


def engine_of(project: Project, provider: str = "microsoft", **fields: object) -> ModelSpec:
    endpoint = EndpointFactory(project=project, provider=provider)
    return ModelSpecFactory(project=project, endpoint=endpoint, **fields)


def engine(request: ChatRequest) -> str:
    """Translate every run of Han characters and leave tags alone, as an engine does."""
    texts = json.loads(request.messages[-1].content)
    return json.dumps([HAN.sub("ཆུ།", text) for text in texts], ensure_ascii=False)


def test_item_is_translated_in_one_call_with_its_parts_put_back(project: Project) -> None:
    (item,) = make_items(project, 1)
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return engine(request)

    started = make_job(project, spec=engine_of(project), strategy="engine")
    work_off(started, reply)

    assert outcomes(started) == [("translated", "")]
    (request,) = asked
    sent = json.loads(request.messages[-1].content)
    assert len(sent) == 4  # the option "20" has no word
    assert request.parameters == {
        "source": "zh-Hans",
        "target": "bo",
        "settings": {},
    }
    text = item.translations.get(system="m1").current_revision
    assert text.question == "ཆུ།80℃ཆུ།$\\rho_{0}$ཆུ།？"
    assert text.options == ["ཆུ།", "ཆུ།", "DNAཆུ།", "20"]


def test_lost_formula_fails_the_item_in_words_after_one_call(project: Project) -> None:
    make_items(project, 1)
    started = make_job(project, spec=engine_of(project), strategy="engine")

    work_off(started, lambda request: json.dumps(["ཆུ།"] * 4))

    row = started.items.get()
    assert (row.state, row.reason) == ("failed", "part_lost")
    words = "The translation lost “$\\rho_{0}$”, or has it twice."
    assert fault_text(row.reason, row.reason_data) == words
    assert TranslationCall.objects.filter(translated_item=row).count() == 1


def test_item_longer_than_a_call_fails_in_words_without_one(project: Project) -> None:
    (item,) = make_items(project, 1)
    item.question = "水" * 5_001
    item.save()
    started = make_job(project, spec=engine_of(project, "google_v2"), strategy="engine")

    work_off(started, engine)

    row = started.items.get()
    assert row.reason == "too_many_characters"
    words = "The item has more than the 5000 characters of one call."
    assert fault_text(row.reason, row.reason_data) == words
    assert not TranslationCall.objects.exists()


class Counting(RecordedProvider):
    """Says how many characters a call took, as the client of an engine does."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(engine(request), "stop", "m", prompt_tokens=50, completion_tokens=0)


def test_price_is_of_characters(project: Project) -> None:
    make_items(project, 2)
    spec = engine_of(project, prompt_price=Decimal(20), completion_price=Decimal(0))
    started = make_job(project, spec=spec, strategy="engine", budget=Decimal(1))

    work_off(started, Counting({}))

    assert outcomes(started) == [("translated", "")] * 2
    assert totals_of(started).price == Decimal("0.002")


def refusal(project: Project, spec: ModelSpec, **settings: object) -> Mapping[str, object]:
    with pytest.raises(TranslationInvalid) as caught:
        make_job(project, spec=spec, **settings)
    return dict(caught.value.fields)


def test_engine_and_strategy_must_fit_and_the_engine_must_know_the_languages(
    project: Project,
) -> None:
    make_items(project, 1)
    chat, plain = ModelSpecFactory(project=project, name="chat"), engine_of(project, name="plain")
    deepl = engine_of(project, "deepl", name="deepl")
    assert refusal(project, plain, strategy="rank") == {
        "strategy": ["“plain” is a translation engine. Choose the strategy “engine”."]
    }
    assert refusal(project, chat, strategy="engine") == {
        "strategy": ["“chat” is not a translation engine. Choose another strategy."]
    }
    assert refusal(project, chat, strategy="rank", judge=plain) == {
        "judge": ["“plain” is a translation engine and cannot judge. Choose another model."]
    }
    (words,) = refusal(project, deepl, strategy="engine")["model"]
    assert words.startswith("As far as we know, “deepl” does not translate from zh")
    named = engine_of(project, "deepl", name="named", parameters={"languages": {"bo": "BO"}})
    assert make_job(project, spec=named, strategy="engine").pk


def test_engine_serves_no_work_that_asks_prompts(project: Project) -> None:
    make_items(project, 1)
    chat, plain = ModelSpecFactory(project=project), engine_of(project, name="plain")
    assert set(usable_models(project)) == {chat, plain}
    assert set(prompted_models(project)) == {chat}
    with pytest.raises(ModelTranslatesOnly) as caught:
        check_answers_prompts(plain)
    assert str(caught.value) == (
        "“plain” is a translation engine and answers no prompts. Choose another model."
    )
    with pytest.raises(ModelTranslatesOnly):
        estimate_of(project=project, settings=ScreeningSettings(screens=("context",), model=plain))
    assert plain.endpoint.provider == ProviderName.MICROSOFT
