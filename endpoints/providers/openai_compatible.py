"""Client of an OpenAI-compatible chat endpoint."""

import json
from collections.abc import Mapping
from dataclasses import replace

import httpx

from common.addresses import Limits
from endpoints.providers.base import ChatReply, ChatRequest, EndpointGarbled
from endpoints.providers.http_calls import (
    HttpCalls,
    Timeouts,
    clean_base_url,
    key_from_environment,
)
from endpoints.providers.likelihoods import read_likelihoods
from endpoints.providers.replies import read_reply
from endpoints.providers.streams import is_stream, joined

OWN_PARAMETERS = frozenset({"model", "messages", "stream_options", "n"})


class ParameterError(ValueError):
    """Decoding parameters that the client sets itself or that are not JSON."""


def check_parameters(parameters: Mapping[str, object]) -> None:
    """Raise ParameterError when a name belongs to the client or a value is not JSON."""
    taken = sorted(OWN_PARAMETERS & set(parameters))
    if taken:
        raise ParameterError(f"Set by Lotsawa itself: {', '.join(taken)}.")
    if not isinstance(parameters.get("stream", False), bool):
        raise ParameterError("stream: true or false.")
    try:
        json.dumps(dict(parameters), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"Not JSON: {error}.") from error


class OpenAICompatible:
    """A `ChatProvider` over HTTP; the key is in no repr or error."""

    def __init__(
        self,
        base_url: str,
        *,
        key_variable: str = "",
        key: str = "",
        timeouts: Timeouts | None = None,
        reach: Limits | None = None,
    ) -> None:
        """Prepare a client; nothing is sent. `reach` None lets it call any address.

        A `key` takes the place of the variable's. Raises BaseUrlError, MissingKeyError.
        """
        self.endpoint = clean_base_url(base_url)
        self._key = key or key_from_environment(key_variable)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._calls = HttpCalls(headers=headers, key=self._key, timeouts=timeouts, reach=reach)

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.endpoint!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Post one chat completion; raises the kinds of EndpointError.

        A reply with `fault` is a failure of the model, which is no error.
        """
        body = json.dumps(_body(request), ensure_ascii=False).encode()
        path = "completions" if request.continuations else "chat/completions"
        reply = await self._calls.post(f"{self.endpoint}/{path}", body)
        if reply.status == httpx.codes.OK and request.is_streamed and is_stream(reply.content):
            reply = replace(reply, content=joined(reply.content, self._calls.hide))
        try:
            if reply.status == httpx.codes.OK:
                return self._read(request, reply.content)
        except EndpointGarbled as garbled:
            if garbled.detail != "error":
                raise
        return self._calls.answer_of_failure(reply)

    def _read(self, request: ChatRequest, content: bytes) -> ChatReply:
        if request.continuations:
            has_prompt = bool(request.messages)
            texts, hide = request.continuations, self._calls.hide
            return read_likelihoods(content, texts, hide, has_prompt=has_prompt)
        return read_reply(content, self._calls.hide)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()


def _body(request: ChatRequest) -> dict[str, object]:
    """Return what is sent: a stream is asked for its tokens too, which it would not tell."""
    asked = request.body()
    return {**asked, "stream_options": {"include_usage": True}} if request.is_streamed else asked
