"""What a plain engine is asked, and what one that translates has to know of its API."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from endpoints.providers.base import ChatRequest, Message

HTML: Final = "html"
XML: Final = "xml"
PLAIN: Final = "plain"
LANGUAGES: Final = "languages"
"""The parameter of a model that adds to the languages of an engine: {"bo": "bod_Tibt"}."""


class Unanswerable(ValueError):
    """A reply that lacks what the API documents."""


class EngineRefusal(Exception):
    """A refusal that an engine sent with the status 200."""

    def __init__(self, status: int) -> None:
        """Keep the status that other engines would have sent."""
        super().__init__(str(status))
        self.status = status


@dataclass(frozen=True, slots=True)
class Segments:
    """Texts to translate in one call; `source` and `target` are codes of the engine."""

    texts: tuple[str, ...]
    source: str
    target: str
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One POST of JSON; `path` is added to the address of the endpoint."""

    path: str
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Engine(ABC):
    """One translation API.

    `markup` says how parts are marked that must stay as they are. `most_characters` and
    `most_segments` are limits of one call. `targets` names the codes that differ for targets.
    An engine that `has_any_language` takes the others by their tag.
    """

    markup: ClassVar[str] = HTML
    most_characters: ClassVar[int]
    most_segments: ClassVar[int]
    has_any_language: ClassVar[bool] = False
    codes: ClassVar[Mapping[str, str]] = {}
    targets: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def call(self, segments: Segments, key: str) -> HttpCall:
        """Return what to post."""

    @abstractmethod
    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        """Return the translations in a reply. Raises Unanswerable, LookupError, TypeError, EngineRefusal."""

    def source_code(self, tag: str, settings: Mapping[str, Any]) -> str:
        """Return the engine's code of a source language, "" if it has none."""
        return _code(tag, {**self.codes, **_added(settings)}, is_open=self.has_any_language)

    def target_code(self, tag: str, settings: Mapping[str, Any]) -> str:
        """Return the engine's code of a target language, "" if it has none."""
        known = {**self.codes, **self.targets, **_added(settings)}
        return _code(tag, known, is_open=self.has_any_language)


def as_request(segments: Segments) -> ChatRequest:
    """Return segments as a request of a chat endpoint, so that batches, hashes and limits hold for it."""
    content = json.dumps(segments.texts, ensure_ascii=False)
    parameters = {
        "source": segments.source,
        "target": segments.target,
        "settings": dict(segments.settings),
    }
    return ChatRequest(segments.model, (Message("user", content),), parameters)


def as_segments(request: ChatRequest) -> Segments:
    """Undo `as_request`."""
    given: Any = request.parameters
    texts = tuple(json.loads(request.messages[-1].content))
    return Segments(texts, given["source"], given["target"], request.model, given["settings"])


def codes_of(same: str, **others: str) -> dict[str, str]:
    """Return codes by tag in lower case: those of `same` are their tags, `zh_hant` is zh-hant."""
    named = {tag.replace("_", "-").lower(): code for tag, code in others.items()}
    return {code.lower(): code for code in same.split()} | named


def _added(settings: Mapping[str, Any]) -> dict[str, str]:
    found = settings.get(LANGUAGES)
    pairs = found.items() if isinstance(found, dict) else ()
    return {str(tag).replace("_", "-").lower(): str(code) for tag, code in pairs}


def _code(tag: str, known: Mapping[str, str], *, is_open: bool) -> str:
    """Return the code of a tag, shortened from the right until it is known."""
    left = tag.replace("_", "-").lower()
    while left:
        if left in known:
            return known[left]
        left = left.rpartition("-")[0]
    return tag if is_open else ""
