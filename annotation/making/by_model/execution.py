"""The work of a making job: a pair is concluded with three wrong answers, or as a failure with its reason."""

from collections.abc import Collection, Sequence
from typing import Any

from django.utils import timezone

from annotation.asking.execution import AskingWork, Plan
from annotation.asking.plans import Question, ask_one
from annotation.asking.queries import Totals
from annotation.making.by_model.actions import MAKING, import_pairs, keep_proposals
from annotation.making.by_model.queries import totals_of
from annotation.making.prompting import ask_for_wrong, reader_of
from annotation.models import MadePair, MakingCall
from endpoints import engine
from endpoints.batches import Connect
from endpoints.connections import connect as connect_to
from jobs.models import Job
from jobs.progress import Progress


def perform_making(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a making job and import its items, also where the budget ended it; return its counts."""
    work = _Making(job, progress, connect, limits)
    result = work.run()
    return result | {"imported": import_pairs(started=work.started, now=timezone.now())}


class _Making(AskingWork):
    kind = MAKING
    calls = MakingCall
    row = "pair"
    key = ("attempt",)
    relations = ()

    def refusal(self, row: MadePair, blocked: Collection[int]) -> str:
        """A pair is no item yet, so it is neither hidden nor excluded."""
        return ""

    def totals(self) -> Totals:
        return totals_of(self.started)

    def plan(self, row: MadePair, blocked: Collection[int]) -> Plan:
        frame = self.started.prompt_template.frame
        prompt = ask_for_wrong(frame, question=row.question, answer=row.answer)
        return ask_one(Question("", prompt, reader_of(row.answer)))

    def conclude(self, ended: Sequence[tuple[MadePair, Sequence[str]]]) -> None:
        for row, value in ended:
            keep_proposals(pair=row, distractors=value)
