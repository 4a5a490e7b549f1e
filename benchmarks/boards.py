"""CPU time of a public leaderboard with 100 and 1,000 submissions: its first view, and one that is kept.

    python -m benchmarks.boards [--entries 100 1000]

Each submission was told five categories. The first view counts all entries and draws the page;
those after it, for a minute, send what was drawn. Both are the whole request, also as pieces of the
work of `benchmarks.reference`.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fresh_site import set_up
from common.processes import quick_collections

REPEATS, SIZES, ITEMS = 9, [100, 1000], 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", default=SIZES)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        set_up(folder)
        with quick_collections():  # as in a web server
            for size in chosen.entries:
                _measure(size)


def _measure(size: int) -> None:
    from django.core.cache import cache
    from django.test import Client

    from benchmarks.reference import report_by_reference

    url, client = _board(size), Client()
    first: list[float] = []
    later: list[float] = []
    for _time in range(REPEATS):
        cache.clear()
        for times in (first, later):
            before = time.process_time()
            answer = client.get(url)
            times.append(1000 * (time.process_time() - before))
            assert answer.status_code == 200
    report_by_reference(f"board_first_view_{size}", statistics.median(first), size)
    report_by_reference(f"board_kept_view_{size}", statistics.median(later), size)


def _board(size: int) -> str:
    """Store a release with `size` teams, whose submissions were each told a score."""
    from django.utils import timezone

    from accounts.models import User
    from projects.models import Project
    from releases.models import Release
    from submissions.models import SubmissionPolicy

    now, slug = timezone.now(), f"board-{size}"
    project = Project.objects.create(
        slug=slug, name=slug, source_language="en", target_language="bo", created_at=now
    )
    SubmissionPolicy.objects.create(project=project, is_open=True, is_board_public=True)
    user = User.objects.create_user(f"{slug}@example.org", "Bench")
    release = Release.objects.create(
        project=project,
        version="1.0.0",
        state="published",
        hidden_part="withheld",
        seed=1,
        black_box_share=1.0,
        counts={"items": ITEMS, "test": ITEMS, "black_box": ITEMS},
        created_at=now,
        created_by=user,
        published_at=now,
    )
    _store_entries(release, user, size, now)
    return f"/boards/{slug}/1.0.0/"


def _store_entries(release: Any, user: Any, size: int, now: Any) -> None:
    from submissions.models import Submission, SubmissionScore, Team

    names = [f"སློབ་གྲྭ་ {number}" for number in range(size)]
    teams = Team.objects.bulk_create(
        Team(project=release.project, name=name, code=f"{release.pk}-{name}"[:24], created_at=now)
        for name in names
    )
    sent = Submission.objects.bulk_create(
        Submission(
            release=release,
            team=team,
            sent_by=user,
            model=f"model-{number % 300} 7B",
            size="7B",
            prompt="direct",
            cutoff="2026-06",
            has_open_weights=number % 2 == 0,
            digest=f"{number:064}",
            state="scored",
            day="2026-11-28",
            month="2026-11",
            day_slot=1,
            month_slot=1,
            sent_at=now,
            is_told=True,
            told_categories=[f"Category {number}" for number in range(5)],
        )
        for number, team in enumerate(teams)
    )
    SubmissionScore.objects.bulk_create(
        SubmissionScore(
            submission=each,
            correct=right,
            counted=right,
            n=ITEMS,
            categories={f"Category {number}": (right // 5, ITEMS // 5) for number in range(5)},
        )
        for right, each in zip(range(2_500, 10_000, 7_500 // size), sent, strict=False)
    )


if __name__ == "__main__":
    main()
