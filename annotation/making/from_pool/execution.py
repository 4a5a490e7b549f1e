"""The work of a sampling job: find topics, have every prompt scored, draw the sample and import it."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np
from django.utils import timezone

from annotation.asking.execution import AskingWork, Plan
from annotation.asking.plans import Question, ask_one
from annotation.asking.queries import OPEN, Totals
from annotation.duplicates.dedupe import ngrams
from annotation.duplicates.dedupe.near import semantic_threshold
from annotation.duplicates.embeddings import HASHED_NGRAMS
from annotation.duplicates.search_steps import load_model
from annotation.enums import PooledState
from annotation.making.from_pool.actions import (
    SAMPLING,
    import_sample,
    keep_sample,
    keep_scores,
    keep_topics,
)
from annotation.making.from_pool.prompting import Scores, ask_for_scores, read_scores
from annotation.making.from_pool.queries import sample_of, totals_of
from annotation.making.from_pool.sampling import Candidate, Vectors, draw, find_topics
from annotation.models import PooledPrompt, SamplingCall, SamplingJob
from endpoints import engine
from endpoints.batches import Connect
from endpoints.connections import connect as connect_to
from jobs.models import Job
from jobs.progress import Progress

STEP: Final = 128
"""Texts that are encoded between two looks at whether to stop."""


def perform_sampling(
    job: Job,
    progress: Progress,
    *,
    connect: Connect = connect_to,
    limits: engine.Limits = engine.DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Do the work of a sampling job and import its sample; return its counts.

    Topics are found first, so that an embedding model that is missing costs no call. A job whose
    budget ended draws nothing before it is resumed. Raises EmbeddingModelMissing.
    """
    work = _Sampling(job, progress, connect, limits)
    find_topics_of(work.started, progress)
    result = work.run()
    if not result[OPEN]:
        draw_sample(work.started)
    imported = import_sample(started=work.started, now=timezone.now())
    return result | {"drawn": sample_of(work.started).count(), "imported": imported}


def find_topics_of(started: SamplingJob, progress: Progress) -> None:
    """Find and store the topics of all prompts of a job, unless all have one."""
    if not started.prompts.filter(topic=None).exists():
        return
    rows = list(started.prompts.order_by("line"))
    vectors = _vectors([row.prompt for row in rows], started.embedding_model, progress)
    threshold = semantic_threshold(
        language=started.project.source_language, model=started.embedding_model
    )
    topics = find_topics(vectors, most=started.count, seed=started.seed, threshold=threshold)
    keep_topics(rows=rows, topics=topics)


def draw_sample(started: SamplingJob) -> None:
    """Draw what the sample of a job lacks, and store it; a full sample stays as it is."""
    scored = started.prompts.filter(state=PooledState.SCORED).order_by("line")
    left = [_candidate(row) for row in scored if row.place is None]
    drawn = [_candidate(row) for row in scored if row.place is not None]
    found = draw(left, count=started.count, seed=started.seed, drawn=drawn)
    keep_sample(started=started, lines=[each.line for each in found])


def _candidate(row: PooledPrompt) -> Candidate:
    topic, twins = row.topic or 0, row.twins or 0  # known before the first call
    return Candidate(row.line, topic, twins, score=sum(row.scores.values()))


def _vectors(texts: list[str], model: str, progress: Progress) -> Vectors:
    encode = ngrams.encode if model == HASHED_NGRAMS else load_model(model, progress).encode
    progress.pause_clock("encoding_texts")
    parts = []
    for start in range(0, len(texts), STEP):
        progress.check()
        parts.append(encode(texts[start : start + STEP]))
    return np.concatenate(parts)


class _Sampling(AskingWork):
    kind = SAMPLING
    calls = SamplingCall
    row = "pooled_prompt"
    key = ("attempt",)
    relations = ()

    def refusal(self, row: PooledPrompt, blocked: Collection[int]) -> str:
        """A prompt is no item yet, so it is neither hidden nor excluded."""
        return ""

    def totals(self) -> Totals:
        return totals_of(self.started)

    def plan(self, row: PooledPrompt, blocked: Collection[int]) -> Plan:
        prompt = ask_for_scores(self.started.prompt_template.frame, text=row.prompt)
        return ask_one(Question("", prompt, read_scores))

    def conclude(self, ended: Sequence[tuple[PooledPrompt, Scores]]) -> None:
        for row, value in ended:
            keep_scores(row=row, scores=value)
