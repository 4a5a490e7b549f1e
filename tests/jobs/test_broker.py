"""The durable file transport, with real processes and real kills."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection, Exchange, Queue
from kombu.simple import SimpleQueue

from jobs import broker
from jobs.broker import Transport

PATIENCE = 15.0
REPOSITORY = Path(__file__).resolve().parents[2]

_OPEN = """
import sys, time
from kombu import Connection
from jobs.broker import Transport
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
options = {"data_folder_in": f"{folder}/in", "data_folder_out": f"{folder}/in",
           "processed_folder": f"{folder}/claimed", "polling_interval": 0.01}
queue = Connection(transport=Transport, transport_options=options).SimpleQueue("work")
"""
PRODUCER = (
    _OPEN
    + """
for number in range(count):
    queue.put({"id": f"{name}-{number}", "padding": "x" * 20_000})
"""
)
CONSUMER = (
    _OPEN
    + """
from pathlib import Path
from queue import Empty
while True:
    ended = Path(folder, "ended").exists()
    try:
        message = queue.get(timeout=0.2)
    except Empty:
        if ended:
            break
        continue
    print(message.payload["id"], flush=True)
    message.ack()
"""
)
HOLDER = (
    _OPEN
    + """
held = [queue.get(timeout=60) for _ in range(count)]
print("holding", flush=True)
time.sleep(60)
"""
)


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Callable[[], Connection]]:
    opened: list[Connection] = []

    def open_connection() -> Connection:
        options = {
            "data_folder_in": str(tmp_path / "in"),
            "data_folder_out": str(tmp_path / "in"),
            "processed_folder": str(tmp_path / "claimed"),
            "polling_interval": 0.01,
        }
        opened.append(Connection(transport=Transport, transport_options=options))
        return opened[-1]

    Transport.global_state.clear()
    yield open_connection
    for connection in opened:
        connection.release()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start_process(script: str, name: str, count: int = 0) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", script, str(tmp_path), name, str(count)]
        started.append(subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start_process
    for process in started:
        process.kill()
        process.communicate()


def _payloads(queue: SimpleQueue, count: int) -> list[Any]:
    found = []
    for _ in range(count):
        message = queue.get(timeout=PATIENCE)
        found.append(message.payload)
        message.ack()
    return found


def _message_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.msg") if path.parent.name != "corrupt")


def test_two_producers_and_two_consumers_lose_and_repeat_nothing(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    count = 300
    consumers = [start(CONSUMER, name) for name in ("c1", "c2")]
    producers = [start(PRODUCER, name, count) for name in ("p1", "p2")]
    assert [process.wait(PATIENCE) for process in producers] == [0, 0]
    (tmp_path / "ended").touch()
    got = [consumer.communicate(timeout=PATIENCE)[0].split() for consumer in consumers]
    expected = {f"{name}-{n}" for name in ("p1", "p2") for n in range(count)}
    assert Counter(got[0] + got[1]) == Counter(dict.fromkeys(expected, 1))
    assert _message_files(tmp_path) == []


def test_killed_consumer_claims_come_back_in_order(
    start: Callable[..., subprocess.Popen[str]],
    connect: Callable[[], Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(broker, "SWEEP_SECONDS", 0.1)
    queue = connect().SimpleQueue("work")
    for number in range(6):
        queue.put({"id": number})
    holder = start(HOLDER, "holder", 4)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "holding\n"
    assert queue.qsize() == 2
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(PATIENCE)
    assert [payload["id"] for payload in _payloads(queue, 6)] == [0, 1, 2, 3, 4, 5]
    assert _message_files(tmp_path) == []


def test_live_consumer_claims_are_not_swept(
    connect: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "SWEEP_SECONDS", 0.0)
    mine, theirs = connect().SimpleQueue("work"), connect().SimpleQueue("work")
    mine.put({"id": 1})
    held = mine.get(timeout=PATIENCE)
    with pytest.raises(theirs.Empty):
        theirs.get(timeout=0.3)
    held.ack()


def test_messages_come_first_in_first_out(connect: Callable[[], Connection]) -> None:
    queue = connect().SimpleQueue("work")
    for number in range(50):
        queue.put(number)
    assert _payloads(connect().SimpleQueue("work"), 50) == list(range(50))


def test_rejected_with_requeue_comes_back_before_later_ones(
    connect: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "LISTING_SECONDS", 0.0)
    queue = connect().SimpleQueue("work")
    for number in range(3):
        queue.put(number)
    queue.get(timeout=PATIENCE).reject(requeue=True)
    assert _payloads(queue, 3) == [0, 1, 2]


def test_rejected_without_requeue_is_gone(
    connect: Callable[[], Connection], tmp_path: Path
) -> None:
    queue = connect().SimpleQueue("work")
    queue.put("unwanted")
    queue.get(timeout=PATIENCE).reject()
    assert _message_files(tmp_path) == []


def test_closing_gives_unacknowledged_back_at_once(
    connect: Callable[[], Connection], tmp_path: Path
) -> None:
    connection = connect()
    queue = connection.SimpleQueue("work")
    queue.put("half done")
    held = queue.get(timeout=PATIENCE)
    connection.release()
    assert _payloads(connect().SimpleQueue("work"), 1) == [held.payload]


def test_no_ack_consumer_leaves_nothing_behind(
    connect: Callable[[], Connection], tmp_path: Path
) -> None:
    queue = connect().SimpleQueue("work", no_ack=True)
    queue.put("one")
    assert queue.get(timeout=PATIENCE).payload == "one"
    queue.put("two")
    message = queue.channel.basic_get("work", no_ack=True)
    assert message.payload == "two"
    assert _message_files(tmp_path) == []


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"properties": {}, "body": 5, "x"', '{"body": "e30="}']
    + [json.dumps({"body": "abc", "properties": {"body_encoding": "base64"}})],
)
def test_corrupt_message_is_set_aside_and_the_next_delivered(
    connect: Callable[[], Connection], tmp_path: Path, content: str
) -> None:
    queue = connect().SimpleQueue("work")
    (tmp_path / "in" / "00000000000000000001-broken.work.msg").write_text(content)
    queue.put("sound")
    assert _payloads(queue, 1) == ["sound"]
    [aside] = (tmp_path / "claimed" / "corrupt").iterdir()
    assert aside.read_text() == content


def test_binary_rubbish_is_set_aside(connect: Callable[[], Connection], tmp_path: Path) -> None:
    queue = connect().SimpleQueue("work")
    (tmp_path / "in" / "0-broken.work.msg").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(queue.Empty):
        queue.get(timeout=0.1)
    assert len(list((tmp_path / "claimed" / "corrupt").iterdir())) == 1


def test_queue_names_with_dots_and_slashes_do_not_mix(connect: Callable[[], Connection]) -> None:
    names = ["b", "a.b", "c.a.b", "a/b", "../b"]
    connection = connect()
    channel = connection.default_channel
    queues = [Queue(name, Exchange("all"), routing_key=name)(channel) for name in names]
    for name in names:
        connection.Producer().publish(name, exchange="all", routing_key=name, declare=queues)
    assert [queue.queue_declare().message_count for queue in queues] == [1, 1, 1, 1, 1]
    assert [queue.get(no_ack=True).payload for queue in queues] == names


def test_size_and_purge_count_one_queue(connect: Callable[[], Connection]) -> None:
    queue, other = connect().SimpleQueue("work"), connect().SimpleQueue("more.work")
    for number in range(5):
        queue.put(number)
    other.put("stays")
    assert (queue.qsize(), other.qsize()) == (5, 1)
    assert queue.clear() == 5
    assert (queue.qsize(), other.qsize()) == (0, 1)


def test_fanout_reaches_each_queue_and_both_can_be_acknowledged(
    connect: Callable[[], Connection], tmp_path: Path
) -> None:
    connection = connect()
    exchange = Exchange("news", type="fanout")
    queues = [Queue(name, exchange)(connection.default_channel) for name in ("one", "two")]
    for queue in queues:
        queue.declare()
    connection.Producer().publish("hello", exchange=exchange)
    messages = [queue.get() for queue in queues]
    assert [message.payload for message in messages] == ["hello", "hello"]
    for message in messages:
        message.ack()
    assert _message_files(tmp_path) == []


def test_ack_after_close_changes_nothing(connect: Callable[[], Connection]) -> None:
    connection = connect()
    queue = connection.SimpleQueue("work")
    queue.put("late")
    held = queue.get(timeout=PATIENCE)
    held.channel.close()
    held.ack()
    assert _payloads(connect().SimpleQueue("work"), 1) == ["late"]


def test_half_made_worker_folder_is_removed(
    connect: Callable[[], Connection], tmp_path: Path
) -> None:
    queue = connect().SimpleQueue("work")
    abandoned = tmp_path / "claimed" / "worker-1-abandoned"
    abandoned.mkdir(parents=True)
    with pytest.raises(queue.Empty):
        queue.get(timeout=0.05)
    assert not abandoned.exists()


def test_leftover_of_a_dead_publisher_is_removed_when_old(
    connect: Callable[[], Connection], tmp_path: Path
) -> None:
    queue = connect().SimpleQueue("work")
    old, fresh = tmp_path / "in" / ".old.work.msg", tmp_path / "in" / ".fresh.work.msg"
    for path in (old, fresh):
        path.write_text("{")
    long_ago = time.time() - 2 * broker.LEFTOVER_SECONDS
    os.utime(old, (long_ago, long_ago))
    with pytest.raises(queue.Empty):
        queue.get(timeout=0.05)
    assert (old.exists(), fresh.exists()) == (False, True)
