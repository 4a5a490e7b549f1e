"""Releases of open-ended items, runs with answers, and arenas whose judges answer at will."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from annotation.enums import ItemKind
from arena.actions.arenas import ArenaSettings, create_arena, start_judging
from arena.execution import perform_judging
from arena.models import Arena
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from endpoints.providers.recorded import NullProvider
from evaluation.models import Run
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project
from releases.enums import Subset
from releases.models import Release
from tests.evaluation.builders import QUICK, make_run, work_off
from tests.factories import (
    ModelSpecFactory,
    ReleaseFactory,
    SourceFactory,
    SubjectFactory,
    make_release_items,
    make_translated_items,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
Reply = Callable[[ChatRequest], str]
ANSWER = re.compile(r"<answer [AB]>\n(.*?)\n</answer [AB]>", re.DOTALL)


def make_open_release(project: Project, *, items: int = 3, hidden: int = 0) -> Release:
    """A release of open-ended test items, the last `hidden` of them in the black box."""
    release = ReleaseFactory(project=project)
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)
    made = make_translated_items(
        {
            "project": project, "source": source, "subject": subject, "uid": f"open-{number}",
            "key": "", "kind": ItemKind.OPEN, "question": f"འདྲི་བ་ {number} {{ཀ}} ག་རེ་རེད།",
            "options": [],
        }
        for number in range(items)
    )  # fmt: skip
    rows = [{"kind": ItemKind.OPEN, "position": number} for number in range(items)]
    for number in range(items - hidden, items):
        rows[number] |= {"subset": Subset.BLACK_BOX, "public_id": f"hidden-{number}"}
    make_release_items(release, list(zip(made, rows, strict=True)))
    return release


def answered_run(release: Release, model: str, text: str | None = None) -> Run:
    """A finished run of the model `model`, whose every answer is `text`, or the model's name."""
    spec = ModelSpecFactory(project=release.project, name=model, model=f"org/{model}")
    run = make_run(release.project, release, spec=spec, methods=())
    work_off(run, lambda request: text or model)
    return run


def make_judge(project: Project, name: str = "judge") -> ModelSpec:
    return ModelSpecFactory(project=project, name=name, model=f"org/{name}")


def make_arena(project: Project, **changes: Any) -> Arena:
    """An arena of the runs good and bad against base, judged by one model."""
    release = changes.pop("release", None) or make_open_release(project)
    runs = changes.pop("runs", None) or [
        answered_run(release, name) for name in ("base", "good", "bad")
    ]
    settings: dict[str, Any] = {"name": "First", "release": release, "runs": runs}
    settings |= {"baseline": runs[0], "judges": [], "sample": 2} | changes
    settings["judges"] = settings["judges"] or [make_judge(project)]
    return create_arena(project=project, settings=ArenaSettings(**settings), actor=None, now=NOW)


def seen_answers(request: ChatRequest) -> tuple[str, str]:
    """The answers A and B of a message to a judge."""
    first, second = ANSWER.findall(request.messages[-1].content)
    return first, second


def prefers_good(request: ChatRequest) -> str:
    """A judge for whom good beats base, base beats bad."""
    worth = {"good": 2, "base": 1, "bad": 0}
    a, b = (worth[text] for text in seen_answers(request))
    return "I compared them. [[A>>B]]" if a > b else "I compared them. [[B>A]]"


def judge_all(arena: Arena, reply: Reply = prefers_good) -> Job:
    """Do the arena's job here; the job as it ended."""
    job = start_judging(arena=arena, actor=None, now=NOW)
    provider = NullProvider(reply)
    done = run_now(job, partial(perform_judging, connect=lambda endpoint: provider, limits=QUICK))
    arena.refresh_from_db()
    return done
