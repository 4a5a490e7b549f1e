"""The strategy of plain translation engines: each part of an item is a segment of one call."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from annotation.asking.answers import Unusable
from annotation.asking.plans import Answer, Call, Prompt
from annotation.text_fields import FURTHER_FIELDS
from annotation.translating.prompting import Brief
from annotation.translating.strategies import Plan, Strategy
from annotation.translating.texts import ItemText, check_translation
from endpoints.providers.base import Message
from endpoints.providers.translation.base import Engine
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.providers.translation.protection import PartLost, Protected, protect, restore
from languages import get_language

STEP: Final = "engine"
LATIN: Final = "Latn"


class Languages(Protocol):
    """A project, or whatever else names its two languages."""

    @property
    def source_language(self) -> str: ...
    @property
    def target_language(self) -> str: ...


class PlainEngine(Strategy):
    """One call to a plain engine. Nothing is asked again: it would answer the same."""

    name = "engine"
    steps = (STEP,)

    def calls(self, samples: int) -> int:
        return 1

    def plan(self, brief: Brief, samples: int) -> Plan:
        """Parts without a letter outside formulas and terms are not sent and stay as they are."""
        engine, source = ENGINES[brief.engine], brief.source
        parts = _parts(source.text)
        keeps_latin = get_language(source.source_language).script != LATIN
        marked = [protect(text, engine.markup, keeps_latin=keeps_latin) for text in parts]
        sent = [place for place, each in enumerate(marked) if each.has_words]
        texts = [marked[place].text for place in sent]
        _check_size(texts, engine)
        if sent:
            prompt = Prompt((Message("user", json.dumps(texts, ensure_ascii=False)),))
            answers = yield [Call(STEP, 1, prompt)]
            found = _read(answers[STEP, 1], len(sent))
            for place, text in zip(sent, found, strict=True):
                parts[place] = _restored(text, marked[place], engine)
        translated = _with_parts(source.text, parts)
        check_translation(translated, source)
        return translated


def engine_parameters(
    engine: Engine, project: Languages, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what goes along with the texts of a call: the codes of the languages, and settings."""
    return {
        "source": engine.source_code(project.source_language, settings),
        "target": engine.target_code(project.target_language, settings),
        "settings": dict(settings),
    }


def _parts(text: ItemText) -> list[str]:
    return [text.question, *text.options, *(getattr(text, name) for name in FURTHER_FIELDS)]


def _with_parts(text: ItemText, parts: Sequence[str]) -> ItemText:
    count = len(text.options)
    further = dict(zip(FURTHER_FIELDS, parts[count + 1 :], strict=True))
    return replace(text, question=parts[0], options=tuple(parts[1 : count + 1]), **further)


def _check_size(texts: Sequence[str], engine: Engine) -> None:
    if sum(map(len, texts)) > engine.most_characters:
        raise Unusable("too_many_characters", {"count": engine.most_characters})
    if len(texts) > engine.most_segments:
        raise Unusable("too_many_segments", {"count": engine.most_segments})


def _read(answer: Answer, count: int) -> list[str]:
    if isinstance(answer, Unusable):
        raise answer
    try:
        found = json.loads(answer)
    except ValueError as error:
        raise Unusable("not_json") from error
    if not isinstance(found, list) or len(found) != count:
        raise Unusable("segments", {"count": count})
    return [str(text) for text in found]


def _restored(text: str, protected: Protected, engine: Engine) -> str:
    try:
        return restore(text, protected, engine.markup)
    except PartLost as lost:
        raise Unusable("part_lost", {"part": lost.part}) from lost
