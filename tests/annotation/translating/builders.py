"""Translation jobs for tests, and ways to do their work with an endpoint that answers at will."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from annotation.models import Item, TranslationJob
from annotation.translating.actions import TranslationSettings, start_translation
from annotation.translating.execution import perform_translation
from endpoints.engine import Limits
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatProvider, ChatRequest
from endpoints.providers.pretend_translations import pretend
from endpoints.providers.recorded import NullProvider
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project
from tests.factories import ItemFactory, ModelSpecFactory, SourceFactory, SubjectFactory

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
QUICK = Limits(
    tries=2, backoff_base=0.001, backoff_cap=0.005, poll_every=0.02, flush_every=0.05,
    failing_calls=30, batch=3,
)  # fmt: skip
Reply = Callable[[ChatRequest], str]


def make_items(project: Project, count: int = 3, **fields: Any) -> list[Item]:
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)
    return [
        ItemFactory(
            project=project, source=source, subject=subject,
            question=f"水在{80 + number}℃时的密度$\\rho_{{{number}}}$是多少？",
            options=["很大", "很小", "DNA和水", f"{number + 20}"], **fields,
        )
        for number in range(count)
    ]  # fmt: skip


def make_job(project: Project, *, spec: ModelSpec | None = None, **settings: Any) -> TranslationJob:
    values = {"system": "m1", "strategy": "single", **settings}
    return start_translation(
        project=project,
        settings=TranslationSettings(model=spec or ModelSpecFactory(project=project), **values),
        actor=None,
        now=NOW,
    )


def good(request: ChatRequest) -> str:
    """Answer every step as the stand-in does, without misbehaving."""
    return pretend("well-behaved", [turn.content for turn in request.messages], seed=0)


def work_off(started: TranslationJob, reply: Reply | ChatProvider = good) -> Job:
    """Do the job's work here with an endpoint that answers by `reply`; its job as it ended."""
    provider = NullProvider(reply) if callable(reply) else reply
    started.refresh_from_db()
    work = partial(perform_translation, connect=lambda endpoint: provider, limits=QUICK)
    job = run_now(started.job, work)
    started.refresh_from_db()
    return job


def outcomes(started: TranslationJob) -> list[tuple[str, str]]:
    return list(started.items.order_by("pk").values_list("state", "reason"))
