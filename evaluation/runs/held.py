"""The questions of a run as calls of batch files."""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import Any

from endpoints import engine
from endpoints.budgets import Purse
from endpoints.held.kinds import FileStep, Standing
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from evaluation.queries import answered_count, asked_items
from evaluation.results.actions import headline_kept, score_missing
from evaluation.runs.actions import check_held, refuse_resuming, store_budget
from evaluation.runs.execution import Questions, purse_of, result_of
from evaluation.runs.hidden_items import check_hidden_items
from evaluation.runs.reuse import Asked, has_earlier_run, reusable_answers, store_copies
from jobs.models import Job
from projects.models import Project


def held_run(job: Job) -> "HeldRun":
    rows = Run.objects.select_related(
        "release__project", "model_spec__endpoint", "prompt_template", "job"
    )
    return HeldRun(rows.get(job=job))


class HeldRun:
    """A run that may wait for files; see `endpoints.held.kinds.HeldWork`."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def name(self) -> str:
        return f"run-{self.run.pk}"

    @property
    def job(self) -> Job:
        return self.run.job

    @property
    def project(self) -> Project:
        return self.run.release.project

    @property
    def specs(self) -> Sequence[ModelSpec]:
        return [self.run.model_spec]

    @property
    def concurrency(self) -> int:
        return self.run.concurrency

    def check_again(self) -> None:
        check_held(self.run.methods)
        refuse_resuming(self.run.job)

    def change_budget(self, budget: Decimal | None) -> None:
        store_budget(self.run, budget)

    def filled_purse(self) -> Purse:
        return purse_of(self.run)

    def stored_keys(self) -> Iterator[Asked]:
        rows = ModelResponse.objects.filter(run=self.run, state=ResponseState.ANSWERED)
        yield from rows.values_list("release_item_id", "epoch")

    def waves(self, *, is_reading: bool) -> Iterator["QuestionWave"]:
        """Yield the open questions that no earlier run has answered, in chunks.

        If not `is_reading`, copy the answers of earlier runs, and score what was stored.
        """
        check_hidden_items(self.run.release, self.run.model_spec, self.run.methods)
        if is_reading:
            yield from self._waves(is_reading=True)
            return
        with headline_kept(self.run):
            yield from self._waves(is_reading=False)
            score_missing(run=self.run)

    def _waves(self, *, is_reading: bool) -> Iterator["QuestionWave"]:
        questions, has_earlier = Questions(self.run), has_earlier_run(self.run)
        for keys in questions.open_keys():
            bought = {}
            if has_earlier:
                requests = {key: questions.request(key) for key in keys}
                bought = reusable_answers(self.run, requests)
            if not is_reading:
                store_copies(self.run, bought)
            yield QuestionWave(self.run, questions, [key for key in keys if key not in bought])

    def standing(self) -> Standing:
        run = self.run
        total = asked_items(run.release, run.methods).count() * run.epochs
        done = answered_count(run)
        result = result_of(run, is_budget_spent=False) if done >= total else None
        return Standing(done=done, total=total, result=result)

    def step(self) -> FileStep:
        return FileStep()


class QuestionWave:
    """Open questions of a chunk of a run; see `endpoints.held.kinds.FileWave`."""

    def __init__(self, run: Run, questions: Questions, keys: Collection[Asked]) -> None:
        self.spec, self.keys, self._questions = run.model_spec, keys, questions

    def request(self, key: Asked) -> ChatRequest:
        return self._questions.request(key)

    def store(self, results: list[engine.Result[Any]], *, is_from_file: bool) -> None:
        self._questions.store(results, is_from_file=is_from_file)
