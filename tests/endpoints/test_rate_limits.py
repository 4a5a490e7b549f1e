"""One limit an endpoint, whoever calls it: in one process, and on Redis over all of them."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from endpoints.providers.redis_limits import AWAY_SECONDS, RedisTokenBucket, client_of
from endpoints.rate_limits import Unlimited, limiter_of_process

ROOT = Path(__file__).resolve().parents[2]
REDIS_URL = os.environ.get("LOTSAWA_TEST_REDIS_URL", "")
needs_redis = pytest.mark.skipif(
    not REDIS_URL, reason="there is no Redis: LOTSAWA_TEST_REDIS_URL names a server"
)
CALLER = """
import sys, time
from endpoints.providers.redis_limits import RedisTokenBucket, client_of
url, endpoint, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
bucket = RedisTokenBucket(client_of(url), endpoint, rate=20.0)
bucket.reserve(0)
print("ready", flush=True)
sys.stdin.readline()
taken, end = 0, time.monotonic() + seconds
while time.monotonic() < end:
    wait = bucket.reserve(0)
    taken += wait == 0
    time.sleep(min(wait, max(end - time.monotonic(), 0)))
print(taken)
"""


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An address of this test's own; what Redis holds of it goes with the test."""
    name = f"http://127.0.0.1/{uuid.uuid4().hex}"
    yield name
    if REDIS_URL:
        client_of(REDIS_URL).delete(RedisTokenBucket(None, name)._key)


def test_endpoint_without_a_rate_has_one_limiter_a_process(endpoint: str) -> None:
    limiter = limiter_of_process(endpoint)

    assert limiter_of_process(endpoint) is limiter
    assert limiter_of_process(f"{endpoint}/other") is not limiter


def test_of_two_pauses_the_later_holds() -> None:
    limiter = Unlimited()
    limiter.pause(10.0, 100.0)
    limiter.pause(3.0, 101.0)

    assert limiter.reserve(104.0) == pytest.approx(6.0)
    assert limiter.reserve(110.0) == 0.0


@pytest.mark.slow
@pytest.mark.redis
@needs_redis
def test_processes_together_keep_the_rate(endpoint: str) -> None:
    command = [sys.executable, "-c", CALLER, REDIS_URL, endpoint, "2"]
    callers = [
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _number in range(3)
    ]
    for caller in callers:
        assert caller.stdout is not None
        assert caller.stdout.readline() == "ready\n"
    began = time.monotonic()
    for caller in callers:
        assert caller.stdin is not None
        caller.stdin.write("go\n")
        caller.stdin.flush()

    taken = sum(int(caller.communicate(timeout=170)[0]) for caller in callers)

    assert 20 <= taken <= 20 * (time.monotonic() - began) + 1


@pytest.mark.redis
@needs_redis
def test_pause_asked_of_one_process_holds_the_others(endpoint: str) -> None:
    one, other = (RedisTokenBucket(client_of(REDIS_URL), endpoint) for _number in range(2))
    assert other.reserve(0) == 0.0

    one.pause(30.0, 0)
    one.pause(5.0, 0)

    assert 20 < other.reserve(0) <= 30.0


def test_nobody_calls_while_redis_is_away(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []  # of the library; the caller looks again by itself
    monkeypatch.setattr("redis.retry.sleep", waits.append)
    bucket = RedisTokenBucket(client_of("redis://127.0.0.1:1/0"), endpoint, rate=5.0)

    bucket.pause(1.0, 0)

    assert bucket.reserve(0) == AWAY_SECONDS
    assert waits == []
