"""Importing with all checks at three sizes: rates, their ratio, memory, and how long others wait.

Run as `python -m benchmarks.imports [ITEMS …] [--faulty]`; each figure is one JSON line. The source
items are imported first, then as many translations of about 420 Tibetan characters, as published
benchmarks come; with `--faulty`, each of them has six findings. CPU is that of all processes of an
import: one reads and one checks beside the one that writes. The reference is a plain bulk insert of
the same rows into the same tables, without reading, comparing or checking. `longest_wait` is the
longest time that another connection waited for one small write while the translations came in.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.fresh_site import make_tables, report

SIZES = (5_000, 20_000, 100_000)
PAGES_UP_TO = 20_000
ROUNDS = 15
BATCH = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, metavar="TRANSLATIONS")
    parser.add_argument("--faulty", action="store_true", help="texts with six findings each")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure(options.child, faulty if options.faulty else translation)
        return
    sizes = list(options.sizes)
    extra = ["--faulty"] if options.faulty else []
    found = {size: in_new_process(size, extra) for size in sizes}
    for size, figures in found.items():
        for name, value in figures.items():
            report(name, value, UNITS.get(name, "ms"), size)
    first, last = found[sizes[0]], found[sizes[-1]]
    for name in ("translations_rate", "items_rate", "peak_memory"):
        report(f"{name}_largest_to_smallest", last[name] / first[name], "times", sizes[-1])


UNITS = {
    "items_rate": "items/s",
    "items_rate_cpu": "items/s of CPU",
    "translations_rate": "translations/s",
    "translations_rate_cpu": "translations/s of CPU",
    "translations_again_rate_cpu": "translations/s of CPU",
    "translations_to_plain_insert": "times the CPU of a plain insert",
    "peak_memory": "MB",
    "longest_wait": "ms",
}
PAGES = {
    "items": "/projects/bench/items/",
    "items_search_without_a_hit": "/projects/bench/items/?q=nowhere",
    "items_with_errors": "/projects/bench/items/?findings=error",
    "items_of_a_check": "/projects/bench/items/?code=numbers_differ",
    "items_without_findings": "/projects/bench/items/?findings=none",
    "item": "/projects/bench/items/{item}/",
    "findings": "/projects/bench/findings/",
    "findings_of_a_check": "/projects/bench/findings/numbers_differ/",
    "import": "/projects/bench/import/",
    "api_items": "/api/v1/projects/bench/items/",
    "api_findings": "/api/v1/projects/bench/findings/",
}


def in_new_process(count: int, extra: list[str]) -> dict[str, float]:
    """Return the figures of one size, measured in a new process so that memory starts afresh."""
    command = [sys.executable, "-m", "benchmarks.imports", "--child", str(count), *extra]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(count: int, text: Callable[[int], dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        os.environ["LOTSAWA_VAR"] = folder
        os.environ["LOTSAWA_LOG_LEVEL"] = "ERROR"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.base"
        make_tables()
        items = write_file(Path(folder) / "items.jsonl", count, item)
        texts = write_file(Path(folder) / "texts.jsonl", count, text)
        figures = import_figures(items, texts, count)
        if count <= PAGES_UP_TO:
            figures |= page_figures()
        print(json.dumps(figures))


def write_file(path: Path, count: int, row: Callable[[int], dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            file.write(json.dumps(row(n), ensure_ascii=False) + "\n")
    return path


def item(n: int) -> dict[str, Any]:
    return {
        "uid": f"subject_{n % 40}/{n}",
        "subject": f"subject_{n % 40}",
        "question": f"第 {n} 题：下列关于细胞的说法中，哪一项不正确？温度为 {n % 37}°C 时，NADH 的浓度是（ ）"
        + "细胞膜的主要成分是脂质和蛋白质" * 3,
        "options": [f"选项{letter} {n}" for letter in "甲乙丙丁"],
        "key": "ABCD"[n % 4],
    }


def translation(n: int) -> dict[str, Any]:
    """Return a text of about 420 characters; one in ten loses a number."""
    degrees = n % 37 if n % 10 else "—"
    return {
        "uid": f"subject_{n % 40}/{n}",
        "system": "mt",
        "question": f"དྲི་བ་ {n} པ། འོག་གི་ཕྲ་ཕུང་སྐོར་གྱི་བཤད་པ་ལས་གང་ཞིག་ཡང་དག་མིན་ནམ། "
        f"དྲོད་ཚད་ {degrees}°C ཡིན་པའི་སྐབས། NADH གྱི་གར་ཚད་ནི་（ ）ཡིན།"
        + "ཕྲ་ཕུང་གི་སྐྱི་མོའི་གྲུབ་ཆ་གཙོ་བོ་ནི་ཚིལ་རྫས་དང་སྤྲི་དཀར་ཡིན། "
        * 3,
        "options": [f"འདེམས་ཁ་{letter} {n} ཕྲ་ཕུང་གི་སྐྱི་མོ་" for letter in "ཀཁགང"],
        "key": "ABCD"[n % 4],
    }


def faulty(n: int) -> dict[str, Any]:
    """Return a text with six findings: number, term, untranslated words, HTML, label, equal options."""
    row = translation(n)
    damaged = row["question"].replace("°C", "0°C").replace("NADH", "NADP")
    first, _second, third, last = row["options"]
    return {
        **row,
        "question": f"细胞膜 {damaged} &nbsp;",
        "options": [first, first, f"C. {third}", last],
    }


def import_figures(items: Path, texts: Path, count: int) -> dict[str, float]:
    from django.utils import timezone

    from annotation.imports.actions import import_path
    from annotation.imports.opening import ImportOptions
    from projects.models import Project

    def project(slug: str) -> Any:
        return Project.objects.create(
            slug=slug, name=slug, source_language="zh", target_language="bo",
            created_at=timezone.now(),
        )  # fmt: skip

    def bring(path: Path) -> Callable[[], Any]:
        return lambda: import_path(
            project=bench, path=path, options=ImportOptions(), actor=None, now=timezone.now()
        )

    bench = project("bench")
    items_cpu, items_wall = timed(bring(items))
    with other_writer(bench.pk) as waits:
        cpu, wall = timed(bring(texts))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    again, _wall = timed(bring(texts))
    plain, _wall = timed(lambda: plain_insert(project("plain"), items, texts))
    return {
        "items_rate": count / items_wall,
        "items_rate_cpu": count / items_cpu,
        "translations_rate": count / wall,
        "translations_rate_cpu": count / cpu,
        "translations_again_rate_cpu": count / again,
        "translations_to_plain_insert": cpu / plain,
        "peak_memory": peak,
        "longest_wait": 1000 * max(waits),
    }


@contextmanager
def other_writer(project: int) -> Iterator[list[float]]:
    """Write one small row every 50 ms from another connection, as a reviewer does; note the waits."""
    waits = [0.0]
    stop = threading.Event()

    def write() -> None:
        from django.db import connection

        from projects.models import Project

        while not stop.wait(0.05):
            start = time.perf_counter()
            Project.objects.filter(pk=project).update(description="written")
            waits.append(time.perf_counter() - start)
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield waits
    finally:
        stop.set()
        thread.join()


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Return seconds of `work`: CPU, that of processes which it started and ended too, and wall."""
    cpu, wall = all_cpu(), time.perf_counter()
    work()
    return all_cpu() - cpu, time.perf_counter() - wall


def all_cpu() -> float:
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(each) for each in whose]
    return sum(each.ru_utime + each.ru_stime for each in used)


def plain_insert(project: Any, items_path: Path, texts_path: Path) -> None:
    """Insert the same items, translations and revisions as they are: the reference."""
    from django.db import transaction
    from django.utils import timezone

    from annotation.models import Item, Revision, Translation
    from projects.models import Source, Subject

    now = timezone.now()
    rows = [json.loads(line) for line in items_path.read_text("utf-8").splitlines()]
    texts = [json.loads(line) for line in texts_path.read_text("utf-8").splitlines()]
    with transaction.atomic():
        source = Source.objects.create(project=project, name="plain", checksum="0", created_at=now)
        subject = Subject.objects.create(project=project, slug="all", name="all")
        items = Item.objects.bulk_create(
            [
                Item(
                    project=project, source=source, subject=subject, uid=r["uid"],
                    question=r["question"], options=r["options"], key=r["key"],
                    content_hash="0" * 64, created_at=now,
                )
                for r in rows
            ],
            batch_size=BATCH,
        )  # fmt: skip
        translations = Translation.objects.bulk_create(
            [Translation(item=item, system="mt", created_at=now) for item in items],
            batch_size=BATCH,
        )
        Revision.objects.bulk_create(
            [
                Revision(
                    translation=translation, number=1, question=r["question"],
                    options=r["options"], origin="imported",
                    content_hash="0" * 64, created_at=now,
                )
                for translation, r in zip(translations, texts, strict=True)
            ],
            batch_size=BATCH,
        )  # fmt: skip


def page_figures() -> dict[str, float]:
    """Return the server's median milliseconds of CPU for each page."""
    from django.conf import settings
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Item
    from projects.models import Membership, Project

    settings.ALLOWED_HOSTS = ["*"]
    user = User.objects.create(email="bench@example.org", date_joined=timezone.now())
    project = Project.objects.get(slug="bench")
    Membership.objects.create(project=project, user=user, role="manager", created_at=timezone.now())
    client = Client()
    client.force_login(user, backend="accounts.backends.AccountBackend")
    item_id = Item.objects.filter(project=project).order_by("pk")[10].pk
    return {
        f"page_{name}": median_ms(client, address.format(item=item_id))
        for name, address in PAGES.items()
    }


def median_ms(client: Any, address: str) -> float:
    seconds = []
    for _ in range(ROUNDS):
        cpu, _wall = timed(lambda: _get(client, address))
        seconds.append(cpu)
    return 1000 * sorted(seconds[1:])[len(seconds) // 2 - 1]


def _get(client: Any, address: str) -> None:
    response = client.get(address)
    if response.status_code != 200:
        raise SystemExit(f"{address} answered {response.status_code}")


if __name__ == "__main__":
    main()
