"""The work of an arena's job: ask each judge both orders of each battle, then count."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from arena.actions.arenas import ArenaDeleted, store_figures
from arena.counting import count_arena
from arena.enums import CallState
from arena.models import Arena, ArenaCall, Battle, Judge
from arena.queries import (
    ORDERS,
    answer_texts,
    asked_judges,
    battles_asked,
    contestants_of,
    left_out_judges,
    own_pairs,
)
from arena.rubric import judge_messages
from arena.verdicts import read_verdict
from common.errors import DomainError, error_text
from endpoints import engine
from endpoints.batches import Connect, Line, insert_missing, perform_batch
from endpoints.connections import check_usable
from endpoints.connections import connect as connect_to
from endpoints.models import ModelSpec
from endpoints.parameters import epoch_parameters
from endpoints.providers.base import ChatRequest
from endpoints.queries import may_see_hidden_items
from endpoints.raw_calls import raw_call_columns
from jobs.models import Job
from jobs.progress import Progress

CHUNK: Final = 200

Key = tuple[int, bool, int]
"""A battle, whether its sides are swapped, and the attempt."""


class JudgesFailed(DomainError):
    """Judges that could not be asked everything; `judges` has name, code and params of each failure."""

    code = "judges_failed"
    detail = _(
        "%(failures)s All other judges were asked, and what is there is counted. Resume to ask for the "
        "rest, or leave a judge that fails out of the arena."
    )

    def __str__(self) -> str:
        failures = " ".join(
            f"{each['name']}: {error_text(each['code'], each['params'])}"
            for each in self.params["judges"]
        )
        return str(self.detail) % {"failures": failures}


def perform_judging(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of an arena's job; return {arena, verdicts}.

    Each judge is asked each order of each battle that it may judge, and what it answers is stored
    raw with the verdict that was read in it. What cannot be read is asked again, as often as the
    arena says. A judge that fails stops no other: the rest are asked and what is there is counted,
    then JudgesFailed ends the job. Running this again after a stop asks no answered attempt again.
    """
    arena = Arena.objects.select_related("project", "release").get(job=job)
    benches = list(_benches(arena))
    progress.start(
        sum(bench.total() for bench in benches), done=sum(bench.done() for bench in benches)
    )
    failures = []
    for bench in benches:
        line = Line(
            endpoint=bench.spec.endpoint,
            concurrency=arena.concurrency,
            connect=connect,
            limits=limits,
        )
        try:
            check_usable(line.endpoint, arena.project)
            for attempt in range(1, arena.attempts + 1):
                bench.attempt = attempt
                done = sum(each.done() for each in benches)
                perform_batch(bench, line, progress=progress, done=done)
        except DomainError as failure:
            if not bench.is_left_out():
                failures.append((bench.name, failure))
    count_and_store(arena)
    if failures:
        raise judges_failed(failures)
    verdicts = ArenaCall.objects.filter(battle__arena=arena).exclude(verdict="").count()
    return {"arena": arena.pk, "verdicts": verdicts}


def perform_counting(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of a job that counts alone; return {arena}."""
    arena = Arena.objects.select_related("project").filter(pk=job.params["arena"]).first()
    if arena is None:
        raise ArenaDeleted
    count_and_store(arena)
    return {"arena": arena.pk}


def count_and_store(arena: Arena) -> None:
    """Count what is there, and again if a judge was left out or brought back meanwhile."""
    is_stored = False
    while not is_stored:
        left_out = left_out_judges(arena)
        figures = count_arena(arena)
        is_stored = store_figures(arena=arena, figures=figures, left_out=left_out)


def judges_failed(failures: Sequence[tuple[str, DomainError]]) -> JudgesFailed:
    """Return the error of a job some of whose judges failed; what an endpoint said is nobody's to read here."""
    return JudgesFailed(
        judges=[
            {
                "name": name, "code": failure.code,
                "params": {key: value for key, value in failure.params.items() if key != "said"},
            }
            for name, failure in failures
        ]
    )  # fmt: skip


def _benches(arena: Arena) -> Iterator["_Bench"]:
    """Yield the judges that are asked."""
    asked = [(judge, judge.model_spec) for judge in asked_judges(arena) if judge.model_spec]
    with_hidden = may_see_hidden_items(arena.project, [spec.endpoint_id for _judge, spec in asked])
    own = own_pairs([judge for judge, _spec in asked], contestants_of(arena))
    for judge, spec in asked:
        yield _Bench(arena, judge, spec, own[judge.pk], with_hidden=with_hidden)


class _Bench:
    """What one judge has still to judge, as calls of a batch."""

    def __init__(
        self,
        arena: Arena,
        judge: Judge,
        spec: ModelSpec,
        own: frozenset[int],
        *,
        with_hidden: bool,
    ) -> None:
        self.spec, self.name = spec, judge.name
        self._arena, self._judge = arena, judge
        rows = battles_asked(arena, with_hidden=with_hidden)
        self._rows = rows.exclude(first__in=own).exclude(second__in=own)
        self._battles: dict[int, Battle] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self.attempt = 1

    def total(self) -> int:
        return self._rows.count() * len(ORDERS)

    def is_left_out(self) -> bool:
        """Whether a manager has left the judge out, maybe since the job began."""
        return self._judge.pk in left_out_judges(self._arena)

    def done(self) -> int:
        """Return how many orders of battles have an answer, readable or not."""
        rows = ArenaCall.objects.filter(
            battle__arena=self._arena, judge=self._judge, state=CallState.ANSWERED, attempt=1
        )
        return rows.count()

    def missing(self) -> Iterator[Sequence[Key]]:
        """Yield what this attempt has to ask: orders without a verdict and without its answer."""
        last = 0
        while battles := list(self._rows.filter(pk__gt=last)[:CHUNK]):
            if self.is_left_out():
                return
            last = battles[-1].pk
            self._battles = {battle.pk: battle for battle in battles}
            self._texts = answer_texts(battles)
            yield list(self._open(battles))

    def request(self, key: Key) -> ChatRequest:
        pk, is_swapped, attempt = key
        battle = self._battles[pk]
        runs = (battle.first.run_id, battle.second.run_id)
        first, second = (self._texts[battle.release_item_id, run] for run in runs if run)
        messages = judge_messages(
            self._arena.rubric,
            question=battle.release_item.revision.question,
            reference=battle.release_item.revision.answer,
            answers=(second, first) if is_swapped else (first, second),
        )
        spec = self.spec
        return ChatRequest(spec.model, messages, epoch_parameters(spec.parameters, attempt))

    def store(self, results: list[engine.Result[Key]]) -> None:
        rows = [self._row(result) for result in results]
        stored = ArenaCall.objects.filter(
            judge=self._judge,
            state=CallState.ANSWERED,
            battle__in={row.battle_id for row in rows},
        )
        insert_missing(rows, stored=stored, key=("battle_id", "is_swapped", "attempt"))

    def _open(self, battles: Sequence[Battle]) -> Iterator[Key]:
        stored = ArenaCall.objects.filter(
            judge=self._judge, battle__in=battles, state=CallState.ANSWERED
        )
        attempts: dict[tuple[int, bool], list[tuple[int, str]]] = {}
        for pk, is_swapped, attempt, verdict in stored.values_list(
            "battle", "is_swapped", "attempt", "verdict"
        ):
            attempts.setdefault((pk, is_swapped), []).append((attempt, verdict))
        for battle in battles:
            for is_swapped in ORDERS:
                answers = attempts.get((battle.pk, is_swapped), [])
                is_read = any(verdict for _attempt, verdict in answers)
                if not is_read and len(answers) == self.attempt - 1:
                    yield battle.pk, is_swapped, self.attempt

    def _row(self, result: engine.Result[Key]) -> ArenaCall:
        pk, is_swapped, attempt = result.key
        is_answered = result.state == engine.ANSWERED
        columns = raw_call_columns(result)
        return ArenaCall(
            battle_id=pk,
            judge=self._judge,
            is_swapped=is_swapped,
            attempt=attempt,
            state=CallState.ANSWERED if is_answered else CallState.FAILED,
            verdict=read_verdict(columns["text"]) if is_answered else "",
            **columns,
        )
