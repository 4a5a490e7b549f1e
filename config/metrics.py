"""The figures of the installation for Prometheus, read when they are asked for.

Only what is the same for every process of the web server: with several of them, counters kept in
memory would be those of whichever process answers.
"""

from collections.abc import Iterator

from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from config.health import OK, Health, measure_health
from jobs.enums import JobState
from jobs.queries import count_of_jobs

PARTS = ("database", "disk", "broker", "worker", "queue")


class _Installation(Collector):
    def describe(self) -> list[GaugeMetricFamily]:
        """Return nothing, so that registering does not query the database."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        health = measure_health(now=timezone.now())
        part_ok = GaugeMetricFamily(
            "lotsawa_part_ok", "1 if /healthz calls the part ok.", labels=["part"]
        )
        for part in PARTS:
            part_ok.add_metric([part], float(getattr(health, part) == OK))
        yield part_ok
        yield GaugeMetricFamily(
            "lotsawa_disk_free_bytes", "Free space where var/ is.", value=health.disk_free_bytes
        )
        yield from _jobs(health)


def _jobs(health: Health) -> Iterator[GaugeMetricFamily]:
    yield GaugeMetricFamily(
        "lotsawa_queue_oldest_seconds",
        "How long the job has waited that waits longest; 0 if none waits.",
        value=health.queue_oldest_seconds,
    )
    if not health.is_serving:
        return
    jobs = GaugeMetricFamily("lotsawa_jobs", "Jobs that have not ended.", labels=["state"])
    for state in (JobState.QUEUED, JobState.RUNNING):
        jobs.add_metric([str(state.value)], count_of_jobs(state))
    yield jobs


def metrics_text() -> bytes:
    """Return the figures in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Installation())
    return generate_latest(registry)
