"""A pretend OpenAI-compatible endpoint on loopback, for the demo and for tests: no model is behind it.

    python -m endpoints.providers.stand_in --port 0 --port-file F [--keys items.jsonl]…

Its "models" carry `stand-in` in their names and their scores mean nothing. Each has a competence:
the chance to answer rightly an item whose key it was told by `--keys` (JSONL rows with question,
options, key; rows of translations without a key take it from the row of the same uid). What it
was not told it answers by hashing the question, so at the level of chance. Same seed, same
request: same answer; a `seed` in the request changes it. Translations are pretend words
(`pretend_translations`), probabilities of tokens are hashes (`pretend_likelihoods`), and open
answers, verdicts and opinions say nothing either (`pretend_judgements`).
"""

import argparse
import hashlib
import json
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from endpoints.providers.personas import (
    PERSONAS,
    Known,
    answer,
    chance,
    read_known,
    squeeze,
)
from endpoints.providers.pretend_judgements import (
    agreement,
    is_battle,
    is_comparison,
    is_open,
    open_answer,
    verdict,
)
from endpoints.providers.pretend_likelihoods import likely_letter, shared_beginning, weighed
from endpoints.providers.pretend_translations import is_translation, pretend

LONGEST_BODY = 4_000_000


@dataclass(slots=True)
class Behaviour:
    """What the server does besides answering: delay in seconds and faults by share of the calls.

    Kinds: busy (429 with Retry-After), broken (500), disconnect, slow, garbage, cut (half a
    stream). A fault hits the first `fault_tries` calls of a question that falls in its share, then lets go.
    """

    delay: float = 0.0
    faults: dict[str, float] = field(default_factory=dict)
    fault_tries: int = 1
    retry_after: str = "0.05"
    slow_seconds: float = 1.0
    seed: int = 0
    known: Known = field(default_factory=dict)


class StandIn(ThreadingHTTPServer):
    """The server; `asked` counts the calls and `answered` the replies of each prompt."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, behaviour: Behaviour, port: int = 0) -> None:
        """Listen on loopback; port 0 takes a free one."""
        super().__init__(("127.0.0.1", port), Handler)
        self.behaviour = behaviour
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.authorizations: set[str] = set()
        self.lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """The address to put in a model spec."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def note(self, counter: Counter[str], prompt: str) -> int:
        """Count `prompt` and return its count."""
        with self.lock:
            counter[prompt] += 1
            return counter[prompt]

    def pick_fault(self, prompt: str, attempt: int) -> str:
        """Return the kind of fault for this call, or "" for none."""
        if attempt > self.behaviour.fault_tries:
            return ""
        luck = chance(self.behaviour.seed, prompt, "fault")
        reached = 0.0
        for kind, share in self.behaviour.faults.items():
            reached += share
            if luck < reached:
                return kind
        return ""

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that went away; anything else goes to standard error."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Handler(BaseHTTPRequestHandler):
    """`GET /v1/models`, `POST /v1/chat/completions`, and `POST /v1/completions` with echo."""

    server: StandIn
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 60

    def do_GET(self) -> None:
        """List the pretend models."""
        if self.path.rstrip("/") != "/v1/models":
            self._send(404, {"error": {"message": "There is /v1/models and /v1/chat/completions."}})
            return
        models = [{"id": name, "object": "model", "owned_by": "stand-in"} for name in PERSONAS]
        self._send(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        """Answer the last message, or commit the fault that is due."""
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= LONGEST_BODY:
            self.close_connection = True
            self._send(413 if size else 411, {"error": {"message": "Send a body of 1 B to 4 MB."}})
            return
        body = self.rfile.read(size)
        try:
            request = json.loads(body)
            if self.path.rstrip("/").endswith("/v1/completions"):
                self._weigh(request)
                return
            model, content = request["model"], request["messages"][-1]["content"]
            if is_translation(content):
                content = "\n\n".join(turn["content"] for turn in request["messages"])
            prompt = f"{model}\n{content}"
        except (ValueError, KeyError, IndexError, TypeError):
            self._send(400, {"error": {"message": "This is not a chat completion request."}})
            return
        self._answer(request, model, content, prompt)

    def _answer(self, request: dict[str, Any], model: str, content: str, prompt: str) -> None:
        server, behaviour = self.server, self.server.behaviour
        server.authorizations.add(self.headers.get("Authorization", ""))
        fault = server.pick_fault(prompt, server.note(server.asked, prompt))
        time.sleep(behaviour.delay + (behaviour.slow_seconds if fault == "slow" else 0))
        if model not in PERSONAS:
            self._send(
                404, {"error": {"message": f"No model {model}; there are {list(PERSONAS)}."}}
            )
        elif not self._commit(fault):
            seed = f"{behaviour.seed}/{request.get('seed', '')}"
            text = reply(request, model, content, seed, behaviour.known)
            server.note(server.answered, prompt)
            whole = completion(model, content, text)
            if request.get("stream"):
                self._send_stream(whole, text, is_cut=fault == "cut")
            else:
                self._send(200, whole)

    def _weigh(self, request: dict[str, Any]) -> None:
        """Say how probable prompts are, or commit the fault that is due."""
        model, prompts = request["model"], request["prompt"]
        question = shared_beginning(prompts)
        server = self.server
        prompt = f"{model}\n{question}"
        fault = server.pick_fault(prompt, server.note(server.asked, prompt))
        if model not in PERSONAS:
            self._send(404, {"error": {"message": f"No model {model}."}})
        elif not self._commit(fault):
            letter = likely_letter(model, question, server.behaviour.seed, server.behaviour.known)
            server.note(server.answered, prompt)
            self._send(200, weighed(model, prompts, question, letter))

    def _commit(self, fault: str) -> bool:
        if fault == "busy":
            wait = {"Retry-After": self.server.behaviour.retry_after}
            self._send(429, {"error": {"message": "Too many requests."}}, wait)
        elif fault == "broken":
            self._send(500, {"error": {"message": "Pretended failure."}})
        elif fault == "disconnect":
            self.close_connection = True
        elif fault == "garbage":
            self._send_bytes(200, b'{"choices": [', {})
        else:
            return False
        return True

    def _send_stream(self, whole: dict[str, object], text: str, *, is_cut: bool) -> None:
        """Send a completion as events; one that `is_cut` lacks its second half and its end."""
        content = stream_of(whole, text)
        content = content[: len(content) // 2] if is_cut else content
        self.close_connection = True
        self._send_bytes(200, content, {}, kind="text/event-stream")

    def _send(self, status: int, data: object, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(data, ensure_ascii=False).encode(), headers or {})

    def _send_bytes(
        self, status: int, content: bytes, headers: dict[str, str], kind: str = "application/json"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep quiet; the caller has its own log."""


def reply(request: dict[str, Any], model: str, content: str, seed: str, known: Known) -> str:
    """Return what a pretend model says to a question, to a step of a translation, to a screen or as a judge."""
    turns = [turn["content"] for turn in request["messages"]]
    if is_translation(turns[-1]):
        return pretend(model, turns, seed=seed)
    if is_battle(content):
        return verdict(model, content, seed=seed)
    if is_comparison(content):
        return agreement(content)
    if is_open(turns):
        return open_answer(model, squeeze(content), seed=seed)
    return answer(model, content, seed=seed, known=known)


def completion(model: str, content: str, text: str) -> dict[str, object]:
    """Return a chat completion; a "token" here is four bytes."""
    prompt_tokens = len(content.encode()) // 4 + 1
    completion_tokens = len(text.encode()) // 4 + 1
    return {
        "id": f"stand-in-{hashlib.sha256((model + content).encode()).hexdigest()[:16]}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def stream_of(whole: dict[str, object], text: str) -> bytes:
    """Return a completion as server-sent events: a comment, a chunk per character, the usage, the end."""
    head = {"id": whole["id"], "object": "chat.completion.chunk", "model": whole["model"]}
    chunks: list[dict[str, object]] = [
        {**head, "choices": [{"index": 0, "delta": {"content": each}}]} for each in text
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({**head, "choices": [], "usage": whole["usage"]})
    events = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
    return "".join(
        [": pretended\n\n", *(f"data: {each}\n\n" for each in [*events, "[DONE]"])]
    ).encode()


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT; the port file appears when calls are taken."""
    options = read_arguments(arguments)
    try:
        server = StandIn(
            Behaviour(
                delay=options.delay_ms / 1000,
                faults=dict(options.fault),
                seed=options.seed,
                known=read_known(options.keys),
            ),
            options.port,
        )
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    if options.port_file:
        write_whole(options.port_file, f"{server.server_address[1]}\n")
    print(f"stand-in endpoint (no model behind it): {server.base_url}", file=sys.stderr, flush=True)
    with server:
        server.serve_forever(poll_interval=0.2)
    return 0


def read_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line; exits with 2 on bad usage."""
    parser = argparse.ArgumentParser(prog="stand_in", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path)
    parser.add_argument("--keys", type=Path, action="append", default=[], metavar="JSONL")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    parser.add_argument(
        "--fault", type=read_fault, action="append", default=[], metavar="KIND:SHARE"
    )
    return parser.parse_args(arguments)


def read_fault(value: str) -> tuple[str, float]:
    """Read `busy:0.1`; raises argparse's error otherwise."""
    kind, _, share = value.partition(":")
    if kind not in {"busy", "broken", "disconnect", "slow", "garbage", "cut"}:
        raise argparse.ArgumentTypeError(f"unknown fault {kind!r}")
    try:
        return kind, float(share)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{share!r} is not a share") from error


def write_whole(path: Path, text: str) -> None:
    """Write `path` so that nobody reads half of it."""
    half = path.with_name(f".{path.name}.part")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


if __name__ == "__main__":
    sys.exit(main())
