"""The work of an explanation job: an item is concluded with its explanation, or as a failure with its reason."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from django.utils import timezone

from annotation.asking.execution import AskingWork, Plan
from annotation.asking.plans import Question, ask_one
from annotation.asking.queries import Totals
from endpoints import engine
from endpoints.batches import Connect
from endpoints.connections import connect as connect_to
from jobs.models import Job
from jobs.progress import Progress
from review.explaining.actions import EXPLAINING, conclude_item
from review.explaining.prompting import Explained, ask_to_explain, read_explained
from review.explaining.queries import totals_of
from review.models import ExplainedItem, ExplanationCall


def perform_explaining(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of an explanation job; return its counts, and whether the budget ended it."""
    return _Explaining(job, progress, connect, limits).run()


class _Explaining(AskingWork):
    kind = EXPLAINING
    calls = ExplanationCall
    row = "explained"
    key = ("attempt",)
    relations = ("item", "revision", "explanation_job__started_by")

    def totals(self) -> Totals:
        return totals_of(self.started)

    def plan(self, row: ExplainedItem, blocked: Collection[int]) -> Plan:
        text = row.revision
        prompt = ask_to_explain(
            self.started.prompt_template.frame, question=text.question, options=text.options
        )
        return ask_one(
            Question("", prompt, partial(read_explained, option_count=len(text.options)))
        )

    def conclude(self, ended: Sequence[tuple[ExplainedItem, Explained]]) -> None:
        for row, value in ended:
            conclude_item(row=row, found=value, now=timezone.now())
