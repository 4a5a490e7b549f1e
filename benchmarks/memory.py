"""CPU time of the translation memory, the concordance and the glossary, with 10,000 and 100,000 items.

Prints for each question and size the median and the 95th percentile in milliseconds of a whole
request, and the ratio between the largest and the smallest size; then the milliseconds to find the
terms of one item in a glossary of 10,000. Set LOTSAWA_DATABASE_URL to an empty PostgreSQL database to
measure there; the time is then that of the web process alone.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fresh_site import client_of, report, set_up

REPEATS, SEED, AT_ONCE = 25, 20261122, 2000
FRAMES = (
    "下列关于{}的说法中，正确的是哪一项？",
    "{}是由哪一位学者提出的？",
    "在我国，{}一般不包括下列哪一项内容？",
    "某医院发现{}的病例后应当怎样处理？",
    "关于{}，以下哪个选项的叙述与课文的意思不符？",
)
SYLLABLES = "ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚ"
CHARACTERS = [chr(0x4E00 + number) for number in range(2500)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--terms", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        set_up(folder, os.environ.get("LOTSAWA_DATABASE_URL", ""))
        times = {size: _times_of(size) for size in chosen.items}
        for name in next(iter(times.values())):
            for size, by_name in times.items():
                report(f"{name}_median", statistics.median(by_name[name]), "ms", size)
                report(
                    f"{name}_p95", sorted(by_name[name])[len(by_name[name]) * 95 // 100], "ms", size
                )
            least, most = (statistics.median(times[n][name]) for n in (min(times), max(times)))
            report(f"{name}_ratio", most / least, "ratio", len(times))
        _print_glossary(chosen.terms)


def _times_of(size: int) -> dict[str, list[float]]:
    drawn = random.Random(SEED)
    project, questions = _make(size, drawn)
    client = client_of(project)
    asked = drawn.sample(questions, REPEATS)
    base = f"/projects/{project.slug}"
    return {
        "memory_of_text": [_time(client, f"{base}/memory/", text=text) for text in asked],
        "memory_of_item": [
            _time(client, f"{base}/memory/", item=f"s/{n}")
            for n in drawn.sample(range(size), REPEATS)
        ],
        "memory_of_boilerplate": [
            _time(client, f"{base}/memory/", text=FRAMES[n % 5]) for n in range(REPEATS)
        ],
        "concordance_rare": [
            _time(client, f"{base}/concordance/", q=text[6:10], side="source") for text in asked
        ],
        "concordance_of_translations": [
            _time(client, f"{base}/concordance/", q="་".join(drawn.choices(SYLLABLES, k=3)))
            for _ in asked
        ],
        "concordance_common": [
            _time(client, f"{base}/concordance/", q="哪一") for _ in range(REPEATS)
        ],
        "concordance_nothing": [
            _time(client, f"{base}/concordance/", q="zqxj") for _ in range(REPEATS)
        ],
    }


def _make(size: int, drawn: random.Random) -> tuple[Any, list[str]]:
    """Make questions of a few shapes about different things, half of them approved."""
    from django.utils import timezone

    from projects.models import Project, Source, Subject

    now = timezone.now()
    project = Project.objects.create(
        slug=f"bench-{size}",
        name="Bench",
        source_language="zh",
        target_language="bo",
        created_at=now,
    )
    source = Source.objects.create(project=project, name="s", checksum="0" * 64, created_at=now)
    subject = Subject.objects.create(project=project, slug="s", name="S")
    questions = [_question(drawn) for _ in range(size)]
    for start in range(0, size, AT_ONCE):
        batch = questions[start : start + AT_ONCE]
        _make_batch(source, subject, start, batch, drawn)
    return project, questions


def _make_batch(
    source: Any, subject: Any, start: int, batch: list[str], drawn: random.Random
) -> None:
    from annotation.index import refresh_search_texts
    from annotation.models import Item, Translation

    items = _make_items(source, subject, start, batch, drawn)
    revisions = _make_texts(items, drawn)
    for item, revision in zip(items, revisions, strict=True):
        revision.translation.current_revision = revision
        item.working_translation = revision.translation
    Translation.objects.bulk_update([each.translation for each in revisions], ["current_revision"])
    Item.objects.bulk_update(items, ["working_translation"])
    refresh_search_texts([item.pk for item in items])


def _make_items(
    source: Any, subject: Any, start: int, batch: list[str], drawn: random.Random
) -> list[Any]:
    from django.utils import timezone

    from annotation.models import Item
    from annotation.natural_order import natural_order

    items: list[Any] = Item.objects.bulk_create(
        Item(
            project=source.project,
            source=source,
            subject=subject,
            uid=f"s/{start + n}",
            uid_order=natural_order(f"s/{start + n}"),
            question=text,
            options=[_thing(drawn) for _ in range(4)],
            explanation=_question(drawn),
            key="A",
            content_hash=f"{start + n:064}",
            created_at=timezone.now(),
        )
        for n, text in enumerate(batch)
    )
    return items


def _make_texts(items: list[Any], drawn: random.Random) -> list[Any]:
    """Make one translation of each item with one text, half of them approved."""
    from django.utils import timezone

    from annotation.models import Revision, Translation

    now = timezone.now()
    translations = Translation.objects.bulk_create(
        Translation(
            item=item,
            system="mt",
            state="approved" if drawn.random() < 0.5 else "pending",
            created_at=now,
        )
        for item in items
    )
    revisions: list[Any] = Revision.objects.bulk_create(
        Revision(
            translation=translation,
            number=1,
            question="་".join(drawn.choices(SYLLABLES, k=30)),
            options=["་".join(drawn.choices(SYLLABLES, k=5)) for _ in range(4)],
            explanation="་".join(drawn.choices(SYLLABLES, k=30)),
            origin="mt",
            content_hash=f"{translation.pk:064}",
            created_at=now,
        )
        for translation in translations
    )
    return revisions


def _question(drawn: random.Random) -> str:
    return drawn.choice(FRAMES).format(_thing(drawn))


def _thing(drawn: random.Random) -> str:
    return "".join(drawn.choices(CHARACTERS, k=drawn.randint(4, 14)))


def _print_glossary(count: int) -> None:
    from annotation.glossary.matching import Glossary, TermText

    drawn = random.Random(SEED)
    sources = ["".join(drawn.choices(CHARACTERS, k=drawn.randint(2, 5))) for _ in range(count)]
    start = time.perf_counter()
    glossary = Glossary((TermText(text, ("མི་རིགས",)) for text in sources), "zh", "bo")
    report("glossary_compiled", (time.perf_counter() - start) * 1000, "ms", count)
    times = []
    for _ in range(200):
        known = "，".join(drawn.sample(sources, 10))
        question = known + "".join(drawn.choices(CHARACTERS, k=200))
        options = [(f"options.{n}", sources[n] * 3, "མི་རིགས་དང་།" * 5) for n in range(4)]
        start = (
            time.process_time()
        )  # nothing is waited for, so the clock would measure the neighbours
        glossary.hits([("question", question, "མི་རིགས་དང་།" * 40), *options])
        times.append((time.process_time() - start) * 1000)
    report("glossary_of_item_median", statistics.median(times), "CPU ms", count)
    report("glossary_of_item_p95", sorted(times)[189], "CPU ms", count)


def _time(client: Any, path: str, **query: str) -> float:
    start = time.process_time()  # the database of a benchmark is in this process
    answer = client.get(path, query, headers={"Lotsawa-Fragment": "panel"})
    assert answer.status_code == 200, answer.status_code
    return (time.process_time() - start) * 1000


if __name__ == "__main__":
    main()
