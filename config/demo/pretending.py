"""Lets the stand-in models answer in this process, because the demo is loaded before their endpoint starts."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from accounts.models import User
from common.errors import DomainError
from endpoints.actions import EndpointValues, create_endpoint
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatReply, ChatRequest
from endpoints.providers.personas import PERSONAS
from endpoints.providers.stand_in import completion, reply
from endpoints.specs.actions import SpecValues, create_model
from jobs.enums import JobState
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project

ENDPOINT = "stand-in"
PARAMETERS = {"temperature": 0, "max_tokens": 200}
PROMPT_PRICE, COMPLETION_PRICE = Decimal("0.50"), Decimal("1.50")
"""Pretend prices in US dollars for a million tokens."""


class WorkUnfinished(DomainError):
    code = "work_unfinished"
    detail = "A job of the demo ended as %(state)s: %(reason)s"


class Pretender:
    """Answers as the stand-in endpoint does."""

    endpoint = "stand-in"

    async def complete(self, request: ChatRequest) -> ChatReply:
        messages = [{"role": each.role, "content": each.content} for each in request.messages]
        content = messages[-1]["content"]
        seed = f"0/{request.parameters.get('seed', '')}"
        text = reply({"messages": messages}, request.model, content, seed, {})
        usage: Any = completion(request.model, content, text)["usage"]
        return ChatReply(
            text,
            "stop",
            request.model,
            prompt_tokens=usage["prompt_tokens"],
            completion_tokens=usage["completion_tokens"],
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def create_models(
    project: Project, *, endpoint: str, manager: User, now: datetime
) -> dict[str, ModelSpec]:
    """Create the endpoint and its models in a project; return the models by name."""
    place = EndpointValues(name=ENDPOINT, base_url=endpoint)
    create_endpoint(values=place, project=project, actor=manager, now=now)
    return {
        persona: create_model(
            project=project,
            name=persona,
            values=SpecValues(
                endpoint=place.name,
                model=persona,
                parameters=PARAMETERS,
                prompt_price=PROMPT_PRICE,
                completion_price=COMPLETION_PRICE,
            ),
            actor=manager,
            now=now,
        )
        for persona in PERSONAS
    }


def work_off(job: Job, work: Callable[..., dict[str, Any]]) -> None:
    """Do a job here, its calls answered by the stand-in models. Raises WorkUnfinished."""
    done = run_now(job, partial(work, connect=lambda endpoint: Pretender()))
    if done.state != JobState.DONE:
        raise WorkUnfinished(state=done.state, reason=done.error)
