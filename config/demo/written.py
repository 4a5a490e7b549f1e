"""The second demo project: items of every kind, written in one language, released and solved."""

from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from projects.actions import create_project
from projects.models import Project
from releases.enums import ReleaseState
from releases.publishing.audience import show_to_everybody
from review.enums import RoundKind, Selection
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings

FILE = Path(__file__).parent / "written.jsonl"
NO_FAULTS = Path(__file__).parent / "planted.jsonl"
"""The faults of the other project: none of them is in an item of this one."""
SLUG = "demo-written"
VERSION = "1.0.0"
REVIEWERS, SOLVERS = 3, 2
SEED = 1
"""With it the simulated reviewers agree about every item, so that all of them can be released."""
SOLVED = 6
FORMATS = "jsonl,csv,parquet"


def create(now: datetime) -> Project:
    return create_project(
        slug=SLUG,
        name="Demo: written by experts",
        description="Choices, numbers and free answers that nobody translated. A first version is "
        "public, and experts solve the items without seeing the keys.",
        source_language="en",
        target_language="en",
        manager=None,
        actor=None,
        now=now,
    )


def review_all(project: Project, *, manager: User, now: datetime) -> None:
    """Open a round over all items, let simulated reviewers judge it, and close it."""
    settings = RoundSettings(selection=Selection.ALL, panel_size=2)
    round_ = open_round(project=project, settings=settings, actor=manager, now=now)
    _simulate(REVIEWERS, profile="careful", truth=NO_FAULTS)
    close_round(round_=round_, actor=manager, now=now)


def release_and_solve() -> None:
    """Build a version that everybody may read, and ask experts to solve it; once."""
    project = Project.objects.filter(slug=SLUG).first()
    if project is None or project.rounds.filter(kind=RoundKind.SOLVING).exists():
        return
    if not project.releases.filter(state=ReleaseState.PUBLISHED).exists():
        options = {
            "dev": 1,
            "black_box": 0.2,
            "formats": FORMATS,
            "publish": True,
        }
        options |= {"waive": ["simulated_judgements"], "reason": ["This is a demonstration."]}
        call_command("build_release", SLUG, VERSION, stdout=StringIO(), **options)
    with transaction.atomic():
        now = timezone.now()
        built = project.releases.get(version=VERSION)
        show_to_everybody(release=built, actor=None, now=now)
        settings = RoundSettings(kind=RoundKind.SOLVING, selection=Selection.ALL, panel_size=2)
        open_round(project=project, settings=settings, actor=None, now=now)
        _simulate(REVIEWERS + SOLVERS, limit=SOLVED)


def _simulate(reviewers: int, **options: Any) -> None:
    command = ("simulate_reviewers", SLUG)
    call_command(*command, reviewers=reviewers, seed=SEED, stdout=StringIO(), **options)
