"""Measures the jobs that choose texts and undo that, at two sizes, with the memory that they take.

python -m benchmarks.text_choices [--scale 1.0] [--databases sqlite,postgresql]

Each item has the texts of two systems, which two people compared. "system" chooses the texts of
the other system, "best" those that the comparison found best; "undo" and "undo_best" give the
texts of before back, and "preview" only says what would change. Memory is the most that the
process took beyond what it had before. "growth" is a figure of the large size over that of the
small one, for each item; that of memory is over all items.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.review import (
    BATCH,
    OPTIONS,
    TIBETAN,
    analyse,
    make_items,
    make_project,
    report,
)
from benchmarks.sizes import run_at_sizes

SIZES = (10_000, 50_000)
OTHER = "other"
MEMORY = "_memory"


def main() -> None:
    run_at_sizes("benchmarks.text_choices", __doc__, SIZES, measure)


def measure(name: str, sizes: list[int]) -> None:
    found = [measure_size(name, size) for size in sizes]
    for figure in found[0]:
        is_memory = figure.endswith(MEMORY)
        growth = found[-1][figure] / max(found[0][figure], 1.0 if is_memory else 0.001)
        if not is_memory:
            growth *= sizes[0] / sizes[-1]
        report(f"texts_{figure}_{name}_growth", growth, "x", sizes[-1])


def measure_size(name: str, size: int) -> dict[str, float]:
    """Report the seconds and the megabytes of each figure, and return them."""
    round_ = compared_round(size)
    found: dict[str, float] = {}
    measure_choosing(found, round_)
    for figure, value in found.items():
        unit = "MB" if figure.endswith(MEMORY) else "s"
        report(f"texts_{figure}_{name}_{size}_items", value, unit, size)
    return found


def measure_choosing(found: dict[str, float], round_: Any) -> None:
    from django.utils import timezone

    from review.choosing.actions.jobs import (
        WantedTexts,
        choose_or_queue,
        choose_wanted,
        undo_or_queue,
    )
    from review.choosing.text_choices import latest_choices

    how: dict[str, Any] = {"project": round_.project, "actor": None}
    system = WantedTexts(system=OTHER)
    best = WantedTexts(best_of=round_)

    def choose(wanted: WantedTexts) -> None:
        finish(choose_or_queue(wanted=wanted, now=timezone.now(), **how))

    def undo() -> None:
        (choice,) = latest_choices(round_.project)
        finish(undo_or_queue(choice=choice, actor=None, now=timezone.now()))

    measured(
        found,
        "preview",
        lambda: choose_wanted(wanted=system, now=timezone.now(), is_preview=True, **how),
    )
    measured(found, "system", lambda: choose(system))
    measured(found, "undo", undo)
    measured(found, "best", lambda: choose(best))
    measured(found, "undo_best", undo)


def finish(job: Any) -> None:
    """Do the work of a job here, unless it was done at once."""
    from jobs.models import Job
    from jobs.worker import run_now

    if isinstance(job, Job) and run_now(job).state != "done":
        raise RuntimeError(f"the job ended as {job.state}")


def measured(found: dict[str, float], name: str, work: Callable[[], object]) -> None:
    with peak(found, name + MEMORY):
        started, cpu = time.perf_counter(), time.process_time()
        work()
        found[name] = time.perf_counter() - started
        found[f"{name}_cpu"] = time.process_time() - cpu


@contextmanager
def peak(found: dict[str, float], name: str) -> Iterator[None]:
    """Put the peak of this process's memory above its current size into `found`, in megabytes."""
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    yield
    found[name] = (resident("VmHWM") - before) / 1024


def resident(line: str) -> int:
    """Return a line of the process's memory, in kilobytes."""
    text = Path("/proc/self/status").read_text()
    return int(next(row for row in text.splitlines() if row.startswith(line)).split()[1])


def compared_round(size: int) -> Any:
    """Make a closed comparison of the texts of two systems by two people."""
    from django.utils import timezone

    from projects.enums import Role
    from review.enums import RoundKind, Selection
    from review.models import Panel, Round
    from review.rounds.actions.rounds import open_round
    from review.rounds.actions.settings import RoundSettings

    project, people = make_project(f"bench-{uuid.uuid4().hex[:8]}")
    make_items(project, size)
    add_texts(project)
    settings = RoundSettings(selection=Selection.ALL, kind=RoundKind.COMPARISON, panel_size=2)
    round_ = open_round(project=project, settings=settings, actor=None, now=timezone.now())
    for seat, person in enumerate((people[Role.REVIEWER], people[Role.SENIOR]), start=1):
        answer_all(round_, person, seat)
    now = timezone.now()
    Panel.objects.filter(round=round_).update(state="settled", outcome="approved")
    Round.objects.filter(pk=round_.pk).update(state="closed", closed_at=now)
    analyse()
    return Round.objects.select_related("project").get(pk=round_.pk)


def add_texts(project: Any) -> None:
    """Give every item the text of another system."""
    from django.db.models import OuterRef, Subquery
    from django.utils import timezone

    from annotation.models import Item, Revision, Translation

    now = timezone.now()
    pks = Item.objects.filter(project=project).values_list("pk", flat=True)
    Translation.objects.bulk_create(
        (Translation(item_id=pk, system=OTHER, created_at=now) for pk in pks), batch_size=BATCH
    )
    texts = Translation.objects.filter(item__project=project, system=OTHER)
    Revision.objects.bulk_create(
        (
            Revision(
                translation_id=pk,
                number=1,
                question=TIBETAN * 2,
                options=OPTIONS,
                origin="mt",
                content_hash="1" * 64,
                created_at=now,
            )
            for pk in texts.values_list("pk", flat=True)
        ),
        batch_size=BATCH,
    )
    first = Revision.objects.filter(translation=OuterRef("pk")).values("pk")[:1]
    texts.update(current_revision=Subquery(first))


def answer_all(round_: Any, person: Any, seat: int) -> None:
    """Fill one seat of every panel directly in the tables; the best system varies by item."""
    from django.utils import timezone

    from annotation.models import Revision
    from projects.criteria import DEFAULT_NAMES
    from review.models import Answer, Assignment, ComparedText

    seats = Assignment.objects.filter(round=round_, seat=seat)
    seats.update(state="judged", reviewer=person, claimed_at=timezone.now())
    answers = Answer.objects.bulk_create(
        (
            Answer(
                assignment_id=pk,
                panel_id=panel,
                reviewer=person,
                idempotency_key=str(pk),
                receipt=uuid.uuid4(),
                submitted_at=timezone.now(),
            )
            for pk, panel in seats.values_list("pk", "panel")
        ),
        batch_size=BATCH,
    )
    texts = Revision.objects.filter(translation__item__panels__round=round_).order_by("pk")
    by_panel: dict[int, list[int]] = {}
    for panel, pk in texts.values_list("translation__item__panels", "pk"):
        by_panel.setdefault(panel, []).append(pk)
    ComparedText.objects.bulk_create(
        (
            ComparedText(
                answer=answer,
                revision_id=pk,
                is_approved=(answer.panel_id * seat + place) % 3 > 0,
                ratings=dict.fromkeys(DEFAULT_NAMES, (answer.panel_id + seat * place) % 6),
                rank=1 + (answer.panel_id + place) % 2 if answer.panel_id % 4 else None,
                place=place,
            )
            for answer in answers
            for place, pk in enumerate(by_panel[answer.panel_id])
        ),
        batch_size=BATCH,
    )


if __name__ == "__main__":
    main()
