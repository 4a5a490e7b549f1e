"""The fifth demo project: pretend models answer open-ended items, and models and simulated people judge their answers.

Nobody solves items there, which would close the arena to reviewers, and its release hides nothing: which
items an installation hides depends on its secret, and the ranks would differ with them.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from arena.actions.arenas import ArenaSettings, create_arena, start_judging
from arena.actions.people import claim_battle, judge_battle
from arena.actions.recounting import start_counting
from arena.execution import perform_judging
from arena.models import Arena, ArenaCall, Judge, Seat
from arena.verdicts import score_for_first
from config.demo import submitted, written
from config.demo.pretending import work_off
from endpoints.models import ModelSpec
from endpoints.providers.personas import chance
from evaluation.models import Run
from evaluation.runs.actions import RunSettings, start_run
from evaluation.runs.execution import perform_run
from jobs.worker import run_now
from projects.actions import create_project
from projects.models import Project
from prompts.actions import ensure_default_prompts
from prompts.queries import known_prompts
from releases.enums import ReleaseState
from releases.models import Release
from releases.publishing.audience import show_to_everybody
from review.enums import Selection
from review.management.commands.simulate_reviewers import enrol_simulated
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from submissions.actions.teams import change_policy

SLUG: Final = "demo-answers"
VERSION: Final = "1.0.0"
NAME: Final = "Open answers"
CONTESTANTS: Final = ("stand-in-strong", "stand-in-chatty", "stand-in-weak")
JUDGES: Final = ("stand-in-judge", "stand-in-chatty")
SAMPLE, JUDGED, PEOPLE = 30, 20, 2
"""Simulated people judge JUDGED of the SAMPLE pairs; the rest are for who tries the demo."""
CONTRARY: Final = 0.25
"""A simulated person whose luck with a pair is below it says the opposite of the first judge."""
POLICY: Final = replace(submitted.POLICY, is_open=False)
"""Nobody submits anything; everybody sees the leaderboard, on which the arena stands."""
SEED: Final = 1
"""With it the simulated reviewers agree about every item, so that all of them can be released."""
BUILD: Final[dict[str, Any]] = {
    "dev": 0,
    "black_box": 0,
    "formats": "jsonl",
    "publish": True,
    "waive": ["simulated_judgements"],
    "reason": ["This is a demonstration."],
}


def create(now: datetime) -> Project:
    return create_project(
        slug=SLUG,
        name="Demo: free answers compared",
        description="Open-ended questions, what pretend models answered, and who judged the answers "
        "in pairs: models, and a sample by people.",
        source_language="en",
        target_language="en",
        manager=None,
        actor=None,
        now=now,
    )


def import_open(bring_in: Callable[[Path], None]) -> None:
    """Call `bring_in` with a file of the open-ended items of the second project."""
    lines = written.FILE.read_text(encoding="utf-8").splitlines(keepends=True)
    with TemporaryDirectory() as folder:
        part = Path(folder) / "open.jsonl"
        wanted = (line for line in lines if json.loads(line).get("kind") == "open")
        part.write_text("".join(wanted), encoding="utf-8")
        bring_in(part)


def review_all(project: Project, *, manager: User, now: datetime) -> None:
    """Open a round over all items, let simulated reviewers judge it, and close it."""
    settings = RoundSettings(selection=Selection.ALL, panel_size=PEOPLE)
    round_ = open_round(project=project, settings=settings, actor=manager, now=now)
    call_command(
        "simulate_reviewers", project.slug, reviewers=PEOPLE, seed=SEED, profile="careful",
        truth=written.NO_FAULTS, stdout=StringIO(),
    )  # fmt: skip
    close_round(round_=round_, actor=manager, now=now)


def release_and_hold() -> None:
    """Build a version that everybody may read, and hold an arena on its items; once."""
    project = Project.objects.filter(slug=SLUG).first()
    if project is None or Arena.objects.filter(project=project).exists():
        return
    if not project.releases.filter(state=ReleaseState.PUBLISHED).exists():
        call_command("build_release", SLUG, VERSION, stdout=StringIO(), **BUILD)
    release = project.releases.get(version=VERSION)
    show_to_everybody(release=release, actor=None, now=timezone.now())
    change_policy(project=project, content=POLICY, actor=None, now=timezone.now())
    hold(project, release)


def hold(project: Project, release: Release) -> Arena:
    """Run the models on the items, have every pair of answers judged, and count what models and people said."""
    specs = {spec.name: spec for spec in ModelSpec.objects.filter(project=project)}
    settings = ArenaSettings(
        name=NAME,
        release=release,
        runs=[_answered(release, specs[name]) for name in CONTESTANTS],
        judges=[specs[name] for name in JUDGES],
        sample=SAMPLE,
    )
    arena = create_arena(project=project, settings=settings, actor=None, now=timezone.now())
    work_off(start_judging(arena=arena, actor=None, now=timezone.now()), perform_judging)
    for number, person in enumerate(enrol_simulated(project, PEOPLE)):
        _judge_pairs(arena, person, number)
    run_now(start_counting(arena=arena, actor=None, now=timezone.now()))
    return arena


def _answered(release: Release, spec: ModelSpec) -> Run:
    now = timezone.now()
    ensure_default_prompts(project=release.project, now=now)
    run = start_run(
        release=release,
        model_spec=spec,
        prompt=known_prompts(release.project, now=now)[0],
        settings=RunSettings(methods=()),
        actor=None,
        now=now,
    )
    work_off(run.job, perform_run)
    return run


def _judge_pairs(arena: Arena, person: User, number: int) -> None:
    """Judge JUDGED pairs as the first judge did, but for some, which are the same in every installation."""
    judge = arena.judges.get(name=JUDGES[0])
    for _pair in range(JUDGED):
        now = timezone.now()
        if seat := claim_battle(arena=arena, person=person, now=now):
            judge_battle(seat=seat, verdict=_verdict(seat, judge, number), reason="", now=now)


def _verdict(seat: Seat, judge: Judge, number: int) -> str:
    battle = seat.battle
    calls = ArenaCall.objects.filter(battle=battle, judge=judge).order_by("is_swapped")
    score = sum(score_for_first(call.verdict, is_swapped=call.is_swapped) for call in calls)
    names = (battle.release_item.item.uid, battle.first.name, battle.second.name)
    # Half of the luck is the pair's own, so that people differ from the judge on the same pairs.
    is_turned = (chance(*names) + chance(number, *names)) / 2 < CONTRARY
    score *= -1 if is_turned != seat.is_swapped else 1
    return "A=B" if score == 0 else "A>B" if score > 0 else "B>A"
