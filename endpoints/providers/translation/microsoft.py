"""Microsoft Translator, text API 3.0."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from endpoints.providers.translation.base import Engine, HttpCall, Segments, codes_of


class Microsoft(Engine):
    """`POST …/translate`; the parameter `region` of the model names that of the resource."""

    most_characters = 50_000
    most_segments = 1_000
    codes = codes_of(
        "af sq am ar hy as az bn ba eu bho brx bs bg yue ca lzh sn hr cs da prs dv doi nl en et fo fj fil "
        "fi fr gl ka de el gu ht ha he hi hu is ig id ga it ja kn ks kk km rw gom ko ku kmr ky lo lv lt ln "
        "dsb hsb mk mai mg ms ml mt mi mr my ne nb or ps fa pl pt pa ro ru sm st nso tn sd si sk sl so es "
        "sw sv ty ta tt te th bo ti to tr tk uk ur ug uz vi cy xh yo yua zu pt-PT fr-CA sr-Latn sr-Cyrl "
        "zh-Hans zh-Hant mn-Mong mn-Cyrl",
        zh="zh-Hans",
        zh_tw="zh-Hant",
        mn="mn-Cyrl",
        sr="sr-Cyrl",
        no="nb",
    )

    def call(self, segments: Segments, key: str) -> HttpCall:
        query = {
            "api-version": "3.0",
            "from": segments.source,
            "to": segments.target,
            "textType": "html",
        }
        region = str(segments.settings.get("region", ""))
        headers = {"Ocp-Apim-Subscription-Key": key} if key else {}
        headers |= {"Ocp-Apim-Subscription-Region": region} if region else {}
        body = [{"Text": text} for text in segments.texts]
        return HttpCall(f"/translate?{urlencode(query)}", body, headers)

    def texts(self, data: Any, segments: Segments) -> Sequence[object]:
        return [each["translations"][0]["text"] for each in data]
