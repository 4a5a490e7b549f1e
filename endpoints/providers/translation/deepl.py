"""DeepL API v2."""

from collections.abc import Sequence
from typing import Any

from endpoints.providers.translation.base import XML, Engine, HttpCall, Segments, codes_of


class DeepL(Engine):
    """`POST …/v2/translate`; the address ends before `/v2`.

    A call may have 128 KiB, which 30,000 characters of three bytes stay below.
    """

    markup = XML
    most_characters = 30_000
    most_segments = 50
    codes = codes_of(
        "AR BG CS DA DE EL EN ES ET FI FR HE HU ID IT JA KO LT LV NB NL PL PT RO RU SK SL SV TH TR UK VI "
        "ZH",
        zh_hant="ZH",
        zh_tw="ZH",
        no="NB",
    )
    targets = codes_of(
        "EN-GB EN-US PT-PT PT-BR", en="EN-US", pt="PT-PT", zh="ZH-HANS", zh_hans="ZH-HANS",
        zh_hant="ZH-HANT", zh_tw="ZH-HANT",
    )  # fmt: skip

    def call(self, segments: Segments, key: str) -> HttpCall:
        body = {
            "text": list(segments.texts),
            "source_lang": segments.source,
            "target_lang": segments.target,
            "tag_handling": "xml",
            "ignore_tags": ["x"],
            "preserve_formatting": True,
        }
        headers = {"Authorization": f"DeepL-Auth-Key {key}"} if key else {}
        return HttpCall("/v2/translate", body, headers)

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        return [each["text"] for each in data["translations"]]
