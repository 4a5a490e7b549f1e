"""CPU time and memory of a run, for each answered and scored sample, beside the engine alone.

    python -m benchmarks.answering [--items 2000 20000] [--methods anchored,direct,concern_all]

Each size runs in a process of its own: the run asks that many items of a stand-in that answers at
once, stores what comes and scores it, and then the engine asks the same and keeps nothing. The
results page is measured at the end.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fresh_site import report, set_up

SIZES, METHODS, CONCURRENCY, VIEWS = [2_000, 20_000], "anchored", 32, 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=SIZES)
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.here:
        _measure(chosen.items[0], tuple(chosen.methods.split(",")))
        return
    for size in chosen.items:
        command = [sys.executable, "-m", "benchmarks.answering", "--here", "--items", str(size)]
        subprocess.run([*command, "--methods", chosen.methods], check=True)


def _measure(size: int, methods: tuple[str, ...]) -> None:
    from benchmarks.engine import stand_in
    from benchmarks.review import make_items, make_project
    from benchmarks.stored_runs import make_release
    from benchmarks.translating import engine_alone, stand_in_model

    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder, stand_in(0) as url:
        set_up(folder)
        project, _people = make_project("bench")
        make_items(project, size)
        release, _placed = make_release(project)
        model, asked = stand_in_model(project, url), []  # type: tuple[Any, list[Any]]
        _answer(release, model, methods, asked=asked)
        before = time.process_time()
        run = _answer(release, model, methods)
        of_run = time.process_time() - before
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        alone = engine_alone(asked, size, url)
        page = _page_ms(run)
    report("run_cpu_per_sample", 1000 * of_run / size, "ms", size)
    report("engine_cpu_per_sample", 1000 * alone / size, "ms", size)
    report("run_cpu_by_engine", of_run / alone, "times", size)
    report("run_peak_memory", peak, "MB", size)
    report("run_page_cpu", page, "ms", size)


def _answer(
    release: Any, model: Any, methods: tuple[str, ...], *, asked: list[Any] | None = None
) -> Any:
    """Do a run of all items, which uses no earlier answers. The requests are added to `asked`."""
    from django.utils import timezone

    from benchmarks.translating import Recording
    from endpoints.connections import connect
    from evaluation.runs.actions import RunSettings, start_run
    from evaluation.runs.execution import perform_run
    from jobs.worker import run_now
    from prompts.actions import ensure_default_prompts
    from prompts.queries import known_prompts

    now = timezone.now()
    ensure_default_prompts(project=release.project, now=now)
    settings = RunSettings(methods=methods, concurrency=CONCURRENCY, is_asked_again=True)
    run = start_run(
        release=release, model_spec=model, prompt=known_prompts(release.project, now=now)[0],
        settings=settings, actor=None, now=now,
    )  # fmt: skip

    def connect_recorded(endpoint: Any) -> Any:
        provider = connect(endpoint)
        return provider if asked is None else Recording(provider, asked)

    job = run_now(run.job, partial(perform_run, connect=connect_recorded))
    assert job.state == "done", job.error
    return run


def _page_ms(run: Any) -> float:
    """Return the CPU of the page of the run, the median of some views."""
    import statistics

    from django.test import Client
    from django.urls import reverse

    from accounts.models import User

    client = Client()
    client.force_login(User.objects.create_superuser("bench@example.org", "Bench"))
    url = reverse("evaluation:run", args=[run.release.project.slug, run.pk])
    times = []
    for _view in range(VIEWS):
        before = time.process_time()
        assert client.get(url).status_code == 200
        times.append(1000 * (time.process_time() - before))
    return statistics.median(times)


if __name__ == "__main__":
    main()
