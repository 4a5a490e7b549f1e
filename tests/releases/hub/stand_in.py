"""A stand-in for the Hugging Face Hub on loopback: as much of its HTTP API as publishing takes.

Files that end in `.parquet` go the way of large files, all others into the commit itself.
"""

import base64
import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import yaml

TOKEN = "hf_right"


@dataclass
class Repository:
    """`commits` are {id: {name: content}}, in order."""

    private: bool
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return next(reversed(self.commits))

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[self.head]

    def add_commit(self, files: dict[str, bytes], message: str) -> str:
        commit = hashlib.sha1(f"{len(self.commits)} {message}".encode()).hexdigest()
        self.commits[commit] = files
        self.messages.append(message)
        return commit


@dataclass
class HubStandIn:
    """`failures` are {part of a path: status}; those requests fail.

    The connection breaks at the request of number `cut_at`, counted from 0: before it is carried
    out or, if `is_cut_after`, between that and the answer. One whose path has `held` waits for
    `released`.
    """

    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    writers: set[str] = field(default_factory=lambda: {TOKEN})
    cut_at: int | None = None
    is_cut_after: bool = False
    held: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    def writes(self) -> list[str]:
        """The requests that change something."""
        return [call for call in self.calls if not call.startswith("GET")]


@contextmanager
def hub_stand_in() -> Iterator[HubStandIn]:
    hub = HubStandIn()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _is_large(name: str) -> bool:
    return name.endswith(".parquet")


def _git_hash(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    hub: HubStandIn
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.handle_call()

    do_POST = do_PUT = do_GET  # noqa: N815 - the names that the server calls

    def handle_call(self) -> None:
        self.body = self._read()
        path = urlsplit(self.path).path
        self.is_cut = len(self.hub.calls) == self.hub.cut_at
        self.hub.calls.append(f"{self.command} {path}")
        self.hub.bodies.append(self.body)
        if self.is_cut and not self.hub.is_cut_after:
            return self.hang_up()
        if self.hub.held and self.hub.held in path:
            self.hub.released.wait(60)
        for part, status in self.hub.failures.items():
            if part in path:
                return self.refuse(status)
        if self.command == "PUT":
            return self.store(path)
        given = self.headers.get("authorization", "").removeprefix("Bearer ")
        if given != TOKEN:
            return self.refuse(401)
        if self.command != "GET" and given not in self.hub.writers and "preupload" not in path:
            return self.refuse(403)
        return self.route(path.strip("/").split("/"))

    def _read(self) -> bytes:
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def route(self, parts: list[str]) -> None:  # noqa: PLR0911
        if parts == ["api", "whoami-v2"]:
            return self.say({"name": "group", "type": "user", "auth": {}})
        if parts == ["api", "validate-yaml"]:
            return self.validate()
        if parts == ["api", "repos", "create"]:
            return self.create()
        if parts[0] == "datasets":
            return self.batch()
        if parts[0] == "verify":
            return self.say({})
        repository = self.hub.repositories.get("/".join(parts[2:4]))
        if repository is None:
            return self.refuse(404, "RepoNotFound")
        what = parts[4] if len(parts) > 4 else ""
        return getattr(self, f"on_{what}")(repository, parts[5:])

    def validate(self) -> None:
        """Of all that the Hub asks of a card, the form of its languages."""
        card = yaml.safe_load(json.loads(self.body)["content"].split("---\n")[1])
        wrong = [each for each in card["language"] if not re.fullmatch("[a-z]{2,3}", each)]
        words = '"language[0]" must only contain lowercase characters'
        errors = [{"message": words} for _each in wrong]
        self.say({"errors": errors, "warnings": []}, 400 if errors else 200)

    def create(self) -> None:
        asked = json.loads(self.body)
        name = f"{asked['organization']}/{asked['name']}"
        if name in self.hub.repositories:
            return self.refuse(409)
        made = Repository(private=asked.get("visibility") == "private")
        made.add_commit({".gitattributes": b"*.parquet filter=lfs\n"}, "initial commit")
        self.hub.repositories[name] = made
        return self.say({"url": f"{self.hub.url}/datasets/{name}"})

    def on_refs(self, repository: Repository, _rest: list[str]) -> None:
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": commit}
            for name, commit in repository.tags.items()
        ]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repository.head}
        self.say({"branches": [main], "converts": [], "tags": tags})

    def on_tree(self, repository: Repository, rest: list[str]) -> None:
        rows = []
        for name, data in sorted(repository.commits[rest[0]].items()):
            row: dict[str, Any] = {"type": "file", "path": name, "size": len(data)}
            row["oid"] = _git_hash(data)
            if _is_large(name):
                row["oid"] = _git_hash(b"pointer")
                oid = hashlib.sha256(data).hexdigest()
                row["lfs"] = {"oid": oid, "size": len(data), "pointerSize": 130}
            rows.append(row)
        self.say(rows)

    def on_preupload(self, _repository: Repository, _rest: list[str]) -> None:
        names = [each["path"] for each in json.loads(self.body)["files"]]
        self.say({
            "files": [
                {
                    "path": name,
                    "uploadMode": "lfs" if _is_large(name) else "regular",
                    "shouldIgnore": False,
                }
                for name in names
            ]
        })  # fmt: skip

    def batch(self) -> None:
        objects = []
        for each in json.loads(self.body)["objects"]:
            row = {"oid": each["oid"], "size": each["size"]}
            if each["oid"] not in self.hub.objects:
                href = f"{self.hub.url}/store/{each['oid']}"
                row["actions"] = {"upload": {"href": href}}
            objects.append(row)
        self.say({"transfer": "basic", "objects": objects})

    def store(self, path: str) -> None:
        assert hashlib.sha256(self.body).hexdigest() == path.rpartition("/")[2]
        self.hub.objects[path.rpartition("/")[2]] = self.body
        self.say({})

    def on_commit(self, repository: Repository, _rest: list[str]) -> None:
        files, message = dict(repository.files), ""
        for line in map(json.loads, self.body.splitlines()):
            value = line["value"]
            if line["key"] == "header":
                message = value["summary"]
                if value.get("parentCommit") not in (None, repository.head):
                    return self.refuse(412)
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.objects[value["oid"]]
            else:
                del files[value["path"]]
        commit = repository.add_commit(files, message)
        return self.say({"commitUrl": f"{self.hub.url}/c/{commit}", "commitOid": commit})

    def on_tag(self, repository: Repository, rest: list[str]) -> None:
        tag = json.loads(self.body)["tag"]
        if tag in repository.tags:
            return self.refuse(409)
        repository.tags[tag] = rest[0]
        return self.say({})

    def hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def say(self, body: Any, status: int = 200, **headers: str) -> None:
        if self.is_cut:
            self.hang_up()
            return
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status: int, code: str = "") -> None:
        headers = {"x_error_code": code} if code else {}
        self.say({"error": "no"}, status, **headers)

    def log_message(self, *_: Any) -> None:
        pass
