"""CPU time and memory of a translation job with `rank` (7 calls an item), beside the engine alone.

    python -m benchmarks.translating [--items 500 2000]

Each size runs in a process of its own: the job translates that many items with three candidates against
a stand-in that answers at once, and then the engine asks as many of the same kind of call and keeps nothing.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fresh_site import report, set_up

SIZES, CONCURRENCY, KEPT = [500, 2000], 32, 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=SIZES)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.here:
        _measure(chosen.items[0])
        return
    for size in chosen.items:
        command = [sys.executable, "-m", "benchmarks.translating", "--here", "--items", str(size)]
        subprocess.run(command, check=True)


def _measure(size: int) -> None:
    from benchmarks.engine import stand_in

    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder, stand_in(0) as url:
        set_up(folder)
        project, model = _project(size, url)
        asked: list[Any] = []
        _translate(project, model, system="one", limit=1, asked=asked)
        before = time.process_time()
        calls = _translate(project, model, system="all", limit=0)
        of_job = time.process_time() - before
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        alone = engine_alone(asked, calls, url)
    report("rank_cpu_per_call", 1000 * of_job / calls, "ms", calls)
    report("engine_cpu_per_call", 1000 * alone / calls, "ms", calls)
    report("rank_cpu_by_engine", of_job / alone, "times", calls)
    report("rank_peak_memory", peak, "MB", calls)


def _project(size: int, url: str) -> tuple[Any, Any]:
    """Store a project with `size` items, and a model at the stand-in."""
    from django.utils import timezone

    from annotation.models import Item
    from annotation.natural_order import natural_order
    from projects.models import Project, Source, Subject

    now = timezone.now()
    project = Project.objects.create(
        slug="bench", name="Bench", source_language="zh", target_language="bo", created_at=now
    )
    subject = Subject.objects.create(project=project, slug="s", name="S")
    source = Source.objects.create(project=project, name="made", checksum="0" * 64, created_at=now)
    Item.objects.bulk_create(
        Item(
            project=project, source=source, subject=subject, uid=f"s/{number}", uid_order=natural_order(f"s/{number}"),
            question=f"水在{number}℃时的密度$\\rho_{{{number}}}$是多少？", key="A",
            options=["很大", "很小", "DNA和水", f"{number + 20}"], created_at=now,
        )
        for number in range(size)
    )  # fmt: skip
    return project, stand_in_model(project, url)


def stand_in_model(project: Any, url: str) -> Any:
    """Store a model of the project at the stand-in."""
    from django.utils import timezone

    from endpoints.models import Endpoint, ModelSpec

    now = timezone.now()
    endpoint = Endpoint.objects.create(
        project=project, name="stand-in", base_url=url, created_at=now
    )
    return ModelSpec.objects.create(
        project=project, endpoint=endpoint, name="m", model="stand-in-strong", created_at=now
    )


def _translate(
    project: Any, model: Any, *, system: str, limit: int, asked: list[Any] | None = None
) -> int:
    """Do a job; return how many calls were answered. The requests are added to `asked`."""
    from functools import partial

    from django.utils import timezone

    from annotation.asking.queries import Selection
    from annotation.translating.actions import TranslationSettings, start_translation
    from annotation.translating.execution import perform_translation
    from annotation.translating.queries import totals_of
    from endpoints.connections import connect
    from jobs.worker import run_now

    settings = TranslationSettings(
        model=model, system=system, strategy="rank", samples=3, concurrency=CONCURRENCY,
        selection=Selection(limit=limit),
    )  # fmt: skip
    started = start_translation(project=project, settings=settings, actor=None, now=timezone.now())

    def connect_recorded(endpoint: Any) -> Any:
        provider = connect(endpoint)
        return provider if asked is None else Recording(provider, asked)

    job = run_now(started.job, partial(perform_translation, connect=connect_recorded))
    assert job.state == "done", job.error
    return totals_of(started).calls


class Recording:
    """A provider that keeps the first requests that it gets."""

    def __init__(self, provider: Any, asked: list[Any]) -> None:
        self._provider, self._asked = provider, asked
        self.endpoint = provider.endpoint

    async def complete(self, request: Any) -> Any:
        if len(self._asked) < KEPT:
            self._asked.append(request)
        return await self._provider.complete(request)

    async def aclose(self) -> None:
        await self._provider.aclose()


def engine_alone(asked: list[Any], calls: int, url: str) -> float:
    """Return the CPU seconds of the engine for as many calls, the requests of one item in turn."""
    from endpoints.engine import Unit, run
    from endpoints.providers.openai_compatible import OpenAICompatible

    units = (Unit(number, asked[number % len(asked)]) for number in range(calls))
    before = time.process_time()
    summary = run(
        units, provider=OpenAICompatible(url), concurrency=CONCURRENCY,
        store=lambda _results: None, is_cancelled=lambda: False,
    )  # fmt: skip
    assert summary.answered_count == calls
    return time.process_time() - before


if __name__ == "__main__":
    main()
