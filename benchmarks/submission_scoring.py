"""CPU time of submissions to a hidden part, as more and more have been scored there, on SQLite.

    python -m benchmarks.submission_scoring [--submissions 60] [--items 10000] [--seconds 100]

Teams of strangers each send an answer to every item, as often as their quota of a day allows, by
the API. Each submission is scored by its job as a worker does it, and then the public leaderboard
is looked at. Nobody's answers are nearly those of somebody else, so each is compared with all
before it. `growth` is the median of the last tenth by that of the first one. The first of all,
which loads what a process loads once, is not counted. After `--seconds` nothing more is sent: `n`
says how many were. Then fifty keys are corrected and all are scored again; `per_scoring` is what
that took of what scoring them took.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from benchmarks.fresh_site import report, set_up
from benchmarks.reference import report_by_reference
from benchmarks.review import make_items, make_project
from benchmarks.strangers import VERSION, Stranger, make_hidden_part
from common.processes import quick_collections

STEPS = ("sending", "scoring", "leaderboard")
EACH = 2
"""So many a team sends, which is the quota of a day."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=60)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=100.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lotsawa-bench-") as folder:
        set_up(folder)
        slug = _project(options.items)
        first, *others = _strangers(slug, options.submissions + 1)
        _costs(slug, first)
        deadline = time.monotonic() + options.seconds
        in_time = takewhile(lambda _each: time.monotonic() < deadline, others)
        with quick_collections():  # as in a web server and in a worker
            costs = [_costs(slug, stranger) for stranger in in_time]
            again = _scoring_again(slug)
    _report(costs, options.items)
    scoring = sum(cost[STEPS.index("scoring")] for cost in costs)
    report(f"submission_rescoring_{options.items}", again / len(costs), "ms", len(costs))
    report(f"submission_rescoring_{options.items}_per_scoring", again / scoring, "x", len(costs))


def _project(items: int) -> str:
    project, _people = make_project("scored")
    make_items(project, items)
    return str(project.slug)


def _strangers(slug: str, submissions: int) -> Iterator[Stranger]:
    """Yield who sends, one after the other; a team sends again after all others."""
    from submissions.models import SubmissionPolicy

    tokens, ids = make_hidden_part(slug, -(-submissions // EACH))
    SubmissionPolicy.objects.update(is_board_public=True, per_day=EACH)
    for number in range(submissions):
        yield Stranger(0, slug, tokens[number % len(tokens)], ids, sending=number // len(tokens))


def _costs(slug: str, stranger: Stranger) -> list[float]:
    """Send and score a submission and look at the leaderboard; return the CPU of each in ms."""
    from django.core.cache import cache
    from django.test import Client

    from jobs.worker import run_now
    from submissions.models import Submission

    client = Client()
    sent, sending = _timed(
        lambda: client.post(
            stranger.path,
            stranger.body,
            content_type="application/json",
            headers={"Authorization": stranger.headers["Authorization"]},
        )
    )
    assert sent.status_code == 202, sent.content[:200]
    submission: Any = Submission.objects.get(pk=json.loads(sent.content)["submission"])
    job, scoring = _timed(lambda: run_now(submission.job))
    assert job.state == "done", job.error
    cache.clear()
    board, leaderboard = _timed(lambda: client.get(f"/boards/{slug}/{VERSION}/"))
    assert board.status_code == 200
    return [sending, scoring, leaderboard]


def _scoring_again(slug: str) -> float:
    """Correct the keys of fifty items and score everything again; return its CPU in ms."""
    from django.utils import timezone

    from accounts.models import User
    from annotation.items.keys import correct_key
    from jobs.worker import run_now
    from releases.models import Release
    from submissions.actions.rescoring import start_rescoring

    release = Release.objects.get(project__slug=slug, version=VERSION)
    manager, now = User.objects.get(email=f"manager@{slug}.example.org"), timezone.now()
    for placed in release.items.select_related("item__project").order_by("position")[:50]:
        key = "B" if placed.item.key == "A" else "A"
        correct_key(item=placed.item, key=key, reason="Wrong.", actor=manager, now=now)
    rescoring: Any = start_rescoring(release=release, actor=manager, now=now)
    job, spent = _timed(lambda: run_now(rescoring.job))
    assert job.state == "done", job.error
    return spent


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `work` returns, and its CPU in ms."""
    before = time.process_time()
    done = work()
    return done, 1000 * (time.process_time() - before)


def _report(costs: Sequence[Sequence[float]], items: int) -> None:
    n = len(costs)
    for step, spent in zip(STEPS, zip(*costs, strict=True), strict=True):
        _report_step(f"submission_{step}_{items}", spent)
    whole = [sum(each) for each in costs]
    _report_step(f"submission_{items}", whole)
    report_by_reference(f"submission_{items}_median", statistics.median(whole), n)


def _report_step(name: str, spent: Sequence[float]) -> None:
    n, tenth = len(spent), -(-len(spent) // 10)
    report(f"{name}_max", max(spent), "ms", n)
    report(f"{name}_median", statistics.median(spent), "ms", n)
    growth = statistics.median(spent[-tenth:]) / statistics.median(spent[:tenth])
    report(f"{name}_growth", growth, "x", n)


if __name__ == "__main__":
    main()
