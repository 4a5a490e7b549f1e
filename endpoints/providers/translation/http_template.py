"""Any other engine: the model's parameters say what to post and where the translations are."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from endpoints.providers.translation.base import PLAIN, Engine, HttpCall, Segments, Unanswerable

BODY: Final = "body"
TEXTS: Final = "{texts}"
KEY_SLOT: Final = "{key}"
"""What no parameter may name: a service could send the key back as a translation."""
PATH: Final = re.compile(r"(?:/[A-Za-z0-9._~:-]+)*/?")


class HttpTemplate(Engine):
    """The parameters of the model: `path`, `body`, `answer` and `languages`.

    In `body`, the text "{texts}" stands for the list of texts; "{source}", "{target}" and "{model}"
    are put into texts. `answer` is the way to the list of translations, with dots: "translations"
    or "data.results". A key goes along as a bearer token, and nowhere else.
    """

    markup = PLAIN
    most_characters = 20_000
    most_segments = 100
    has_any_language = True

    def call(self, segments: Segments, key: str) -> HttpCall:
        settings = segments.settings
        body: Any = settings.get(BODY) or {
            "texts": TEXTS,
            "source": "{source}",
            "target": "{target}",
        }
        values = {
            "{source}": segments.source,
            "{target}": segments.target,
            "{model}": segments.model,
        }
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return HttpCall(
            str(settings.get("path", "")), _filled(body, segments.texts, values), headers
        )

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        found = data
        for name in str(segments.settings.get("answer", "translations")).split("."):
            found = found[int(name)] if isinstance(found, list) else found[name]
        if not isinstance(found, list):
            raise Unanswerable("no list")
        return found


def template_fault(settings: Mapping[str, Any]) -> str:
    """Return the name of the first parameter of a template that cannot be used, "" if all can.

    KEY_SLOT is returned where it stands anywhere in the parameters.
    """
    if KEY_SLOT in json.dumps(settings):
        return KEY_SLOT
    if not _is_path(settings.get("path", "")):
        return "path"
    if BODY in settings and TEXTS not in _strings(settings[BODY]):
        return BODY
    return "" if isinstance(settings.get("answer", ""), str) else "answer"


def _is_path(path: Any) -> bool:
    """Whether a path is plain enough to lead nowhere but below the address of the endpoint."""
    is_plain = isinstance(path, str) and PATH.fullmatch(path) is not None
    return is_plain and not {".", ".."} & set(path.split("/"))


def _filled(part: Any, texts: Sequence[str], values: Mapping[str, str]) -> Any:
    if part == TEXTS:
        return list(texts)
    if isinstance(part, str):
        for slot, value in values.items():
            part = part.replace(slot, value)
        return part
    if isinstance(part, dict):
        return {name: _filled(each, texts, values) for name, each in part.items()}
    return [_filled(each, texts, values) for each in part] if isinstance(part, list) else part


def _strings(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [text for each in inner for text in _strings(each)]
