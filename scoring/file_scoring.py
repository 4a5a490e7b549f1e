"""Scores files of responses in chunks, using several processes for large files."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, groupby, islice
from multiprocessing import active_children

from scoring.batch import (
    ScoreCounter,
    ScoredExtraction,
    look_only_at_letters,
    score_letters,
    score_reading,
)
from scoring.metrics import Repeats
from scoring.response_files import Chunk, ResponseFile, ResponseFileError, chunks_of
from scoring.response_rows import ResponseRow, RowHead, RowReader, RowRules
from scoring.result_files import ResponseLines
from scoring.row_ids import NotedRows, RowIds, repeats_by_subject
from scoring.scorers import SCORERS, Scorer
from scoring.scorers.base import read_text
from scoring.scorers.letters import letter_scan
from scoring.scorers.reasoning import answer_text

MAX_PROCESSES = 4
# Below this size, starting processes takes longer than they save.
WORTH_PROCESSES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """How to score files.

    excluded: strings to remove from each response first
    is_published: whether reasoning is removed as the published scorer of TLUE does
    """

    rows: RowRules
    methods: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    is_published: bool = False

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        return tuple(SCORERS[name] for name in self.methods)


@dataclass(slots=True)
class ScoredChunk:
    """The result of a chunk: its lines, counts and ids, up to an invalid row (`error`) if any."""

    file: ResponseFile
    lines: bytes
    counter: ScoreCounter
    noted: list[NotedRows]
    error: ResponseFileError | None = None


class FileScoring:
    """Scores files. The results do not depend on the number of processes.

    Iterate over `chunks` before calling `repeats`. A few chunks are in memory at a time, and a few
    bytes for each row.
    """

    def __init__(
        self, files: Sequence[ResponseFile], rules: ScoringRules, *, processes: int | None = None
    ) -> None:
        self._rules = rules
        self._ids = {file: RowIds(file, rules.rows) for file in files}
        self._processes = process_count(files) if processes is None else processes

    def chunks(self) -> Iterator[ScoredChunk]:
        """Yield the scored chunks in order.

        Raises ResponseFileError for the first invalid row, as `RowReader` and `RowIds` do. Two
        rows with the same id are reported at the end of their file.
        """
        for file, scored_chunks in groupby(self._scored(), key=lambda scored: scored.file):
            ids = self._ids[file]
            for scored in scored_chunks:
                for noted in scored.noted:
                    ids.add(noted)
                if scored.error:
                    ids.check()
                    raise scored.error
                yield scored
            ids.check()
        for ids in self._ids.values():
            ids.check_not_empty()

    def repeats(self, method: str) -> dict[str, Repeats] | None:
        """Return for each subject how often its items were asked and right; None with one epoch."""
        return repeats_by_subject(self._ids.values(), self._rules.methods.index(method))

    def _scored(self) -> Iterator[ScoredChunk]:
        chunks = chain.from_iterable(map(chunks_of, self._ids))
        pool = _started_pool(self._processes) if self._processes > 1 else None
        if pool is None:
            return (score_chunk(chunk, self._rules) for chunk in chunks)
        return _in_pool(pool, chunks, self._rules, at_once=2 * self._processes)


def process_count(files: Iterable[ResponseFile]) -> int:
    """Return one for small files, else the number of available processors."""
    if sum(file.path.stat().st_size for file in files) < WORTH_PROCESSES:
        return 1
    return min(MAX_PROCESSES, len(os.sched_getaffinity(0)))


def score_chunk(chunk: Chunk, rules: ScoringRules) -> ScoredChunk:
    """Score a chunk up to its end or up to an invalid row, which is its `error` then."""
    scoring, error = _ChunkScoring(rules), None
    try:
        for row in RowReader(chunk.file, rules.rows).rows(chunk):
            scoring.add(row)
    except ResponseFileError as wrong:
        error = wrong
    return scoring.scored(chunk.file, error)


@dataclass(slots=True)
class _Kind:
    """Rows with the same head and the same scores, which differ in number and id only."""

    scored: tuple[ScoredExtraction, ...]
    lines: ResponseLines
    right: int
    count: int = 0


class _Group:
    """The rows of a chunk with the same head, by their scores."""

    __slots__ = ("_head", "_kinds", "_looks_only_at_letters", "_scan", "_scorers", "noted")

    def __init__(self, head: RowHead, noted: NotedRows, scorers: tuple[Scorer, ...]) -> None:
        self.noted = noted
        self._head, self._scorers = head, scorers
        self._kinds: dict[object, _Kind] = {}
        self._looks_only_at_letters = look_only_at_letters(scorers, head.asked)
        self._scan = letter_scan(head.asked.letters).read

    def kind_of(self, text: str) -> _Kind:
        head = self._head
        if self._looks_only_at_letters:
            seen = self._scan(text)
            return self._kinds.get(seen) or self._new_kind(
                seen, score_letters(seen, head.asked.letters, head.key, self._scorers)
            )
        scored = score_reading(read_text(text, head.asked), key=head.key, scorers=self._scorers)
        return self._kinds.get(scored) or self._new_kind(scored, scored)

    def count(self, counter: ScoreCounter) -> None:
        head = self._head
        for kind in self._kinds.values():
            counter.add(
                head.subject,
                head.epoch,
                head.asked.letters.count,
                kind.scored,
                responses=kind.count,
            )

    def _new_kind(self, name: object, scored: tuple[ScoredExtraction, ...]) -> _Kind:
        right = sum(1 << bit for bit, one in enumerate(scored) if one.outcome == "correct")
        kind = self._kinds[name] = _Kind(scored, ResponseLines(self._head, scored), right)
        return kind


class _ChunkScoring:
    """Scores the rows of a chunk one by one."""

    def __init__(self, rules: ScoringRules) -> None:
        self._scorers, self._excluded = rules.scorers, rules.excluded
        self._is_published = rules.is_published
        self._groups: dict[RowHead, _Group] = {}
        self._noted: dict[tuple[str, int], NotedRows] = {}
        self._lines: list[str] = []

    def add(self, row: ResponseRow) -> None:
        group = self._groups.get(row.head) or self._new_group(row.head)
        text = answer_text(row.response, self._excluded, is_published=self._is_published)
        kind = group.kind_of(text)
        kind.count += 1
        group.noted.add(row.uid, kind.right)
        self._lines.append(kind.lines.line(row.row, row.uid))

    def scored(self, file: ResponseFile, error: ResponseFileError | None) -> ScoredChunk:
        counter = ScoreCounter()
        for group in self._groups.values():
            group.count(counter)
        lines = "".join(self._lines).encode("ascii")
        return ScoredChunk(file, lines, counter, list(self._noted.values()), error)

    def _new_group(self, head: RowHead) -> _Group:
        place = head.subject, head.epoch
        noted = self._noted.setdefault(place, NotedRows(*place))
        group = self._groups[head] = _Group(head, noted, self._scorers)
        return group


def _started_pool(count: int) -> ProcessPoolExecutor | None:
    """Return a running pool of processes; None if the system does not allow it."""
    before = set(active_children())
    try:
        pool = ProcessPoolExecutor(count)
        pool.submit(os.getpid)  # the first task starts the processes
    except OSError:
        # Processes that did start before the error would wait for ever.
        for child in set(active_children()) - before:
            child.terminate()
        return None
    return pool


def _in_pool(
    pool: ProcessPoolExecutor, chunks: Iterator[Chunk], rules: ScoringRules, *, at_once: int
) -> Iterator[ScoredChunk]:
    """Score chunks in other processes, with at most `at_once` chunks in progress or waiting.

    If a process dies, the remaining chunks are scored in this process.
    """
    with pool:
        submitted = ((chunk, _submit(pool, chunk, rules)) for chunk in chunks)
        waiting = deque(islice(submitted, at_once))
        try:
            while waiting:
                chunk, future = waiting.popleft()
                yield _result(future) or score_chunk(chunk, rules)
                waiting.extend(islice(submitted, 1))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _submit(pool: Executor, chunk: Chunk, rules: ScoringRules) -> Future[ScoredChunk] | None:
    try:
        return pool.submit(score_chunk, chunk, rules)
    except BrokenProcessPool:
        return None


def _result(future: Future[ScoredChunk] | None) -> ScoredChunk | None:
    try:
        return future.result() if future else None
    except BrokenProcessPool:
        return None
