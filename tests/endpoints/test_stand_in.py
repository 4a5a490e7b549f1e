"""The stand-in answers as told, is the same every time, and says that it is no model."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from endpoints.providers.personas import (
    PERSONAS,
    Asked,
    answer,
    find_answer,
    pick_letter,
    read_known,
    read_prompt,
    squeeze,
)
from prompts.rendering import (
    CHAIN_OF_THOUGHT,
    DIRECT,
    PromptItem,
    default_template,
    render,
)

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "config" / "demo"
OPTIONS = ("བྱང", "ཤར", "ལྷོ", "ནུབ")


def content(item: PromptItem, language: str = "bo", style: str = DIRECT) -> str:
    return render(item, template=default_template(language, style))[-1].content


@pytest.mark.parametrize("language", ["bo", "zh", "en", "lo", "mn"])
@pytest.mark.parametrize("style", [DIRECT, CHAIN_OF_THOUGHT])
@pytest.mark.parametrize("letters", ["ABCD", "ཀཁགང"])
def test_prompt_of_every_frame_is_read_back(language: str, style: str, letters: str) -> None:
    item = PromptItem("ཉི་མ་ཕྱོགས་གང་ནས་\nཤར་གྱི་རེད།", OPTIONS)
    template = default_template(language, style)

    prompt = render(item, template=template)[-1].content
    for latin, letter in zip("ABCD", letters, strict=True):
        prompt = prompt.replace(f"{latin}. ", f"{letter}. ").replace(f"{latin} /", f"{letter} /")

    asked = read_prompt(prompt.replace("/ D", f"/ {letters[3]}"))

    assert asked == Asked(squeeze(item.question), dict(zip("ABCD", OPTIONS, strict=True)))


def test_told_answer_is_found_after_a_lead_in_and_in_another_order() -> None:
    known = {"Which is right?": ["this one"]}
    asked = Asked("Question 7: Which is right?", {"A": "that", "B": "other", "C": "this one"})

    assert find_answer(asked, known) == "C"
    assert find_answer(Asked("Which is wrong?", asked.options), known) == ""


def test_keys_of_translations_come_from_the_items_of_the_same_uid(tmp_path: Path) -> None:
    items, translations = tmp_path / "i.jsonl", tmp_path / "t.jsonl"
    items.write_text(
        json.dumps({"uid": "x/1", "question": "Up?", "options": ["yes", "no"], "key": "B"})
    )
    translations.write_text(
        json.dumps({"uid": "x/1", "question": "ཡར་རམ།", "options": ["ཡིན", "མིན"]})
    )

    assert read_known([items, translations]) == {"Up?": ["no"], "ཡར་རམ།": ["མིན"]}


def test_key_file_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text('{"question": "q", "options": ["a"], "key": "A"}\nnonsense\n')

    with pytest.raises(ValueError, match=r"k\.jsonl line 2"):
        read_known([path])


def right_share(model: str, right: str, *, count: int = 2000) -> float:
    picked = [pick_letter(PERSONAS[model], "ABCD", right, (0, model, n)) for n in range(count)]
    return picked.count("D") / count


@pytest.mark.parametrize("model", PERSONAS)
def test_told_model_is_right_by_its_competence_and_an_untold_one_by_chance(model: str) -> None:
    assert right_share(model, "D") == pytest.approx(PERSONAS[model].competence, abs=0.04)
    assert right_share(model, "") == pytest.approx(0.25, abs=0.04)


def test_models_find_the_same_questions_hard() -> None:
    strong, weak = (
        [pick_letter(PERSONAS[m], "ABCD", "D", (0, m, n)) == "D" for n in range(2000)]
        for m in ("stand-in-strong", "stand-in-weak")
    )
    both = sum(a and b for a, b in zip(strong, weak, strict=True)) / 2000

    assert both > sum(strong) / 2000 * sum(weak) / 2000 + 0.02


def test_told_model_answers_the_demo_well() -> None:
    known = read_known([DEMO / "items.jsonl"])
    rows = [json.loads(line) for line in (DEMO / "items.jsonl").read_text().splitlines()]
    texts = [
        answer("stand-in-strong", content(PromptItem(r["question"], tuple(r["options"])), "en"),
               seed=0, known=known)
        for r in rows
    ]  # fmt: skip

    plain = [(text, row["key"]) for text, row in zip(texts, rows, strict=True) if len(text) == 1]
    assert len(plain) > 30
    assert sum(text == key for text, key in plain) / len(plain) > 0.7


def test_answer_is_the_same_for_the_same_seed_and_varies_over_seeds() -> None:
    item = content(PromptItem("ཉི་མ་ཕྱོགས་གང་ནས་ཤར་གྱི་རེད།", OPTIONS))
    texts = [answer("stand-in-chatty", item, seed=n % 20, known={}) for n in range(40)]

    assert texts[:20] == texts[20:]
    assert len(set(texts)) > 3


@contextmanager
def running(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port_file = folder / "port"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "endpoints.providers.stand_in", "--port", "0",
            "--port-file", str(port_file), "--keys", str(DEMO / "items.jsonl"),
            "--keys", str(DEMO / "translations.jsonl"),
        ],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not port_file.exists():
        assert time.monotonic() < deadline, "the stand-in does not start"
        time.sleep(0.02)
    yield process, f"http://127.0.0.1:{int(port_file.read_text())}/v1"
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def started(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    with running(tmp_path_factory.mktemp("stand_in")) as server:
        yield server


def post(url: str, data: bytes) -> tuple[int, dict[str, object]]:
    request = urllib.request.Request(f"{url}/chat/completions", data=data)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_server_lists_its_models_answers_and_refuses_in_words(
    started: tuple[subprocess.Popen[bytes], str],
) -> None:
    _, url = started
    with urllib.request.urlopen(f"{url}/models", timeout=60) as response:
        models = [row["id"] for row in json.load(response)["data"]]
    asked = {"model": "stand-in-strong", "messages": [{"role": "user", "content": "དྲི་བ།\nA. ཀ"}]}

    status, reply = post(url, json.dumps(asked).encode())
    unknown, error = post(url, json.dumps(asked | {"model": "gpt"}).encode())

    assert models == list(PERSONAS)
    assert all("stand-in" in name for name in models)
    assert (status, reply["model"]) == (200, "stand-in-strong")
    assert unknown == 404
    assert "gpt" in str(error)


def test_server_refuses_what_is_no_request(started: tuple[subprocess.Popen[bytes], str]) -> None:
    bodies = [b"nonsense", b"[]", b'{"model": "x"}', b'{"messages": []}']
    assert {body: post(started[1], body)[0] for body in bodies} == dict.fromkeys(bodies, 400)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_server_stops_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path) as (process, _):
        process.send_signal(number)

        assert process.wait(timeout=60) == 0


def test_server_is_light(started: tuple[subprocess.Popen[bytes], str]) -> None:
    status = Path(f"/proc/{started[0].pid}/status")
    if not status.exists():
        pytest.skip("memory is read from /proc, which this system has not")

    resident = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))

    assert int(resident.split()[1]) < 32 * 1024  # Django alone would double it
