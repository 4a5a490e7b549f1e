"""CPU time of long lists: duplicates with 4,000 and 40,000 open pairs, items with 10,000 and 100,000.

With the pairs also the home page and the overview, which count them.

Prints for each page and size the median CPU milliseconds of the whole request, and the ratio between
the largest and the smallest size. Rows are written as the import and the search write them; their
speed is printed too. Set LOTSAWA_DATABASE_URL to an empty PostgreSQL database to measure there
(the time of the web process alone, then).
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fresh_site import client_of, report, set_up

REPEATS, SEED, AT_ONCE = 9, 20261122, 2000
ONSETS = tuple("ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚ")
CODAS = ["", "ག", "ང", "ད", "ན", "བ", "མ", "འི", "ར", "ལ", "ས", "གས"]
ITEM_PAGES = (
    "items/",
    "items/?findings=error",
    "items/?findings=warning",
    "items/?code=key_changed",
    "items/?state=approved",
    "items/?state=excluded",
    "items/?q=zqxj nothing",
    "items/?q=ཀཁགཀཁག",
    "items/?q=number",
    "items/?q=s7/1237",
    "items/?q=ཁུ",
    "items/?q=ཁཁ",
    "items/?category=c3",
    "items/?subject=s7",
)
PAIR_PAGES = (
    "/",
    "",
    "duplicates/",
    "duplicates/?key=different",
    "duplicates/?kind=semantic",
    "duplicates/?side=source",
    "duplicates/?state=distinct",
    "duplicates/?state=all",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--pairs", type=int, nargs="+", default=[4_000, 40_000])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        set_up(folder, os.environ.get("LOTSAWA_DATABASE_URL", ""))
        _report(_measured(chosen.items, _items_of_size, ITEM_PAGES))
        _report(_measured(chosen.pairs, _pairs_of_size, PAIR_PAGES))


def _measured(
    sizes: list[int], make: Callable[[int], Any], pages: tuple[str, ...]
) -> dict[str, dict[int, float]]:
    times: dict[str, dict[int, float]] = {page: {} for page in pages}
    for size in sizes:
        project = make(size)
        client = client_of(project)
        for page in pages:
            times[page][size] = _time(client, urljoin(f"/projects/{project.slug}/", page))
    return times


def _report(times: dict[str, dict[int, float]]) -> None:
    for page, by_size in times.items():
        for size, milliseconds in by_size.items():
            report(f"list_{page}", milliseconds, "CPU ms", size)
        ratio = by_size[max(by_size)] / by_size[min(by_size)]
        report(f"list_{page}_ratio", ratio, "ratio", len(by_size))


def _project(name: str) -> Any:
    from django.utils import timezone

    from projects.models import Project

    return Project.objects.create(
        slug=name, name=name, source_language="en", target_language="bo", created_at=timezone.now()
    )


def _items_of_size(size: int) -> Any:
    project = _project(f"items-{size}")
    started = time.process_time()
    _write_items(project, size, _texts())
    report("list_items_written", size / (time.process_time() - started), "items/s", size)
    return project


def _write_items(project: Any, size: int, texts: Iterator[str]) -> list[int]:
    from django.db import transaction

    from annotation.index import refresh_items
    from annotation.models import Item

    subjects, source = _subjects(project)
    for start in range(0, size, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, size))
        with transaction.atomic():
            ids = _insert(project, source, subjects, [(n, next(texts)) for n in numbers])
            begun = time.process_time()
            refresh_items(ids)
            spent = time.process_time() - begun
    report("list_refresh_items", len(numbers) / spent, "items/s", size)
    return list(Item.objects.filter(project=project).order_by("pk").values_list("pk", flat=True))


def _subjects(project: Any) -> tuple[list[Any], Any]:
    from django.utils import timezone

    from projects.models import Source, Subject

    subjects = [
        Subject.objects.create(project=project, slug=f"s{n}", name=f"s{n}", category=f"c{n % 5}")
        for n in range(40)
    ]
    source = Source.objects.create(
        project=project, name="made", checksum="0" * 64, created_at=timezone.now()
    )
    return subjects, source


def _insert(project: Any, source: Any, subjects: Any, rows: list[tuple[int, str]]) -> list[int]:
    """Insert items with the numbers of `rows` and a translation of each; return the items' ids."""
    from django.utils import timezone

    from annotation.models import Item, Revision, Translation
    from annotation.natural_order import natural_order
    from common.bulk_insert import draw_ids, insert_rows

    items, translations, revisions = (
        draw_ids(model, len(rows)) for model in (Item, Translation, Revision)
    )
    made = {"created_at": timezone.now()}
    insert_rows(
        Item,
        ("id", "working_translation", "subject", "uid", "uid_order", "question"),
        [
            (*ids, subjects[n % 40].pk, uid, natural_order(uid), f"What is number {n}?")
            for *ids, (n, _text) in zip(items, translations, rows, strict=True)
            for uid in [f"s{n % 40}/{n}"]
        ],
        made | {
            "project": project.pk, "source": source.pk, "key": "A", "state": "active",
            "options": ["one", "two", "three", "four"], "split": "test", "explanation": "",
            "level": "", "year": "", "metadata": {}, "content_hash": "0" * 64, "state_reason": "",
        },
    )  # fmt: skip
    insert_rows(
        Translation,
        ("id", "item", "current_revision"),
        list(zip(translations, items, revisions, strict=True)),
        made | {"system": "mt", "state": "pending"},
    )
    insert_rows(
        Revision,
        ("id", "translation", "question"),
        [
            (*ids, text)
            for *ids, (_n, text) in zip(revisions, translations, rows, strict=True)
        ],
        made | {
            "number": 1, "options": [], "key": "", "raw": "", "origin": "mt",
            "content_hash": "0" * 64,
        },
    )  # fmt: skip
    _insert_findings([(pk, n) for pk, (n, _text) in zip(revisions, rows, strict=True)])
    return list(items)


def _insert_findings(revisions: list[tuple[int, int]]) -> None:
    """Give one item in 50 a warning; errors and rare codes get fewer as the project grows."""
    from django.utils import timezone

    from annotation.models import Finding

    now = timezone.now()
    Finding.objects.bulk_create(
        Finding(
            revision_id=pk,
            code="key_changed" if n < 5 else "numbers_differ",
            severity="error" if n < 5 else "warning",
            field="question",
            created_at=now,
        )
        for pk, n in revisions
        if n < 5 or n % 50 == 0
    )


def _texts() -> Iterator[str]:
    """Return Tibetan texts of about 400 characters from 4,000 syllables of unequal frequency."""
    rng = random.Random(SEED)
    words = [
        rng.choice(ONSETS) + rng.choice(["", "ི", "ུ", "ེ", "ོ"]) + rng.choice(CODAS)
        for _ in range(4000)
    ]
    while True:
        yield "་".join(words[int(4000 * rng.random() ** 3)] for _ in range(105))


def _look_alikes() -> Iterator[str]:
    """Return one text with another syllable changed for each item."""
    rng = random.Random(SEED)
    syllables = next(_texts()).split("་")
    while True:
        at = rng.randrange(len(syllables))
        yield "་".join([*syllables[:at], f"{rng.choice(ONSETS)}ོག", *syllables[at + 1 :]])


def _pairs_of_size(size: int) -> Any:
    """Make pairs: half alone, a quarter in clusters of 50, the rest in one large cluster."""
    project = _project(f"pairs-{size}")
    items = _write_items(project, size + size // 2, _look_alikes())
    edges = list(_edges(items, size))
    started = time.process_time()
    _write_pairs(project, edges)
    report("list_pairs_written", size / (time.process_time() - started), "pairs/s", size)
    return project


def _edges(items: list[int], size: int) -> Iterator[tuple[int, int]]:
    half, quarter = size // 2, size // 4
    for n in range(half):
        yield items[2 * n], items[2 * n + 1]
    for n in range(quarter):
        if n % 50 < 49:
            yield items[size + n], items[size + n + 1]
    large = items[size + quarter :]
    for n in range(quarter - 1):
        yield large[0] if n % 3 else large[n], large[n + 1]


def _write_pairs(project: Any, edges: list[tuple[int, int]]) -> None:
    """Write pairs as a search does: block by block, clusters, then pairs, then their sums."""
    from django.db import transaction

    from annotation.duplicates.clusters import join_items, lock_clusters, measure_clusters
    from annotation.models import DuplicatePair

    search = _search(project)
    for start in range(0, len(edges), 500):
        block = edges[start : start + 500]
        with transaction.atomic():
            lock_clusters(project.pk)
            clusters = join_items(project.pk, block)
            DuplicatePair.objects.bulk_create(
                _pair(search, start + n, edge, cluster)
                for n, (edge, cluster) in enumerate(zip(block, clusters, strict=True))
            )
            measure_clusters(clusters)


def _pair(search: Any, number: int, edge: tuple[int, int], cluster: int) -> Any:
    from annotation.models import DuplicatePair

    a, b = sorted(edge)
    return DuplicatePair(
        project=search.project,
        a_id=a,
        b_id=b,
        side="target",
        kind="near",
        similarity=0.6 + (number * 7919 % 4000) / 10_000,
        has_same_key=number % 100 != 0,
        crosses_splits=number % 20 == 0,
        cluster_id=cluster,
        search=search,
        created_at=search.created_at,
    )


def _search(project: Any) -> Any:
    from django.utils import timezone

    from annotation.models import DuplicateSearch
    from jobs.models import Job

    now = timezone.now()
    counts = ("items", "found", "exact", "near", "semantic", "different_key")
    job = Job.objects.create(
        kind="duplicates",
        scope=project.slug,
        state="done",
        result=dict.fromkeys(counts, 0),
        created_at=now,
        queued_at=now,
        finished_at=now,
    )
    return DuplicateSearch.objects.create(
        project=project, job=job, methods=["near"], model="hashed-ngrams", created_at=now
    )


def _time(client: Any, path: str) -> float:
    """Return the median CPU milliseconds of a page after one warm-up."""
    if client.get(path).status_code != 200:
        raise SystemExit(f"{path} answered {client.get(path).status_code}")
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        client.get(path)
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
