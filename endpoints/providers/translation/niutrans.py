"""NiuTrans, by its call for XML, which takes one text: the segments are elements of it."""

import re
from collections.abc import Sequence
from typing import Any, Final

from endpoints.providers.translation.base import (
    XML,
    Engine,
    EngineRefusal,
    HttpCall,
    Segments,
    Unanswerable,
)

_SEGMENT: Final = re.compile(r'<s\s+id\s*=\s*"(\d+)"\s*>(.*?)</s\s*>', re.DOTALL)


class NiuTrans(Engine):
    """`POST …/NiuTransServer/translationXML`. It has some 450 languages, most by their usual code;
    a model names the others in its parameter `languages`. Its error codes are not told apart: all refuse.
    """

    markup = XML
    most_characters = 5_000
    most_segments = 100
    has_any_language = True

    def call(self, segments: Segments, key: str) -> HttpCall:
        whole = "".join(f'<s id="{n}">{text}</s>' for n, text in enumerate(segments.texts))
        body = {"from": segments.source, "to": segments.target, "src_text": whole}
        return HttpCall("/NiuTransServer/translationXML", body | ({"apikey": key} if key else {}))

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        if data.get("error_code") or data.get("result_code"):
            raise EngineRefusal(400)
        found = {int(number): text for number, text in _SEGMENT.findall(data["tgt_text"])}
        if sorted(found) != list(range(len(segments.texts))):
            raise Unanswerable("segments")
        return [found[number] for number in sorted(found)]
