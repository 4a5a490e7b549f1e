"""Google Cloud Translation, Basic (v2) and Advanced (v3)."""

from collections.abc import Sequence
from typing import Any, Final

from endpoints.providers.translation.base import Engine, HttpCall, Segments, codes_of

CODES: Final = codes_of(
    "af sq am ar hy as ay az bm eu be bn bho bs bg ca ceb co hr cs da dv doi nl en eo et ee fil fi fr "
    "fy gl ka de el gn gu ht ha haw he hi hmn hu is ig ilo id ga it ja jv kn kk km rw gom ko kri ku ckb "
    "ky lo la lv ln lt lg lb mk mai mg ms ml mt mi mr lus mn my ne no ny or om ps fa pl pt pa qu ro ru "
    "sm sa gd nso sr st sn sd si sk sl so es su sw sv tl tg ta tt te th ti ts tr tk ak uk ur ug uz vi "
    "cy xh yi yo zu bo dz yue",
    zh="zh-CN",
    zh_hans="zh-CN",
    zh_hant="zh-TW",
    zh_tw="zh-TW",
    nb="no",
)


class GoogleBasic(Engine):
    """`POST …/language/translate/v2`, with an API key."""

    most_characters = 5_000
    most_segments = 128
    codes = CODES

    def call(self, segments: Segments, key: str) -> HttpCall:
        body = {
            "q": list(segments.texts),
            "source": segments.source,
            "target": segments.target,
            "format": "html",
        }
        return HttpCall("", body, {"X-Goog-Api-Key": key} if key else {})

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        return [each["translatedText"] for each in data["data"]["translations"]]


class GoogleAdvanced(Engine):
    """`POST …/v3/projects/P/locations/L:translateText`, with an access token; the address ends in L."""

    most_characters = 30_000
    most_segments = 1_024
    codes = CODES

    def call(self, segments: Segments, key: str) -> HttpCall:
        body: dict[str, Any] = {
            "contents": list(segments.texts),
            "sourceLanguageCode": segments.source,
            "targetLanguageCode": segments.target,
            "mimeType": "text/html",
        }
        if segments.model.startswith("projects/"):
            body["model"] = segments.model
        return HttpCall(":translateText", body, {"Authorization": f"Bearer {key}"} if key else {})

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        return [each["translatedText"] for each in data["translations"]]
