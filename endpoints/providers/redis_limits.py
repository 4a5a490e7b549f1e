"""The rate limit of an endpoint that all worker processes share, kept in Redis."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import redis
import structlog
from redis.backoff import NoBackoff
from redis.retry import Retry

from endpoints.rate_limits import ANY, Thread

log = structlog.get_logger(__name__)

TIMEOUT_SECONDS = 2.0
# Without Redis nobody knows what the others do: wait and look again rather than call too often.
AWAY_SECONDS = 1.0
FORGET_SECONDS = 3600

# Redis's own clock, so that the clocks of the workers' machines need not agree.
RESERVE = """
local told = redis.call('TIME')
local now = told[1] + told[2] / 1000000
local paused = tonumber(redis.call('HGET', KEYS[1], 'paused_until') or '0')
if paused > now then return string.format('%.6f', paused - now) end
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
if rate <= 0 then return '0' end
local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[2])
local filled = tonumber(redis.call('HGET', KEYS[1], 'filled_at') or now)
tokens = math.min(burst, tokens + math.max(now - filled, 0) * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = (1 - tokens) / rate end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens),
           'filled_at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], ARGV[3])
return string.format('%.6f', wait)
"""
PAUSE = """
local told = redis.call('TIME')
local until_ = told[1] + told[2] / 1000000 + tonumber(ARGV[1])
local paused = tonumber(redis.call('HGET', KEYS[1], 'paused_until') or '0')
redis.call('HSET', KEYS[1], 'paused_until', string.format('%.6f', math.max(paused, until_)))
redis.call('EXPIRE', KEYS[1], math.ceil(tonumber(ARGV[1])) + tonumber(ARGV[2]))
"""


@dataclass(frozen=True, slots=True)
class RedisTokenBucket:
    """`rate` calls a second (0 for no limit) to `endpoint`, one at a time, over all processes.

    While Redis is away every reservation is told to wait, and pauses are lost.
    """

    client: Any
    endpoint: str
    rate: float = 0.0
    burst: float = 1.0
    thread: ClassVar[Thread] = ANY

    def reserve(self, now: float) -> float:
        """Take a token, or return the seconds until there is one; `now` is Redis's own."""
        try:
            return float(
                self.client.eval(RESERVE, 1, self._key, self.rate, self.burst, FORGET_SECONDS)
            )
        except redis.RedisError as error:
            log.warning("rate_limit.redis_away", error=str(error))
            return AWAY_SECONDS

    def pause(self, seconds: float, now: float) -> None:
        """Keep the later of two pauses, for every process."""
        try:
            self.client.eval(PAUSE, 1, self._key, seconds, FORGET_SECONDS)
        except redis.RedisError as error:
            log.warning("rate_limit.redis_away", error=str(error))

    @property
    def _key(self) -> str:
        return f"lotsawa:rate:{hashlib.sha256(self.endpoint.encode()).hexdigest()}"


@lru_cache(maxsize=4)
def client_of(url: str) -> redis.Redis:
    """A client of the server at `url`, one a process; every answer has a time limit.

    A call is tried a second time at once, as the server may have closed a connection that was
    idle. The library's own tries last seconds more, in which a worker can't be stopped.
    """
    return redis.Redis.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )
