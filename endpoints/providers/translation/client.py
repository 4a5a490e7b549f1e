"""The client of a plain engine: the contract of a chat endpoint over one translation API."""

import json
from typing import Any

from common.addresses import Limits
from endpoints.providers.base import ChatReply, ChatRequest, EndpointGarbled
from endpoints.providers.http_calls import (
    HttpCalls,
    Timeouts,
    clean_base_url,
    key_from_environment,
)
from endpoints.providers.replies import beginning_of
from endpoints.providers.translation.base import (
    Engine,
    EngineRefusal,
    Segments,
    Unanswerable,
    as_segments,
)

OK = 200
QUOTA_EXCEEDED = 456
PAYMENT_REQUIRED = 402


class PlainEngine:
    """A `ChatProvider` whose question is a JSON list of texts, and whose answer one of translations.

    Its tokens are the characters that it was sent, which is what these services charge for; an answer
    takes none.
    """

    def __init__(
        self,
        engine: Engine,
        base_url: str,
        *,
        key_variable: str = "",
        timeouts: Timeouts | None = None,
        reach: Limits | None = None,
    ) -> None:
        """Prepare a client; nothing is sent. Raises BaseUrlError, MissingKeyError."""
        self.endpoint = clean_base_url(base_url)
        self._engine = engine
        self._key = key_from_environment(key_variable)
        self._calls = HttpCalls(timeouts=timeouts, reach=reach, key=self._key)

    def __repr__(self) -> str:
        return f"PlainEngine({type(self._engine).__name__}, {self.endpoint!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Post the segments once; raises the kinds of EndpointError."""
        segments = as_segments(request)
        call = self._engine.call(segments, self._key)
        reply = await self._calls.post(
            f"{self.endpoint}{call.path}",
            json.dumps(call.body, ensure_ascii=False).encode(),
            call.headers,
        )
        status = reply.status
        if status == OK:
            try:
                return self._answer(reply.content, segments)
            except EngineRefusal as refusal:
                status = refusal.status
        if status == QUOTA_EXCEEDED:  # DeepL
            status = PAYMENT_REQUIRED
        return self._calls.answer_of_failure(reply, status)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()

    def _answer(self, content: bytes, segments: Segments) -> ChatReply:
        body = beginning_of(content, self._calls.hide)
        try:
            data: Any = json.loads(content)
            texts = list(self._engine.texts(data, segments))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            detail = "segments" if isinstance(error, Unanswerable) else "no-translations"
            raise EndpointGarbled(detail, body=body) from None
        if len(texts) != len(segments.texts) or not all(isinstance(text, str) for text in texts):
            raise EndpointGarbled("segments", body=body)
        # A service may send back what it was sent.
        safe = [self._calls.hide(str(text)) for text in texts]
        answer = json.dumps(safe, ensure_ascii=False).replace("\\u0000", "")
        return ChatReply(
            answer, finish_reason="stop", endpoint_model=segments.model,
            prompt_tokens=sum(map(len, segments.texts)), completion_tokens=0, body=body,
        )  # fmt: skip
