"""The contract of a chat endpoint: what is asked, what comes back and how it can fail."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

# Why a model gives no answer to a question, however often it is asked.
TOO_LONG = "context_length_exceeded"
CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One prompt for one model; `parameters` are decoding parameters as the endpoint names them.

    With `continuations`, the model writes nothing: it says how probable each of them is after the
    prompt, by the completions call with `echo` and `logprobs`. Without messages, the one
    continuation is a text by itself.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, object] = field(default_factory=dict)
    continuations: tuple[str, ...] = ()

    @property
    def is_streamed(self) -> bool:
        """Whether the answer comes as server-sent events: with the parameter `stream`."""
        return self.parameters.get("stream") is True and not self.continuations

    def body(self) -> dict[str, object]:
        """Return the JSON object that goes to `/chat/completions`, or else to `/completions`."""
        if self.continuations:
            return self._completions_body()
        turns = [{"role": turn.role, "content": turn.content} for turn in self.messages]
        return {**self.parameters, "model": self.model, "messages": turns}

    def _completions_body(self) -> dict[str, object]:
        """Return all continuations as prompts of one call.

        One token is asked for, which is ignored: not every server takes 0. Decoding parameters
        do not change probabilities and are left out.
        """
        prompt = "\n\n".join(turn.content for turn in self.messages)
        texts = [prompt + each for each in self.continuations]
        return {
            "model": self.model, "prompt": texts, "max_tokens": 1, "echo": True, "logprobs": 1,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the endpoint returned; token counts are None where it did not say.

    `fault` says why the model gave no answer and will give none: TOO_LONG or CONTENT_FILTER.
    `tool_calls` is JSON as text, `body` the beginning of the body.
    """

    text: str
    finish_reason: str = ""
    endpoint_model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning: str = ""
    refusal: str = ""
    tool_calls: str = ""
    fault: str = ""
    body: str = field(default="", compare=False)


class EndpointError(Exception):
    """A call that brought no reply.

    `code` is stable. `detail` is a status or a few words and never quotes the endpoint; `body` is
    the beginning of what it sent, without the key.
    """

    code: ClassVar[str] = "endpoint-error"
    is_retryable: ClassVar[bool] = True

    def __init__(self, detail: str, *, retry_after: float | None = None, body: str = "") -> None:
        """Keep `detail`, `body` and the seconds that the endpoint asked to wait, if it did."""
        super().__init__(detail)
        self.detail = detail
        self.body = body
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class EndpointBusy(EndpointError):
    """The endpoint lives and asks for a pause (408, 425, 429, 503 with Retry-After)."""

    code = "endpoint-busy"


class EndpointBroken(EndpointError):
    """The endpoint failed (5xx)."""

    code = "endpoint-broken"


class EndpointUnreachable(EndpointError):
    """No connection, a connection lost, or no reply in time."""

    code = "endpoint-unreachable"


class EndpointGarbled(EndpointError):
    """A reply that is not what a chat completion looks like, or is too long to read."""

    code = "endpoint-garbled"


class EndpointRefused(EndpointError):
    """The endpoint understood and said no (any other status); asking again is pointless."""

    code = "endpoint-refused"
    is_retryable = False


class EndpointDenied(EndpointError):
    """The endpoint would refuse every further call too, so work stops at once."""

    code = "endpoint-denied"
    is_retryable = False


class EndpointLocked(EndpointDenied):
    """It does not accept the key (401)."""

    code = "endpoint-locked"


class EndpointForbids(EndpointDenied):
    """It accepts the key, and does not allow the call (403)."""

    code = "endpoint-forbids"


class EndpointKnowsNothing(EndpointDenied):
    """There is nothing at the address, or no model of that name (404)."""

    code = "endpoint-knows-nothing"


class EndpointUnpaid(EndpointDenied):
    """The account has no quota or credit left."""

    code = "endpoint-unpaid"


class EndpointInside(EndpointDenied):
    """Its name leads to an address that this server does not call."""

    code = "endpoint-inside"


class ChatProvider(Protocol):
    """One chat endpoint; `endpoint` names it in hashes and limits and holds no secret."""

    @property
    def endpoint(self) -> str: ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once, with a time limit and without retries.

        Raises EndpointError or one of its kinds, nothing else.
        """
        ...

    async def aclose(self) -> None: ...


def request_hash(endpoint: str, request: ChatRequest) -> str:
    """Return 64 hex digits that are equal for equal questions to the same endpoint."""
    canonical = json.dumps(
        [endpoint, request.body()], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
