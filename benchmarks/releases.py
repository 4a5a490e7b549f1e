"""Building a release and exporting judgements at two sizes: rates, growth and peak memory.

python -m benchmarks.releases [--items 10000 100000] [--databases sqlite,postgresql]

Each figure is one JSON line; the exit code is 1 when a target is missed. Every item has a Tibetan
text of about 400 characters and a panel of two judgements with comments, every fifth with a
correction, and 10 % of the tests are hidden. A build freezes the items, writes two formats, the
descriptions and the archive, and puts all on disk: what the worker does from the first step of the
job to its last. It is built three times; the fastest counts, for whatever else the machine does only
adds time, and the middle one is said beside it. One more build shuffles the options with balanced
keys, and the last writes all formats, and its folder is checked. Each size is measured in a process
of its own, and how the rate at the largest compares with that at the smallest is said last. The
reference (benchmarks/reference.py) tells how quick the machine is.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from benchmarks.fresh_site import report
from benchmarks.reference import PIECES, reference_ms
from benchmarks.release_projects import fill
from benchmarks.review import ROOT, database

SIZES = (10_000, 100_000)
BUILDS = 3

UNITS = {
    "judgements_jsonl_rate": "rows/s",
    "judgements_csv_rate": "rows/s",
    "judgements_peak_memory": "MB",
    "release_rate": "items/s",
    "release_rate_middle": "items/s",
    "release_rate_cpu": "items/s of CPU",
    "release_freeze_cpu": "s of CPU",
    "release_bytes": "MB",
    "release_peak_memory": "MB",
    "release_shuffled_rate": "items/s",
    "release_shuffled_rate_cpu": "items/s of CPU",
    "release_shuffled_freeze_cpu": "s of CPU",
    "release_shuffled_peak_memory": "MB",
    "release_all_formats_rate": "items/s",
    "release_all_formats_cpu": "s of CPU",
    "release_all_formats_seconds": "s",
    "release_all_formats_bytes": "MB",
    "release_all_formats_peak_memory": "MB",
    "verify_seconds": "s",
}
GROWTH = ("release_rate_cpu", "release_shuffled_rate_cpu", "release_all_formats_rate")
"""Rates that are compared between the sizes though they have no target of their own."""
LEAST = {"release_rate": 5_000, "judgements_jsonl_rate": 20_000, "judgements_csv_rate": 20_000}
"""The targets, at each size."""
MOST_MORE_MEMORY = {"judgements_peak_memory": 15, "release_peak_memory": 80}
"""MB that the largest size may take beyond the smallest."""
MOST = {"release_all_formats_seconds": 60, "release_all_formats_peak_memory": 500}
"""What all formats may take at any size."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill or options.measure:
        import django

        django.setup()
        print(json.dumps(measure(options.measure) if options.measure else fill(options.items)))
        return 0
    missed = []
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                missed += measure_database(name, url, options.items)
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


def measure_database(name: str, url: str, sizes: list[int]) -> list[str]:
    """Print the figures; return a line for each target that was missed."""
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as var:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.base",
            "LOTSAWA_VAR": var,
            "LOTSAWA_DATABASE_URL": url,
            "LOTSAWA_REDIS_URL": "",
            "LOTSAWA_LOG_LEVEL": "ERROR",
        }
        slugs = in_new_process(environment, "--fill", "--items", *map(str, sizes))
        os.sync()  # what the set-up wrote is not the build's to wait for
        found = {
            size: in_new_process(environment, "--measure", slug)
            for size, slug in zip(sizes, slugs, strict=True)
        }
    report(f"release_reference_{name}", reference_ms(), "ms", PIECES)
    missed = []
    for size, figures in found.items():
        for figure, unit in UNITS.items():
            report(f"{figure}_{name}", figures[figure], unit, size)
            least = LEAST.get(figure, 0)
            if figures[figure] < least:
                missed.append(f"{figure} on {name} at {size} items is below {least}")
            if figures[figure] > MOST.get(figure, float("inf")):
                missed.append(f"{figure} on {name} at {size} items is above {MOST[figure]}")
    return missed + say_growth(name, found)


def say_growth(name: str, found: Mapping[int, Mapping[str, float]]) -> list[str]:
    """Print how the largest size compares with the smallest; return what grew too much."""
    small, large = found[min(found)], found[max(found)]
    missed = []
    for figure in (*LEAST, *GROWTH):
        report(f"{figure}_{name}_growth", large[figure] / small[figure], "times", max(found))
    for figure, most in MOST_MORE_MEMORY.items():
        more = large[figure] - small[figure]
        report(f"{figure}_{name}_growth", more, "MB more", max(found))
        if more > most:
            missed.append(f"{figure} on {name} grows by more than {most} MB")
    return missed


def in_new_process(environment: dict[str, str], *arguments: str) -> Any:
    """Return the last line that a new process prints; its memory starts afresh."""
    command = [sys.executable, "-m", "benchmarks.releases", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def measure(slug: str) -> dict[str, float]:
    """Measure the exports first, because the build has the higher peak of memory."""
    from projects.models import Project

    project = Project.objects.get(slug=slug)
    warm_up = Project.objects.order_by("pk").first()
    export_figures(warm_up)
    figures = export_figures(project)
    build_figures(warm_up, f"0.0.{project.pk}")  # a worker has imported everything long ago
    figures |= repeated_figures(project)
    figures |= shuffled_figures(project, "2.0.0")
    return figures | all_formats_figures(project, "3.0.0")


def export_figures(project: Any) -> dict[str, float]:
    from review.workbench.judgement_rows import FORMATS, round_numbers
    from review.workbench.queries import told_judgements

    figures = {}
    for name, (write, _media_type) in FORMATS.items():
        rows, started = 0, time.perf_counter()
        for piece in write(told_judgements(project), round_numbers(project.rounds.all())):
            rows += piece.count("\n")
        figures[f"judgements_{name}_rate"] = rows / (time.perf_counter() - started)
    return figures | {"judgements_peak_memory": peak_megabytes()}


def repeated_figures(project: Any) -> dict[str, float]:
    """Return the fastest build, the rate of the middle one and the memory of the first."""
    builds = [build_figures(project, f"1.{number}.0") for number in range(BUILDS)]
    by_rate = sorted(builds, key=itemgetter("release_rate"))
    return by_rate[-1] | {
        "release_rate_middle": by_rate[BUILDS // 2]["release_rate"],
        "release_peak_memory": builds[0]["release_peak_memory"],
    }


def build_figures(project: Any, version: str, **wanted: Any) -> dict[str, float]:
    from django.utils import timezone

    from jobs.progress import Progress
    from releases.building.actions import BuildRequest, start_build
    from releases.building.build import build_release
    from releases.building.freezing import freeze_items

    request = BuildRequest(
        version=version, black_box_share=0.1, seed=7, formats=("csv", "jsonl"), **wanted
    )
    release = start_build(project=project, request=request, actor=None, now=timezone.now())
    assert release.job_id is not None
    cpu, wall = time.process_time(), time.perf_counter()
    freeze_items(release=release, now=timezone.now())
    frozen = time.process_time() - cpu
    release.refresh_from_db()
    release = build_release(release=release, progress=Progress(release.job_id), now=timezone.now())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    count = project.items.count()
    return {
        "release_rate": count / wall,
        "release_rate_cpu": count / cpu,
        "release_freeze_cpu": frozen,
        "release_bytes": sum(release.artifacts.values_list("size", flat=True)) / 1e6,
        "release_peak_memory": peak_megabytes(),
    }


def shuffled_figures(project: Any, version: str) -> dict[str, float]:
    """Measure the same build with shuffled options and balanced keys."""
    found = build_figures(project, version, option_order="shuffled")
    names = ("rate", "rate_cpu", "freeze_cpu", "peak_memory")
    return {f"release_shuffled_{name}": found[f"release_{name}"] for name in names}


def all_formats_figures(project: Any, version: str) -> dict[str, float]:
    """Measure a build of all formats, and the check of its folder."""
    from django.conf import settings
    from django.utils import timezone

    from jobs.progress import Progress
    from releases.building.actions import BuildRequest, start_build
    from releases.building.build import build_release
    from releases.files.storage import release_folder
    from releases.verification.checking import verify

    request = BuildRequest(version=version, black_box_share=0.1, seed=7)
    release = start_build(project=project, request=request, actor=None, now=timezone.now())
    assert release.job_id is not None
    cpu, started = time.process_time(), time.perf_counter()
    release = build_release(release=release, progress=Progress(release.job_id), now=timezone.now())
    wall, peak = time.perf_counter() - started, peak_megabytes()
    cpu = time.process_time() - cpu
    started = time.perf_counter()
    found = verify(release_folder(project.slug, version), version=settings.VERSION)
    assert not found.problems, found.problems[:3]
    return {
        "release_all_formats_rate": project.items.count() / wall,
        "release_all_formats_seconds": wall,
        "release_all_formats_cpu": cpu,
        "release_all_formats_bytes": sum(release.artifacts.values_list("size", flat=True)) / 1e6,
        "release_all_formats_peak_memory": peak,
        "verify_seconds": time.perf_counter() - started,
    }


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
