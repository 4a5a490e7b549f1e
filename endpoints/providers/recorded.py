"""Twins of a chat endpoint that touch no network: one replays, one says nothing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from endpoints.providers.base import ChatReply, ChatRequest, EndpointRefused, request_hash

Recorded = ChatReply | Exception


@dataclass(slots=True)
class RecordedProvider:
    """Replays replies by request hash; each list is used in order and its last entry stays.

    A recorded exception is raised. A question without a record is refused.
    """

    records: dict[str, list[Recorded]]
    endpoint: str = "recorded"
    asked: list[ChatRequest] = field(default_factory=list)

    @classmethod
    def of(cls, pairs: Iterable[tuple[ChatRequest, Recorded]]) -> "RecordedProvider":
        """Record the replies of `pairs` in their order."""
        provider = cls({})
        for request, reply in pairs:
            digest = request_hash(provider.endpoint, request)
            provider.records.setdefault(digest, []).append(reply)
        return provider

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return or raise the next record of this question."""
        self.asked.append(request)
        replies = self.records.get(request_hash(self.endpoint, request))
        if not replies:
            raise EndpointRefused("nothing is recorded for this question")
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aclose(self) -> None:
        """Nothing is open."""


@dataclass(slots=True)
class NullProvider:
    """Answers every question with `reply(request)`; by default with an empty text."""

    reply: Callable[[ChatRequest], str] = lambda request: ""
    endpoint: str = "null"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer at once."""
        return ChatReply(self.reply(request), "stop", request.model)

    async def aclose(self) -> None:
        """Nothing is open."""
