"""CPU time and query count of every page, with 60 and with 10,000 items in the project.

Prints for each size the slowest page's median CPU time and the largest number of queries, a line for
each page whose number of queries differs between the sizes (there should be none), and a line for
each page that takes twice the time or more at the largest size.
"""

import argparse
import io
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.fresh_site import client_of, report, set_up

REPEATS = 7
GROWS = 2.0
OPTIONS = ("ལན་དང་པོ།", "ལན་གཉིས་པ།", "ལན་གསུམ་པ།", "ལན་བཞི་པ།")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[60, 10_000])
    sizes = parser.parse_args().items
    queries: dict[str, list[int]] = {}
    times: dict[str, list[float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
            for path, milliseconds, count in _measure(size, folder):
                queries.setdefault(path, []).append(count)
                times.setdefault(path, []).append(milliseconds)
                print(f"{size:>6} {milliseconds:8.1f} ms {count:3} {path}", file=sys.stderr)
    for path, counts in queries.items():
        if len(set(counts)) > 1:
            report("page_queries_differ", max(counts) - min(counts), "queries", path)
    for path, taken in times.items():
        if taken[-1] >= GROWS * taken[0]:
            report("page_grows", round(taken[-1] / taken[0], 1), "ratio", path)


def _measure(size: int, folder: str) -> Iterator[tuple[str, float, int]]:
    """Measure in a new process, because settings are read once."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as answer:
            json.dump(_measure_here(size, folder), answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    yield from json.loads(text)


def _measure_here(size: int, folder: str) -> list[tuple[str, float, int]]:
    client = _prepare(size, folder)
    rows = [(path, *_time(client, path)) for path in _paths()]
    slowest = max(rows, key=lambda row: row[1])
    report(f"slowest_page_{size}", round(slowest[1], 1), "CPU ms", f"{slowest[0]} of {len(rows)}")
    report(f"most_queries_{size}", max(row[2] for row in rows), "queries", len(rows))
    sys.stdout.flush()
    return rows


def _prepare(size: int, folder: str) -> Any:
    set_up(folder)
    from django.core.management import call_command

    quiet: dict[str, Any] = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command(
        "create_project", "demo", name="D", source_language="en", target_language="bo", **quiet
    )
    _import(size, Path(folder), quiet)
    call_command("open_round", "demo", "--select", "all", "--force", **quiet)
    call_command("simulate_reviewers", "demo", reviewers=3, limit=min(size, 300), **quiet)
    from projects.models import Project

    client = client_of(Project.objects.get(slug="demo"))
    call_command("close_round", "demo", 1, **quiet)
    waived = {"waive": ["simulated_judgements"], "reason": ["This is a benchmark."]}
    call_command("build_release", "demo", "0.1.0", **waived, **quiet)
    call_command("open_round", "demo", "--force", **quiet)
    return client


def _import(size: int, folder: Path, quiet: dict[str, Any]) -> None:
    from django.core.management import call_command

    path = folder / "items.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            row = {
                "uid": f"s{number % 40}/{number}",
                "subject": f"s{number % 40}",
                "category": f"c{number % 5}",
                "question": f"What is number {number}?",
                "options": ["one", "two", "three", "four"],
                "key": "ABCD"[number % 4],
                "split": "dev" if number % 20 == 0 else "test",
                "system": "mt",
                "translation_question": f"གྲངས་ {number} ག་རེ་རེད།",
                "translation_options": list(OPTIONS),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    call_command("import_items", "demo", path, format="items", **quiet)


def _paths() -> list[str]:
    """Return every page of a manager that works before any job has run, senior pages included."""
    from django.utils import timezone

    from annotation.models import Item
    from common.months import month_of
    from review.models import Panel

    item = Item.objects.earliest("pk")
    panel = Panel.objects.earliest("pk")
    base = "/projects/demo/"
    names = [
        "", "items/", "items/?state=approved", "items/?q=7", f"items/{item.pk}/",
        f"items/{item.pk}/comments/", f"items/{item.pk}/history/", "findings/",
        "findings/dismissed/", "duplicates/", "rounds/", "rounds/1/", "rounds/2/", "rounds/open/",
        "rounds/guideline/", "report/stages.csv", "report/", "report/reviewers/", "statements/",
        f"statements/{month_of(timezone.now())}/", "criteria/", "practice/", "disputes/",
        "disputes/?sort=oldest", "disputes/blocked/", "disputes/settled/", "translations/items/",
        "glossary/", "concordance/?q=number", "memory/?q=number", "releases/", "releases/build/",
        "releases/0.1.0/", "releases/0.1.0/changes/", "releases/problems/", "runs/", "models/",
        "members/", "audit/", "sources/", "settings/", "webhooks/", "import/",
    ]  # fmt: skip
    assert panel
    return ["/", "/my-work/", "/notifications/", *(base + name for name in names)]


class _Counter:
    """Counts statements; a wrapper sees them whatever the settings are."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Any, *args: Any) -> Any:
        self.count += 1
        return execute(*args)


def _time(client: Any, path: str) -> tuple[float, int]:
    """Return the median CPU milliseconds and the queries of a page, after one warm-up.

    CPU time, since other work on the machine must not count; there is no network in between.
    """
    from django.db import connection

    client.get(path)
    counter = _Counter()
    with connection.execute_wrapper(counter):
        answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path} answered {answer.status_code}")
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        client.get(path)
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times), counter.count


if __name__ == "__main__":
    main()
