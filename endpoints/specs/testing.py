"""Asks a model one short question, and says in words what came of it."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from common.errors import DomainError
from endpoints import engine
from endpoints.connections import KeyMissing, check_usable, connect, limiter_of
from endpoints.models import Endpoint, ModelSpec
from endpoints.providers.base import (
    ChatProvider,
    ChatRequest,
    EndpointGarbled,
    EndpointKnowsNothing,
    EndpointRefused,
    Message,
)
from endpoints.providers.translation.base import Segments, as_request
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.stops import fault_text
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from projects.models import Project
from projects.selectors import get_project

Connect = Callable[[Endpoint], ChatProvider]
TEST_KIND: Final = "model_test"
QUESTION: Final = "Which letter comes first in the Latin alphabet: B or A? Reply with the letter."
ONE_TRY: Final = engine.Limits(tries=1)
SLOW_MS: Final = 20_000
LOGPROBS: Final = {"logprobs": True, "top_logprobs": 1}
GIVES_LOGPROBS: Final = re.compile(r'"logprobs"\s*:\s*\{')
ADVICE: Final[Mapping[str, str | Promise]] = {
    "key_missing": gettext_lazy(
        "Ask the administrator to set the environment variable of the key and restart the worker."
    ),
    "endpoint-locked": gettext_lazy("Ask the administrator to correct the key of the endpoint."),
    "endpoint-forbids": gettext_lazy("Ask the provider whether the key may use this model."),
    "endpoint-knows-nothing": gettext_lazy(
        "Correct the name of the model, or the address of the endpoint."
    ),
    "endpoint-unpaid": gettext_lazy("Add credit at the provider, then test again."),
    "endpoint-unreachable": gettext_lazy("Check that the service is running, and its address."),
    "endpoint-busy": gettext_lazy("Test again later."),
    "endpoint-broken": gettext_lazy("Test again later."),
    "endpoint-refused": gettext_lazy("Check the parameters of the model."),
    "endpoint-garbled": gettext_lazy(
        "Check that the address is the one of an OpenAI-compatible API; it often ends in /v1."
    ),
}


def start_test(*, spec: ModelSpec, project: Project, actor: User | None, now: datetime) -> Job:
    """Queue a job that tests a model for a project: the worker has the key, and a page must not wait.

    Raises EndpointNotAllowed, EndpointClosed.
    """
    check_usable(spec.endpoint, project)
    return create_job(
        kind=TEST_KIND,
        scope=project.slug,
        params={"spec": spec.pk, "model": spec.name},
        actor=actor,
        now=now,
    )


def perform_test(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of a test; return what `texts_of_test` puts into words."""
    spec = ModelSpec.objects.select_related("endpoint").get(pk=job.params["spec"])
    project = get_project(job.scope)
    progress.start(1)
    check_usable(spec.endpoint, project)
    return ask_once(spec, project)


def ask_once(spec: ModelSpec, project: Project) -> dict[str, Any]:
    """Ask one question, and where that is answered, the same with log-probabilities.

    Returns `error` (empty for an answer), and what the answer was like. Its text is not kept.
    """
    try:
        error, answer = _ask(spec, project, spec.parameters)
    except KeyMissing:
        return {"error": KeyMissing.code, "model": spec.model}
    if answer is None or error:
        return {"error": error, "model": spec.model}
    is_engine = spec.endpoint.provider in ENGINES
    second = None if is_engine else _ask(spec, project, {**spec.parameters, **LOGPROBS})[1]
    return {
        "error": "",
        "model": spec.model,
        "answered_as": answer.endpoint_model,
        "latency_ms": answer.latency_ms,
        "is_empty": not answer.text.strip(),
        "finish_reason": answer.finish_reason,
        "has_tokens": None not in (answer.prompt_tokens, answer.completion_tokens),
        "is_engine": is_engine,
        "has_likelihoods": not is_engine and _gives_likelihoods(spec),
        "has_logprobs": second is not None and bool(GIVES_LOGPROBS.search(second.body)),
    }


def _ask(
    spec: ModelSpec, project: Project, parameters: Mapping[str, object]
) -> tuple[str, engine.Result[int] | None]:
    """Return the error, empty for an answer, and the result if there is one. Raises KeyMissing."""
    return _call(spec, _request(spec, project, parameters), connect)


def _call(
    spec: ModelSpec, request: ChatRequest, connect: Connect
) -> tuple[str, engine.Result[int] | None]:
    results: list[engine.Result[int]] = []
    summary = engine.run(
        [engine.Unit(1, request)],
        provider=connect(spec.endpoint),
        concurrency=1,
        store=results.extend,
        is_cancelled=lambda: False,
        limits=ONE_TRY,
        limiter=limiter_of(spec.endpoint),
    )
    if not results:
        return summary.detail, None
    return results[0].error, results[0]


def _request(spec: ModelSpec, project: Project, parameters: Mapping[str, object]) -> ChatRequest:
    plain = ENGINES.get(spec.endpoint.provider)
    if plain is None:
        return ChatRequest(spec.model, (Message("user", QUESTION),), parameters)
    source = plain.source_code(project.source_language, spec.parameters)
    target = plain.target_code(project.target_language, spec.parameters)
    return as_request(Segments((QUESTION,), source, target, spec.model, parameters))


class LikelihoodsMissing(DomainError):
    code = "likelihoods_missing"
    detail = gettext_lazy(
        "This endpoint does not say how probable options are (completions with echo and logprobs), "
        "which the likelihood methods need. Nothing has been asked. Choose other methods, or a "
        "model behind a server such as vLLM."
    )


def check_likelihoods(
    spec: ModelSpec,
    *,
    connect: Connect = connect,
    refusal: type[DomainError] = LikelihoodsMissing,
) -> None:
    """Try one short prompt with two continuations.

    Raises `refusal` if the endpoint cannot answer it; of other troubles the calls that follow tell.
    Raises KeyMissing.
    """
    error, _answer = _call(spec, _both_letters(spec), connect)
    if _lacks_likelihoods(error):
        raise refusal


def _gives_likelihoods(spec: ModelSpec) -> bool:
    error, answer = _call(spec, _both_letters(spec), connect)
    return not error and answer is not None


def _both_letters(spec: ModelSpec) -> ChatRequest:
    return ChatRequest(spec.model, (Message("user", QUESTION),), continuations=(" A", " B"))


def _lacks_likelihoods(error: str) -> bool:
    return error.partition(":")[0] in {
        EndpointGarbled.code, EndpointRefused.code, EndpointKnowsNothing.code,
    }  # fmt: skip


def texts_of_test(result: Mapping[str, Any]) -> list[str]:
    """Put the result of a test into sentences, the most important first."""
    error = result["error"]
    if error:
        fault = _("the worker has no key for it") if error == KeyMissing.code else fault_text(error)
        advice = str(ADVICE.get(error.partition(":")[0], ""))
        return [_("The endpoint did not answer: %s.") % fault, *([advice] if advice else [])]
    seconds = result["latency_ms"] / 1000
    texts = [_("The model answered in %s seconds.") % f"{seconds:.1f}"]
    if result["latency_ms"] > SLOW_MS:
        texts.append(_("This is slow: expect long runs, or allow more concurrent requests."))
    if result["answered_as"] not in {"", result["model"]}:
        words = _("It answered as “%(answered_as)s”, not as “%(model)s”.")
        texts.append(words % {name: result[name] for name in ("answered_as", "model")})
    if result["is_empty"]:
        words = _("Its answer is empty (finish reason: %s). Allow more tokens.")
        texts.append(words % (result["finish_reason"] or "–"))
    if result.get("is_engine"):
        return texts
    if not result["has_tokens"]:
        texts.append(_("It does not say how many tokens an answer took, so it can have no budget."))
    texts.append(
        _("It gives log-probabilities.")
        if result["has_logprobs"]
        else _("It gives no log-probabilities.")
    )
    texts.append(
        _("It says how probable options are, so likelihood methods can be used.")
        if result.get("has_likelihoods")
        else _("It does not say how probable options are, so likelihood methods cannot be used.")
    )
    return texts
