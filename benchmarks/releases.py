"""Building a release and exporting judgements at two sizes: rates, growth and peak memory.

python -m benchmarks.releases [--items 10000 100000] [--databases sqlite,postgresql]

Each figure is one JSON line; the exit code is 1 when a target is missed. Every item has a Tibetan
text of about 400 characters and a panel of two judgements with comments, every fifth with a
correction, and 10 % of the tests are hidden. A build freezes the items, writes two formats, the
descriptions and the archive, and puts all on disk; a second build writes all formats, and its
folder is checked. Each size is measured in a process of its own.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.review import ROOT, database

SIZES = (10_000, 100_000)
WARM_UP = 200
SUBJECTS, REVIEWERS = 50, 4
SYLLABLES = "བོད་ ཡིག་ གི་ དྲི་ བ་ འདི་ ལ་ ལན་ འདེབས་ རོགས། ལས་ གང་ ཞིག་ ཡང་ དག་ མིན་ ནམ། "

UNITS = {
    "judgements_jsonl_rate": "rows/s",
    "judgements_csv_rate": "rows/s",
    "judgements_peak_memory": "MB",
    "release_rate": "items/s",
    "release_rate_cpu": "items/s of CPU",
    "release_freeze_seconds": "s",
    "release_seconds": "s",
    "release_bytes": "MB",
    "release_peak_memory": "MB",
    "release_all_formats_rate": "items/s",
    "release_all_formats_seconds": "s",
    "release_all_formats_bytes": "MB",
    "release_all_formats_peak_memory": "MB",
    "verify_seconds": "s",
}
EXPORTS = {"judgements_jsonl_rate": 20_000, "judgements_csv_rate": 20_000}
LEAST = {
    "sqlite": {"release_rate": 10_000, **EXPORTS},
    # It checks the four foreign keys of each new row one by one at the end.
    "postgresql": {"release_rate": 8_000, **EXPORTS},
}
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
        set_up()
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
    missed = []
    for size, figures in found.items():
        for figure, unit in UNITS.items():
            say(f"{figure}_{name}", figures[figure], unit, size)
            least = LEAST[name].get(figure, 0)
            if figures[figure] < least:
                missed.append(f"{figure} on {name} at {size} items is below {least}")
            if figures[figure] > MOST.get(figure, float("inf")):
                missed.append(f"{figure} on {name} at {size} items is above {MOST[figure]}")
    return missed + say_growth(name, found)


def say_growth(name: str, found: Mapping[int, Mapping[str, float]]) -> list[str]:
    """Print how the largest size compares with the smallest; return what grew too much."""
    small, large = found[min(found)], found[max(found)]
    missed = []
    for figure in (*LEAST[name], "release_all_formats_rate"):
        say(f"{figure}_{name}_growth", large[figure] / small[figure], "times", max(found))
    for figure, most in MOST_MORE_MEMORY.items():
        more = large[figure] - small[figure]
        say(f"{figure}_{name}_growth", more, "MB more", max(found))
        if more > most:
            missed.append(f"{figure} on {name} grows by more than {most} MB")
    return missed


def in_new_process(environment: dict[str, str], *arguments: str) -> Any:
    """What a child prints last; memory starts anew in it."""
    command = [sys.executable, "-m", "benchmarks.releases", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def say(name: str, value: float, unit: str, n: int) -> None:
    print(json.dumps({"name": name, "value": round(value, 2), "unit": unit, "n": n}), flush=True)


def set_up() -> None:
    import django

    django.setup()


def measure(slug: str) -> dict[str, float]:
    """The exports first: a process never forgets its peak, and the build's is higher."""
    from projects.models import Project

    project = Project.objects.get(slug=slug)
    warm_up = Project.objects.order_by("pk").first()
    export_figures(warm_up)
    figures = export_figures(project)
    build_figures(warm_up, f"0.0.{project.pk}")  # a worker has imported everything long ago
    figures |= build_figures(project, "1.0.0")
    return figures | all_formats_figures(project, "1.1.0")


def export_figures(project: Any) -> dict[str, float]:
    from review.judgement_rows import FORMATS, round_numbers
    from review.queries import told_judgements

    figures = {}
    for name, (write, _media_type) in FORMATS.items():
        rows, started = 0, time.perf_counter()
        for piece in write(told_judgements(project), round_numbers(project.rounds.all())):
            rows += piece.count("\n")
        figures[f"judgements_{name}_rate"] = rows / (time.perf_counter() - started)
    return figures | {"judgements_peak_memory": peak_megabytes()}


def build_figures(project: Any, version: str) -> dict[str, float]:
    from django.utils import timezone

    from jobs.progress import Progress
    from releases.actions import BuildRequest, build_release, start_build
    from releases.actions.freezing import freeze_items

    request = BuildRequest(version=version, black_box_share=0.1, seed=7, formats=("csv", "jsonl"))
    release = start_build(project=project, request=request, actor=None, now=timezone.now())
    assert release.job_id is not None
    cpu, wall = time.process_time(), time.perf_counter()
    freeze_items(release=release, now=timezone.now())
    frozen = time.perf_counter() - wall
    release.refresh_from_db()
    release = build_release(release=release, progress=Progress(release.job_id), now=timezone.now())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    count = project.items.count()
    return {
        "release_rate": count / wall,
        "release_rate_cpu": count / cpu,
        "release_freeze_seconds": frozen,
        "release_seconds": wall,
        "release_bytes": sum(release.artifacts.values_list("size", flat=True)) / 1e6,
        "release_peak_memory": peak_megabytes(),
    }


def all_formats_figures(project: Any, version: str) -> dict[str, float]:
    """A build of all formats, and what it takes to check its folder."""
    from django.conf import settings
    from django.utils import timezone

    from jobs.progress import Progress
    from releases.actions import BuildRequest, build_release, start_build
    from releases.storage import release_folder
    from releases.verification import verify

    request = BuildRequest(version=version, black_box_share=0.1, seed=7)
    release = start_build(project=project, request=request, actor=None, now=timezone.now())
    assert release.job_id is not None
    started = time.perf_counter()
    release = build_release(release=release, progress=Progress(release.job_id), now=timezone.now())
    wall, peak = time.perf_counter() - started, peak_megabytes()
    started = time.perf_counter()
    found = verify(release_folder(project.slug, version), version=settings.VERSION)
    assert not found.problems, found.problems[:3]
    return {
        "release_all_formats_rate": project.items.count() / wall,
        "release_all_formats_seconds": wall,
        "release_all_formats_bytes": sum(release.artifacts.values_list("size", flat=True)) / 1e6,
        "release_all_formats_peak_memory": peak,
        "verify_seconds": time.perf_counter() - started,
    }


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Rows(NamedTuple):
    """The ids of the rows of a subject, by table."""

    items: Sequence[int]
    translations: Sequence[int]
    revisions: Sequence[int]
    panels: Sequence[int]
    assignments: Sequence[int]
    judgements: Sequence[int]


def fill(sizes: Sequence[int]) -> list[str]:
    """Projects with judged and approved items, one small one first; the slugs of the others."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    slugs = [make_project(size) for size in (WARM_UP, *sizes)]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as autovacuum does in time
    return slugs[1:]


def make_project(count: int) -> str:
    """The first subject is made row by row, the others are copies of it inside the database.

    So the items lie subject by subject, as files of subjects are imported.
    """
    from django.db import transaction
    from django.utils import timezone

    from accounts.models import User
    from projects.models import Project, Source, Subject

    now, mark = timezone.now(), uuid.uuid4().hex[:8]
    project = Project.objects.create(
        slug=f"bench-{mark}", name="Bench", source_language="zh", target_language="bo",
        created_at=now,
    )  # fmt: skip
    source = Source.objects.create(
        project=project, name="CMMLU", licence="CC-BY-NC-4.0", checksum="0", created_at=now
    )
    subjects = Subject.objects.bulk_create(
        Subject(project=project, slug=f"subject_{n:02}", name=f"Subject {n}")
        for n in range(SUBJECTS)
    )
    reviewers = User.objects.bulk_create(
        User(email=f"{mark}-{n}@example.org", name=f"Reviewer {n}", date_joined=now)
        for n in range(REVIEWERS)
    )
    constants = {"project": project.pk, "source": source.pk, "created_at": now}
    with transaction.atomic():
        texts = insert_texts(subjects[0].pk, count // SUBJECTS, constants)
        round_ = make_round(project, count, now)
        panels = insert_panels(round_, texts, now)
        people = [user.pk for user in reviewers]
        rows = Rows(*texts, panels, *insert_judgements(round_, people, panels, texts[2], now))
        for number, subject in enumerate(subjects[1:], start=1):
            copy_subject(rows, number, subject.pk)
        set_sequences()
    return project.slug


def make_round(project: Any, count: int, now: Any) -> int:
    from review.models import Guideline, Round

    guideline = Guideline.objects.create(
        project=project, version=1, text="", rubric={}, created_at=now
    )
    round_ = Round.objects.create(
        project=project, number=1, state="closed", selection="all", guideline=guideline,
        opened_at=now, closed_at=now, panel_count=count, judged_count=2 * count,
    )  # fmt: skip
    return int(round_.pk)


def insert_texts(
    subject: int, count: int, constants: dict[str, Any]
) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Insert items with translations and revisions; return the ids of each."""
    from annotation.models import Item, Revision, Translation
    from common.bulk_insert import draw_ids, insert_rows

    items, translations, revisions = (
        draw_ids(model, count) for model in (Item, Translation, Revision)
    )
    made = {"created_at": constants["created_at"]}
    insert_rows(
        Item,
        ("id", "working_translation", "uid", "uid_order", "split", "question", "options", "key"),
        [
            (*ids, *item_texts(n))
            for n, ids in enumerate(zip(items, translations, strict=True))
        ],
        constants | {
            "subject": subject, "explanation": "", "level": "", "year": "", "metadata": {},
            "state": "active", "state_reason": "", "content_hash": "0" * 64,
        },
    )  # fmt: skip
    insert_rows(
        Translation,
        ("id", "item", "current_revision"),
        list(zip(translations, items, revisions, strict=True)),
        made | {"system": "mt", "state": "approved"},
    )
    insert_rows(
        Revision,
        ("id", "translation", "question", "options", "content_hash"),
        [
            (*ids, *revision_texts(n))
            for n, ids in enumerate(zip(revisions, translations, strict=True))
        ],
        made | {"number": 1, "key": "", "raw": "", "origin": "mt"},
    )
    return items, translations, revisions


def item_texts(n: int) -> tuple[Any, ...]:
    from annotation.items.natural_order import natural_order

    question = f"第 {n} 题：下列关于细胞的说法中，哪一项不正确？"
    options = [f"选项{x} {n}" for x in "甲乙丙丁"]
    uid = f"s00/{n}"
    return (
        uid,
        natural_order(uid),
        "dev" if n % 20 == 0 else "test",
        question,
        options,
        "ABCD"[n % 4],
    )


def revision_texts(n: int) -> tuple[str, list[str], str]:
    from annotation.items.revisions import text_hash

    question, options = f"{SYLLABLES * 3}{n}", [f"{SYLLABLES}{n} {x}" for x in "ཀཁགང"]
    return question, options, text_hash(question, options)


def insert_panels(round_: int, texts: Sequence[Sequence[int]], now: Any) -> Sequence[int]:
    """Give every item a settled panel, with 36 different tallies."""
    from common.bulk_insert import insert_new_rows
    from review.models import Panel

    items, _translations, revisions = texts
    return insert_new_rows(
        Panel,
        ("item", "revision", "position", "tally"),
        [
            (item, revision, n, f"A{n % 6}{n // 6 % 6} A55")
            for n, (item, revision) in enumerate(zip(items, revisions, strict=True))
        ],
        {
            "round": round_, "state": "settled", "outcome": "approved", "reasons": [],
            "severity": 0, "decided_at": now, "settled_at": now,
        },
    )  # fmt: skip


def insert_judgements(
    round_: int, reviewers: list[int], panels: Sequence[int], revisions: Sequence[int], now: Any
) -> tuple[Sequence[int], Sequence[int]]:
    """Fill both seats of each panel; return the ids of assignments and judgements."""
    from common.bulk_insert import insert_new_rows
    from review.criteria import NAMES
    from review.models import Assignment, Judgement

    seats = [
        (panel, seat, reviewers[(panel + seat) % REVIEWERS]) for panel in panels for seat in (0, 1)
    ]
    constants = {"round": round_, "position": 0, "state": "judged"}
    assignments = insert_new_rows(Assignment, ("panel", "seat", "reviewer"), seats, constants)
    judgements = insert_new_rows(
        Judgement,
        ("assignment", "panel", "revision", "reviewer", "idempotency_key", "receipt"),
        [
            (assignment, panel, revisions[n // 2], reviewer, str(assignment), uuid.uuid4().hex)
            for n, (assignment, (panel, _seat, reviewer)) in enumerate(
                zip(assignments, seats, strict=True)
            )
        ],
        {
            "verdict": "approve", "ratings": dict.fromkeys(NAMES, 5), "tags": ["terminology"],
            "comment": SYLLABLES, "active_seconds": 60, "submitted_at": now,
        },
    )  # fmt: skip
    Judgement.objects.filter(pk__in=judgements[::5]).update(
        verdict="revise", correction={"question": SYLLABLES * 3, "options": [SYLLABLES] * 4}
    )
    return assignments, judgements


def copy_subject(rows: Rows, number: int, subject: int) -> None:
    """Copy the rows of the first subject for the one with the id `subject`, `number` after it."""
    from django.db import connection

    from annotation.items.natural_order import natural_order
    from annotation.models import Item, Revision, Translation
    from review.models import Assignment, Judgement, Panel

    one = number * len(rows.items)
    two = 2 * one
    is_server = connection.vendor == "postgresql"
    receipt = "gen_random_uuid()" if is_server else "lower(hex(randomblob(16)))"
    item_shifts = {"id": one, "working_translation_id": one}
    translation_shifts = {"id": one, "item_id": one, "current_revision_id": one}
    uid = f"replace(uid, 's00/', 's{number:02}/')"
    first, here = natural_order("s00/"), natural_order(f"s{number:02}/")
    order = f"replace(uid_order, '{first}', '{here}')"
    changes = {"uid": uid, "uid_order": order, "subject_id": str(subject)}
    copy(Item, rows.items, item_shifts, changes)
    copy(Translation, rows.translations, translation_shifts, {})
    copy(Revision, rows.revisions, {"id": one, "translation_id": one}, {})
    copy(Panel, rows.panels, {"id": one, "item_id": one, "revision_id": one}, {})
    copy(Assignment, rows.assignments, {"id": two, "panel_id": one}, {})
    copy(
        Judgement,
        rows.judgements,
        {"id": two, "assignment_id": two, "panel_id": one, "revision_id": one},
        {"idempotency_key": f"idempotency_key || '-{number}'", "receipt": receipt},
    )


def copy(
    model: Any, ids: Sequence[int], shifts: Mapping[str, int], changes: Mapping[str, str]
) -> None:
    """Insert rows like those with `ids`; `shifts` are added to numbers, `changes` are SQL."""
    from django.db import connection

    quote = connection.ops.quote_name
    columns = [field.column for field in model._meta.concrete_fields]
    shifted = {name: f"{quote(name)} + {shift}" for name, shift in shifts.items()}
    values = [{**shifted, **changes}.get(name, quote(name)) for name in columns]
    table = quote(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(map(quote, columns))}) "
            f"SELECT {', '.join(values)} FROM {table} WHERE id BETWEEN %s AND %s ORDER BY id",
            [ids[0], ids[-1]],
        )


def set_sequences() -> None:
    """Let PostgreSQL go on after the ids that copies were given; SQLite follows by itself."""
    from django.core.management.color import no_style
    from django.db import connection

    from annotation.models import Item, Revision, Translation
    from review.models import Assignment, Judgement, Panel

    models = [Item, Translation, Revision, Panel, Assignment, Judgement]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


if __name__ == "__main__":
    sys.exit(main())
