"""The work of an arena's job: ask each judge both orders of each battle, then count."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from arena.actions.arenas import store_figures
from arena.counting import count_arena
from arena.enums import CallState
from arena.models import Arena, ArenaCall, Battle, Judge
from arena.queries import (
    ORDERS,
    answer_texts,
    battles_asked,
    contestants_of,
    judges_of,
    own_pairs,
)
from arena.rubric import judge_messages
from arena.verdicts import read_verdict
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
    arena says. Running this again after a stop asks no answered attempt again.
    """
    arena = Arena.objects.select_related("project", "release").get(job=job)
    benches = list(_benches(arena))
    done = sum(bench.done() for bench in benches)
    progress.start(sum(bench.total() for bench in benches), done=done)
    for bench in benches:
        line = Line(
            endpoint=bench.spec.endpoint,
            concurrency=arena.concurrency,
            connect=connect,
            limits=limits,
        )
        for attempt in range(1, arena.attempts + 1):
            bench.attempt = attempt
            perform_batch(bench, line, progress=progress, done=done)
            done = sum(each.done() for each in benches)
    store_figures(arena=arena, figures=count_arena(arena))
    verdicts = ArenaCall.objects.filter(battle__arena=arena).exclude(verdict="").count()
    return {"arena": arena.pk, "verdicts": verdicts}


def _benches(arena: Arena) -> Iterator["_Bench"]:
    """Yield the judges that can be asked. Raises EndpointClosed, EndpointNotAllowed."""
    asked = [(judge, judge.model_spec) for judge in judges_of(arena) if judge.model_spec]
    for _judge, spec in asked:
        check_usable(spec.endpoint, arena.project)
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
        self.spec = spec
        self._arena, self._judge = arena, judge
        rows = battles_asked(arena, with_hidden=with_hidden)
        self._rows = rows.exclude(first__in=own).exclude(second__in=own)
        self._battles: dict[int, Battle] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self.attempt = 1

    def total(self) -> int:
        return self._rows.count() * len(ORDERS)

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
