"""Releases, models and runs for the tests of `evaluation`, and endpoints that answer at will."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

from annotation.enums import SplitName
from annotation.models import Item
from endpoints.engine import Limits
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatProvider, ChatRequest
from endpoints.providers.recorded import NullProvider
from endpoints.providers.stand_in import Behaviour, StandIn
from evaluation.models import Run
from evaluation.runs.actions import RunSettings, start_run
from evaluation.runs.execution import perform_run
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project, Subject
from prompts.actions import ensure_default_prompts
from prompts.queries import known_prompts
from releases.enums import Subset
from releases.models import Release
from tests.factories import (
    ModelSpecFactory,
    ReleaseFactory,
    SourceFactory,
    make_release_items,
    make_translated_items,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
QUICK = Limits(
    tries=2, backoff_base=0.001, backoff_cap=0.005, poll_every=0.02, flush_every=0.05,
    failing_calls=3,
)  # fmt: skip
Reply = Callable[[ChatRequest], str]


def make_release(
    project: Project,
    *,
    subjects: dict[str, str] | None = None,
    tests: int = 3,
    devs: int = 0,
    hidden: int = 0,
    **fields: Any,
) -> Release:
    """A release with `tests` test items (the last `hidden` of each subject in the black box).

    `subjects` maps slug → category. Questions are unique; keys are A, B, C, D in turn.
    """
    release = ReleaseFactory(project=project, **fields)
    source = SourceFactory(project=project)
    placed: list[tuple[Item, dict[str, Any]]] = []
    for slug, category in (subjects or {"history": "Humanities", "physics": "Science"}).items():
        subject, _new = Subject.objects.get_or_create(
            project=project, slug=slug, defaults={"name": slug.title(), "category": category}
        )
        for number, item in enumerate(_items(project, source, subject, SplitName.TEST, tests)):
            subset = Subset.BLACK_BOX if number >= tests - hidden else Subset.OPEN
            placed.append((item, {"subset": subset}))
        dev = {"split": SplitName.DEV}
        placed += [(item, dev) for item in _items(project, source, subject, SplitName.DEV, devs)]
    rows = [(item, {"position": place} | fields) for place, (item, fields) in enumerate(placed)]
    make_release_items(release, rows)
    return release


def make_run(
    project: Project,
    release: Release | None = None,
    *,
    spec: ModelSpec | None = None,
    **settings: Any,
) -> Run:
    """A queued run; `settings` are those of RunSettings."""
    ensure_default_prompts(project=project, now=NOW)
    prompt = known_prompts(project, now=NOW)[0]
    return start_run(
        release=release or make_release(project),
        model_spec=spec or ModelSpecFactory(project=project),
        prompt=prompt,
        settings=RunSettings(**settings),
        actor=None,
        now=NOW,
    )


def work_off(run: Run, reply: Reply | ChatProvider = lambda request: "A") -> Job:
    """Do the run's job here with an endpoint that answers by `reply`; its job as it ended."""
    provider = NullProvider(reply) if callable(reply) else reply
    run.refresh_from_db()
    job = run_now(run.job, partial(perform_run, connect=lambda spec: provider, limits=QUICK))
    run.refresh_from_db()
    return job


def finished_run(project: Project, reply: Reply = lambda request: "A", **settings: Any) -> Run:
    run = make_run(project, **settings)
    work_off(run, reply)
    return run


def asked_uid(request: ChatRequest) -> str:
    """The uid that the last question of a prompt names."""
    return request.messages[-1].content.split()[1]


@contextmanager
def serving(**behaviour: Any) -> Iterator[StandIn]:
    """A stand-in endpoint on loopback."""
    server = StandIn(Behaviour(**behaviour))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def _items(project: Project, source: Any, subject: Subject, kind: str, count: int) -> list[Item]:
    """`count` items of the subject, of which those that the project has are not made anew."""
    uids = [f"{subject.slug}/{kind}-{number}" for number in range(count)]
    known = {item.uid: item for item in Item.objects.filter(project=project, uid__in=uids)}
    new = make_translated_items(
        {
            "project": project,
            "source": source,
            "subject": subject,
            "uid": uid,
            "key": "ABCD"[number % 4],
            "question": f"འདྲི་བ་ {uid} ག་རེ་རེད།",
            "options": [f"ལན་ {number} {letter}" for letter in "ཀཁགང"],
        }
        for number, uid in enumerate(uids)
        if uid not in known
    )
    known |= {item.uid: item for item in new}
    return [known[uid] for uid in uids]
