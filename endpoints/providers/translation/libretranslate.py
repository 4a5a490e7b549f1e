"""LibreTranslate, the hosted one or a server of one's own."""

from collections.abc import Sequence
from typing import Any

from endpoints.providers.translation.base import Engine, HttpCall, Segments, codes_of


class LibreTranslate(Engine):
    """`POST …/translate`. A server has the languages that it was started with."""

    most_characters = 5_000
    most_segments = 50
    codes = codes_of(
        "ar az bg bn ca cs da de el en eo es et eu fa fi fr ga gl he hi hu id it ja ko ky lt lv ms nb nl "
        "pl pt ro ru sk sl sq sv th tl tr uk ur vi zh",
        zh_hant="zt",
        zh_tw="zt",
        no="nb",
    )

    def call(self, segments: Segments, key: str) -> HttpCall:
        body = {
            "q": list(segments.texts),
            "source": segments.source,
            "target": segments.target,
            "format": "html",
        }
        return HttpCall("/translate", body | ({"api_key": key} if key else {}))

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        found = data["translatedText"]
        return [found] if isinstance(found, str) else list(found)
