"""The work of a translation job: an item is concluded as a text, or as a failure with its reason."""

from collections.abc import Collection, Sequence
from typing import Any

from django.utils import timezone

from annotation.asking.execution import AskingWork, Plan
from annotation.asking.plans import Call
from annotation.asking.queries import Totals
from annotation.models import TranslatedItem, TranslationCall
from annotation.translating.actions import TRANSLATION, conclude_items
from annotation.translating.briefs import brief_of, engine_brief_of
from annotation.translating.catalogue import STRATEGIES
from annotation.translating.plain_engines import engine_parameters
from annotation.translating.queries import totals_of
from annotation.translating.texts import ItemText
from endpoints import engine
from endpoints.batches import Connect
from endpoints.connections import connect as connect_to
from endpoints.models import ModelSpec
from endpoints.parameters import epoch_parameters
from endpoints.providers.translation.catalogue import ENGINES
from jobs.models import Job
from jobs.progress import Progress


def perform_translation(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a translation job; return its counts, and whether the budget ended it."""
    return _Translating(job, progress, connect, limits).run()


def held_translation(job: Job) -> AskingWork:
    """Return the work of a job, to ask its calls by batch file."""
    return _Translating(job, Progress(job.pk), connect_to, engine.DEFAULT_LIMITS)


class _Translating(AskingWork):
    kind = TRANSLATION
    calls = TranslationCall
    row = "translated_item"
    key = ("step", "attempt")
    relations = ("item__subject", "item__project")

    def totals(self) -> Totals:
        return totals_of(self.started)

    def calls_of_row(self) -> int:
        return STRATEGIES[self.started.strategy].calls(self.started.samples)

    def steps(self) -> tuple[str, ...]:
        return STRATEGIES[self.started.strategy].steps

    def plan(self, row: TranslatedItem, blocked: Collection[int]) -> Plan:
        provider = self.started.model_spec.endpoint.provider
        if provider in ENGINES:
            brief = engine_brief_of(row.item, provider)
        else:
            brief = brief_of(row.item, self.started.prompt_template, without=blocked)
        return STRATEGIES[self.started.strategy].plan(brief, self.started.samples)

    def conclude(self, ended: Sequence[tuple[TranslatedItem, ItemText]]) -> None:
        conclude_items(started=self.started, texts=dict(ended), now=timezone.now())

    def columns(self, call: Call) -> dict[str, Any]:
        return {"step": call.step, "attempt": call.attempt, "is_judge": call.is_judge}

    def parameters(self, spec: ModelSpec, call: Call) -> dict[str, Any]:
        """Return the decoding parameters of a call.

        Candidates differ by seed and have a temperature of their own. A model with the parameter
        `response_format` = {"type": "json_schema"} is given the schema of the answer there.
        """
        if plain := ENGINES.get(spec.endpoint.provider):
            return engine_parameters(plain, self.started.project, spec.parameters)
        parameters = epoch_parameters(spec.parameters, call.number)
        if call.temperature is not None:
            parameters["temperature"] = call.temperature
        wanted = parameters.get("response_format")
        if isinstance(wanted, dict) and wanted.get("type") == "json_schema":
            schema = {"name": "answer", "strict": True, "schema": call.prompt.schema}
            parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        return parameters
