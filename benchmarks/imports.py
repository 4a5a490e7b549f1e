"""Importing with all checks: items per second, memory as the file grows, and pages at 10,000 items.

Run as `python -m benchmarks.imports [ITEMS]`; each figure is one JSON line. The reference is a
plain bulk insert of the same rows into the same tables, without reading, comparing or checking.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ITEMS = 10_000
ROUNDS = 15
BATCH = 500


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        measure(int(sys.argv[2]))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    small = in_new_process(count)
    large = in_new_process(4 * count)
    for name, unit in UNITS.items():
        say(name, small[name], unit, count)
    say("import_peak_memory_growth", large["import_peak_memory"] - small["import_peak_memory"],
        "MB", 4 * count)  # fmt: skip
    say("import_rate_at_four_times", large["import_rate"], "items/s of CPU", 4 * count)
    for name in PAGES:
        say(f"page_{name}", small[f"page_{name}"], "ms", count)
        say(f"page_{name}_at_four_times", large[f"page_{name}"], "ms", 4 * count)


UNITS = {
    "import_rate": "items/s of CPU",
    "import_rate_wall": "items/s",
    "import_to_plain_insert": "times the CPU of a plain insert",
    "import_again_rate": "items/s of CPU",
    "import_peak_memory": "MB",
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


def in_new_process(count: int) -> dict[str, float]:
    """The figures of one size, measured in a process of its own so that memory starts anew."""
    command = [sys.executable, "-m", "benchmarks.imports", "--child", str(count)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def say(name: str, value: float, unit: str, n: int) -> None:
    print(json.dumps({"name": name, "value": round(value, 2), "unit": unit, "n": n}), flush=True)


def measure(count: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        os.environ["LOTSAWA_VAR"] = folder
        os.environ["LOTSAWA_LOG_LEVEL"] = "ERROR"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.base"
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        path = write_file(Path(folder) / "items.jsonl", count)
        figures = import_figures(path, count)
        print(json.dumps(figures | page_figures()))


def write_file(path: Path, count: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            file.write(json.dumps(row(n), ensure_ascii=False) + "\n")
    return path


def row(n: int) -> dict[str, Any]:
    """An item of ordinary length; one in ten translations loses a number."""
    degrees = n % 37 if n % 10 else "—"
    return {
        "uid": f"subject_{n % 40}/{n}",
        "subject": f"subject_{n % 40}",
        "question": f"第 {n} 题：下列关于细胞的说法中，哪一项不正确？温度为 {n % 37}°C 时，NADH 的浓度是（ ）",
        "options": [f"选项{letter} {n}" for letter in "甲乙丙丁"],
        "key": "ABCD"[n % 4],
        "system": "mt",
        "translation_question": f"དྲི་བ་ {n} པ། འོག་གི་ཕྲ་ཕུང་སྐོར་གྱི་བཤད་པ་ལས་གང་ཞིག་ཡང་དག་མིན་ནམ། "
        f"དྲོད་ཚད་ {degrees}°C ཡིན་པའི་སྐབས། NADH གྱི་གར་ཚད་ནི་（ ）ཡིན།",
        "translation_options": [f"འདེམས་ཁ་{letter} {n}" for letter in "ཀཁགང"],
    }


def import_figures(path: Path, count: int) -> dict[str, float]:
    from django.utils import timezone

    from annotation.actions.imports import ImportOptions, import_path
    from annotation.models import Project

    def project(slug: str) -> Any:
        return Project.objects.create(
            slug=slug, name=slug, source_language="zh", target_language="bo",
            created_at=timezone.now(),
        )  # fmt: skip

    def bring(into: Any) -> Callable[[], Any]:
        return lambda: import_path(
            project=into, path=path, options=ImportOptions(), actor=None, now=timezone.now()
        )

    bench = project("bench")
    cpu, wall = timed(bring(bench))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    again, _wall = timed(bring(bench))
    plain, _wall = timed(lambda: plain_insert(project("plain"), path))
    return {
        "import_rate": count / cpu,
        "import_rate_wall": count / wall,
        "import_to_plain_insert": cpu / plain,
        "import_again_rate": count / again,
        "import_peak_memory": peak,
    }


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """CPU and wall seconds of `work`."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def plain_insert(project: Any, path: Path) -> None:
    """The reference: the same items, translations and revisions, inserted as they are."""
    from django.db import transaction
    from django.utils import timezone

    from annotation.models import Item, Revision, Source, Subject, Translation

    now = timezone.now()
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
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
                    translation=translation, number=1, question=r["translation_question"],
                    options=r["translation_options"], origin="imported",
                    content_hash="0" * 64, created_at=now,
                )
                for translation, r in zip(translations, rows, strict=True)
            ],
            batch_size=BATCH,
        )  # fmt: skip


def page_figures() -> dict[str, float]:
    """Median milliseconds of CPU of the server for each page."""
    from django.conf import settings
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Item, Membership, Project

    settings.ALLOWED_HOSTS = ["*"]
    user = User.objects.create(email="bench@example.org", date_joined=timezone.now())
    project = Project.objects.get(slug="bench")
    Membership.objects.create(project=project, user=user, role="manager", created_at=timezone.now())
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    item = Item.objects.filter(project=project).order_by("pk")[10].pk
    return {
        f"page_{name}": median_ms(client, address.format(item=item))
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
