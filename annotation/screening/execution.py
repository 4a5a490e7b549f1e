"""The work of a screening job: a question is concluded as an opinion, or as a failure with its reason."""

from collections.abc import Collection, Sequence
from typing import Any

from annotation.asking.execution import AskingWork, Plan
from annotation.asking.plans import Prompt, Question, ask_one
from annotation.asking.queries import Totals
from annotation.models import Opinion, ScreeningCall
from annotation.screening.actions import SCREENING, give_opinion
from annotation.screening.queries import totals_of
from annotation.screening.screens import Read, ask, read_opinion
from annotation.translating.briefs import text_of
from endpoints import engine
from endpoints.batches import Connect
from endpoints.connections import connect as connect_to
from jobs.models import Job
from jobs.progress import Progress


def perform_screening(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a screening job; return its counts, and whether the budget ended it."""
    return _Screening(job, progress, connect, limits).run()


def held_screening(job: Job) -> AskingWork:
    """Return the work of a job, to ask its calls by batch file."""
    return _Screening(job, Progress(job.pk), connect_to, engine.DEFAULT_LIMITS)


class _Screening(AskingWork):
    kind = SCREENING
    calls = ScreeningCall
    row = "opinion"
    key = ("attempt",)
    relations = ("item", "revision", "prompt_template")

    def totals(self) -> Totals:
        return totals_of(self.started)

    def plan(self, row: Opinion, blocked: Collection[int]) -> Plan:
        item, source = row.item, text_of(row.item)
        text = text_of(row.revision) if row.revision else source
        messages = ask(
            row.screen, row.prompt_template.frame, text=text,
            source=source if row.revision else None,
        )  # fmt: skip

        def read(answer: str) -> Read:
            return read_opinion(row.screen, answer, key=item.key, option_count=len(item.options))

        return ask_one(Question("", Prompt(messages), read))

    def conclude(self, ended: Sequence[tuple[Opinion, Read]]) -> None:
        for row, value in ended:
            give_opinion(opinion=row, read=value)
