"""The fourth demo project: one subject that a stand-in model translates by two strategies, compared by reviewers."""

import json
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.management import call_command

from accounts.models import User
from annotation.translating.actions import TranslationSettings, start_translation
from annotation.translating.execution import perform_translation
from config.demo.pretending import work_off
from endpoints.models import ModelSpec
from projects.actions import create_project
from projects.models import Project
from review.enums import RoundKind, Selection
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings

ITEMS = Path(__file__).parent / "items.jsonl"
SLUG = "demo-translated"
SUBJECT = "health"
MODEL = "stand-in-strong"
STRATEGIES = ("single", "rank")
SAMPLES = 3
REVIEWERS = 3
SEED = 5
FAULTY = ("single=0.5", "rank=0.2")
"""The shares of faulty texts that the simulated reviewers are told of: the texts say nothing anyway."""


def create(now: datetime) -> Project:
    return create_project(
        slug=SLUG,
        name="Demo: translated by a machine",
        description="A pretend model translated one subject by two strategies. Reviewers compared "
        "the texts without knowing which is which.",
        source_language="en",
        target_language="bo",
        manager=None,
        actor=None,
        now=now,
    )


def import_subject(bring_in: Callable[[Path], None]) -> None:
    """Call `bring_in` with a file of the items of one subject, without translations."""
    lines = ITEMS.read_text(encoding="utf-8").splitlines(keepends=True)
    with TemporaryDirectory() as folder:
        part = Path(folder) / ITEMS.name
        wanted = (line for line in lines if json.loads(line)["subject"] == SUBJECT)
        part.write_text("".join(wanted), encoding="utf-8")
        bring_in(part)


def translate_and_compare(project: Project, *, manager: User, now: datetime) -> None:
    """Translate the items once by each strategy; run and close a comparison of the systems."""
    model = ModelSpec.objects.get(project=project, name=MODEL)
    for strategy in STRATEGIES:
        wanted = TranslationSettings(
            system=strategy, strategy=strategy, model=model, samples=SAMPLES
        )
        started = start_translation(project=project, settings=wanted, actor=manager, now=now)
        work_off(started.job, perform_translation)
    settings = RoundSettings(kind=RoundKind.COMPARISON, selection=Selection.ALL, panel_size=2)
    round_ = open_round(project=project, settings=settings, actor=manager, now=now)
    call_command(
        "simulate_reviewers",
        SLUG,
        reviewers=REVIEWERS,
        seed=SEED,
        faulty=FAULTY,
        stdout=StringIO(),
    )
    close_round(round_=round_, actor=manager, now=now)
