"""The third demo project: a small sample in two translations, compared, the better one reviewed."""

import json
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management import call_command

from accounts.models import User
from projects.actions import create_project
from projects.models import Project
from review.choosing.actions.choosing import choose_best_ranked
from review.enums import RoundKind, Selection
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings

DEMO = Path(__file__).parent
SECOND_SYSTEM = DEMO / "second_system.jsonl"
FILES = (DEMO / "items.jsonl", DEMO / "translations.jsonl", SECOND_SYSTEM)
SLUG = "demo-compared"
OPTIONS = 4
"""Every item has this many options, so guessing is right equally often whichever items are hidden."""
COMPARING, COMPARISON_SEED = 3, 9
REVIEWING, REVIEW_SEED = 2, 1
"""Both reviewers judge every item, so the outcome does not depend on who is asked first.

With this seed they approve exactly the items without a planted fault: three of each subject.
"""
FAULTY = ("demo-mt=0.6", "demo-mt-2=0.3")
"""The shares of faulty texts that the simulated reviewers are told of."""


def create(now: datetime) -> Project:
    return create_project(
        slug=SLUG,
        name="Demo: two translations compared",
        description="The texts of two systems. Reviewers compared them without the systems' names, "
        "then judged the better one of each item.",
        source_language="en",
        target_language="bo",
        manager=None,
        actor=None,
        now=now,
    )


def import_both(bring_in: Callable[[Path], None]) -> None:
    """Call `bring_in` with files that hold only items of OPTIONS that both systems translated."""
    wanted = {row["uid"] for row in _rows(SECOND_SYSTEM) if len(row["options"]) == OPTIONS}
    with TemporaryDirectory() as folder:
        for file in FILES:
            rows = (row for row in _rows(file) if row["uid"] in wanted)
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
            part = Path(folder) / file.name
            part.write_text("".join(lines), encoding="utf-8")
            bring_in(part)


def compare_and_review(project: Project, *, manager: User, now: datetime) -> None:
    """Run and close a comparison, choose the better texts, and run and close a review of them."""
    settings = RoundSettings(kind=RoundKind.COMPARISON, selection=Selection.ALL, panel_size=2)
    comparison = open_round(project=project, settings=settings, actor=manager, now=now)
    _simulate(COMPARING, COMPARISON_SEED, faulty=FAULTY)
    closed = close_round(round_=comparison, actor=manager, now=now)
    choose_best_ranked(round_=closed, is_reviewed_included=False, actor=manager, now=now)
    settings = RoundSettings(selection=Selection.ALL, panel_size=2)
    review = open_round(project=project, settings=settings, actor=manager, now=now)
    truth = {"truth": DEMO / "planted.jsonl", "corrections": DEMO / "corrections.jsonl"}
    _simulate(REVIEWING, REVIEW_SEED, **truth)
    close_round(round_=review, actor=manager, now=now)


def _simulate(reviewers: int, seed: int, **options: Any) -> None:
    command = ("simulate_reviewers", SLUG)
    call_command(*command, reviewers=reviewers, seed=seed, stdout=StringIO(), **options)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
