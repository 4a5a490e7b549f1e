"""Each engine is asked as its API documents, its answers are read, and its limits and languages are known."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from endpoints.enums import ProviderName
from endpoints.providers.base import (
    ChatReply,
    EndpointError,
    EndpointGarbled,
    EndpointRefused,
    EndpointUnpaid,
)
from endpoints.providers.translation.base import HTML, PLAIN, XML, Segments, as_request
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.providers.translation.client import PlainEngine
from endpoints.providers.translation.http_template import KEY_SLOT, template_fault
from endpoints.providers.translation.protection import PartLost, protect, restore
from tests.endpoints.test_providers_openai_compatible import Canned, Reply

KEY = "engine-key-1234"
TEXTS = ("水在", "很大")
ANSWER = ["ཆུ་ནི་", "ཆེན་པོ།"]
NLLB = {
    "path": "/v1/translate",
    "body": {"input": "{texts}", "lang": "{source}>{target}", "options": {"beam": 4}},
    "answer": "data.results",
    "languages": {"zh": "zho_Hans", "bo": "bod_Tibt"},
}
# Replies in the shape that each API documents.
RECORDED: dict[str, tuple[dict[str, Any], str, dict[str, str], Any, Any]] = {
    "google_v2": (
        {}, "", {"X-Goog-Api-Key": KEY},
        {"q": list(TEXTS), "source": "zh-CN", "target": "bo", "format": "html"},
        {"data": {"translations": [{"translatedText": text} for text in ANSWER]}},
    ),
    "google_v3": (
        {}, ":translateText", {"Authorization": f"Bearer {KEY}"},
        {
            "contents": list(TEXTS), "sourceLanguageCode": "zh-CN", "targetLanguageCode": "bo",
            "mimeType": "text/html",
        },
        {"translations": [{"translatedText": text} for text in ANSWER]},
    ),
    "deepl": (
        {"languages": {"bo": "BO"}}, "/v2/translate", {"Authorization": f"DeepL-Auth-Key {KEY}"},
        {
            "text": list(TEXTS), "source_lang": "ZH", "target_lang": "BO", "tag_handling": "xml",
            "ignore_tags": ["x"], "preserve_formatting": True,
        },
        {"translations": [{"detected_source_language": "ZH", "text": text} for text in ANSWER]},
    ),
    "microsoft": (
        {"region": "westeurope"},
        "/translate?api-version=3.0&from=zh-Hans&to=bo&textType=html",
        {"Ocp-Apim-Subscription-Key": KEY, "Ocp-Apim-Subscription-Region": "westeurope"},
        [{"Text": text} for text in TEXTS],
        [{"translations": [{"text": text, "to": "bo"}]} for text in ANSWER],
    ),
    "libretranslate": (
        {"languages": {"bo": "bo"}}, "/translate", {},
        {"q": list(TEXTS), "source": "zh", "target": "bo", "format": "html", "api_key": KEY},
        {"translatedText": ANSWER},
    ),
    "niutrans": (
        {"languages": {"bo": "ti"}}, "/NiuTransServer/translationXML", {},
        {
            "from": "zh", "to": "ti", "src_text": '<s id="0">水在</s><s id="1">很大</s>',
            "apikey": KEY,
        },
        {"from": "zh", "to": "ti", "tgt_text": f'<s id="0">{ANSWER[0]}</s> <s id="1">{ANSWER[1]}</s>'},
    ),
    "http_template": (
        NLLB, "/v1/translate", {"Authorization": f"Bearer {KEY}"},
        {"input": list(TEXTS), "lang": "zho_Hans>bod_Tibt", "options": {"beam": 4}},
        {"data": {"results": ANSWER}},
    ),
}  # fmt: skip


def segments_for(name: str, settings: dict[str, Any]) -> Segments:
    engine = ENGINES[name]
    source, target = engine.source_code("zh", settings), engine.target_code("bo", settings)
    return Segments(TEXTS, source, target, "m", settings)


def test_every_provider_that_is_called_and_no_chat_endpoint_is_an_engine() -> None:
    others = {ProviderName.OPENAI_COMPATIBLE, ProviderName.ELSEWHERE}
    assert set(ENGINES) == set(ProviderName.values) - others
    assert set(RECORDED) == set(ENGINES)


@pytest.mark.parametrize("name", RECORDED)
def test_engine_is_asked_as_its_api_documents(name: str) -> None:
    settings, path, headers, body, reply = RECORDED[name]
    engine, segments = ENGINES[name], segments_for(name, settings)

    call = engine.call(segments, KEY)

    assert (call.path, dict(call.headers), call.body) == (path, headers, body)
    assert list(engine.texts(reply, segments)) == ANSWER


def test_engine_without_a_key_sends_none() -> None:
    for name, (settings, _path, _headers, _body, _reply) in RECORDED.items():
        call = ENGINES[name].call(segments_for(name, settings), "")
        assert "Authorization" not in call.headers, name
        assert "api_key" not in call.body, name
        assert "apikey" not in call.body, name


@contextmanager
def answering(reply: Reply) -> Iterator[Canned]:
    server = Canned(reply)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def ask(reply: Reply, monkeypatch: pytest.MonkeyPatch, name: str) -> ChatReply:
    monkeypatch.setenv("ENGINE_API_KEY", KEY)
    with answering(reply) as server:
        client = PlainEngine(ENGINES[name], server.base_url, key_variable="ENGINE_API_KEY")
        request = as_request(segments_for(name, RECORDED[name][0]))

        async def once() -> ChatReply:
            try:
                return await client.complete(request)
            finally:
                await client.aclose()

        return asyncio.run(once())


def test_client_answers_with_a_list_and_counts_the_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in RECORDED:
        content = json.dumps(RECORDED[name][4]).encode()
        found = ask((200, {}, content), monkeypatch, name)
        assert json.loads(found.text) == ANSWER, name
        assert (found.prompt_tokens, found.completion_tokens) == (4, 0), name


def test_client_tells_refusals_apart_and_keeps_the_key_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = json.dumps({"error_code": "13008", "error_msg": f"no {KEY}"}).encode()
    one = json.dumps({"translatedText": ["ཀ"]}).encode()
    cases: list[tuple[str, Reply, type[EndpointError]]] = [
        ("deepl", (456, {}, b'{"message": "Quota exceeded"}'), EndpointUnpaid),
        ("niutrans", (200, {}, refused), EndpointRefused),
        ("libretranslate", (200, {}, one), EndpointGarbled),
        ("microsoft", (200, {}, b'{"error": {"code": 400036}}'), EndpointGarbled),
    ]
    for name, reply, kind in cases:
        with pytest.raises(kind) as caught:
            ask(reply, monkeypatch, name)
        assert KEY not in caught.value.body, name


def test_key_that_an_engine_sends_back_is_not_in_the_translation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    echo = [f"{KEY} ཆུ་", KEY]
    tagged = "".join(f'<s id="{n}">{text}</s>' for n, text in enumerate(echo))
    rows = [{"translatedText": text, "text": text} for text in echo]
    contents = {
        "google_v2": {"data": {"translations": rows}},
        "google_v3": {"translations": rows},
        "deepl": {"translations": rows},
        "microsoft": [{"translations": [row]} for row in rows],
        "libretranslate": {"translatedText": echo},
        "niutrans": {"tgt_text": tagged},
        "http_template": {"data": {"results": echo}},
    }
    for name in RECORDED:
        found = ask((200, {}, json.dumps(contents[name]).encode()), monkeypatch, name)
        assert json.loads(found.text) == ["[key] ཆུ་", "[key]"], name
        assert KEY not in found.body, name


def test_template_puts_the_key_into_no_body() -> None:
    body = {"q": "{texts}", "a": "{key}", "b": "{target}"}
    segments = Segments(TEXTS, "zh", "{key}", "{key}", {"body": body})

    call = ENGINES["http_template"].call(segments, KEY)

    assert KEY not in json.dumps(call.body)
    assert call.headers == {"Authorization": f"Bearer {KEY}"}


def test_languages_have_the_codes_of_each_engine() -> None:
    pairs = {
        name: (ENGINES[name].source_code("zh-Hant-TW", {}), ENGINES[name].target_code("bo", {}))
        for name in ENGINES
    }
    assert pairs == {
        "google_v2": ("zh-TW", "bo"),
        "google_v3": ("zh-TW", "bo"),
        "deepl": ("ZH", ""),
        "microsoft": ("zh-Hant", "bo"),
        "libretranslate": ("zt", ""),
        "niutrans": ("zh-Hant-TW", "bo"),
        "http_template": ("zh-Hant-TW", "bo"),
    }
    assert ENGINES["deepl"].target_code("en", {}) == "EN-US"
    assert ENGINES["microsoft"].target_code("mn-Mong", {}) == "mn-Mong"


def test_template_needs_a_path_below_the_address_and_a_place_for_the_texts() -> None:
    for path in ("", "/", "/v1/translate/", "/v1/models/nllb-200_3.3B:translate", "/..."):
        assert template_fault(NLLB | {"path": path}) == template_fault({"path": path}) == "", path
    for path in (
        "x", "//x", "/x/../y", "/..", "/./x", "/%2e%2e/y", "/..\\y", "/x?y=1", "/x#y", "/x@y", "/x\n",
    ):  # fmt: skip
        assert template_fault({"path": path}) == "path", path
    assert template_fault({"path": 3}) == "path"
    assert template_fault({"body": {"q": "texts"}}) == "body"
    assert template_fault({"answer": 3}) == "answer"


def test_template_names_no_key() -> None:
    for settings in (
        {"body": {"q": "{texts}", "auth": "{key}"}},
        {"body": {"q": "{texts}", "{key}": 1}},
        {"languages": {"bo": "x{key}"}},
    ):
        assert template_fault(settings) == KEY_SLOT, settings


UGLY = r"若 $a<b$ 且 \(x_1\)，DNA 与 pH 值的 \frac{1}{2} 为 ____，见 {name} 和 %s & <sub>2</sub>"


def test_protected_parts_come_back_whatever_the_engine_makes_of_them() -> None:
    for markup in (HTML, XML, PLAIN):
        marked = protect(UGLY, markup, keeps_latin=True)
        assert marked.parts == (
            "$a<b$", r"\(x_1\)", "DNA", "pH", r"\frac{1}{2}", "____", "{name}", "%s", "<sub>",
            "</sub>",
        )  # fmt: skip
        assert restore(marked.text, marked, markup) == UGLY, markup
    marked = protect("DNA和$x$", HTML, keeps_latin=True)
    garbled = marked.text.replace("DNA", "dna").replace("$x$", " $ X $ ").replace("和", "དང་")
    assert restore(garbled, marked, HTML) == "DNAདང་$x$"
    assert protect("of $x$", XML, keeps_latin=False).parts == ("$x$",)


def test_lost_or_doubled_part_is_named() -> None:
    marked = protect("密度$x$", XML, keeps_latin=True)
    for text in ("སྟུག་ཚད།", marked.text * 2):
        with pytest.raises(PartLost) as caught:
            restore(text, marked, XML)
        assert caught.value.part == "$x$"


def test_mark_with_a_number_beyond_all_parts_is_a_lost_part() -> None:
    for markup in (HTML, XML, PLAIN):
        marked = protect("密度$x$", markup, keeps_latin=True)
        for mark in ('<x id="p{n}">a</x>', '<span id="p{n}">a</span>', "[#{n}]"):
            with pytest.raises(PartLost):
                restore(mark.format(n="7" * 5000), marked, markup)


def test_mark_may_hold_other_tags_but_no_other_mark() -> None:
    marked = protect("$x$和$y$", HTML, keeps_latin=True)
    bold = marked.text.replace("$y$", "<b><span>$y$</b>")
    assert restore(bold, marked, HTML) == "$x$和$y$"
    with pytest.raises(PartLost):
        restore(marked.text.replace("</span>", "", 1), marked, HTML)


def test_text_of_parts_and_digits_only_has_no_words() -> None:
    found = {
        text: protect(text, HTML, keeps_latin=True).has_words for text in ("20", "$x$", "DNA", "水")
    }
    assert found == {"20": False, "$x$": False, "DNA": False, "水": True}
