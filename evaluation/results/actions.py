"""Scores stored answers, without calling an endpoint."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score
from evaluation.queries import kinds_asked, shots_by_subject
from evaluation.request_building import (
    KIND_OF_KEY,
    ShotsBySubject,
    cause_of,
    prompt_item,
    score_one,
    scorers_of,
    script_letters,
)
from evaluation.results.queries.differences import methods_of
from evaluation.results.queries.figures import run_counts, run_results
from evaluation.results.queries.items import answers_of
from evaluation.results.queries.subsets import cells_of
from evaluation.translation.actions import lacks_counts, store_translations
from evaluation.translation.queries import keep_open_draws, translation_figures
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from scoring.batch import ScoredExtraction
from scoring.metrics import outcome_of
from scoring.scorers import RUN_METHODS, SCORERS, TRANSLATION, are_likelihoods
from scoring.scorers.judge import CORRECT, extraction_of
from scoring.scorers.judge import SCORER as JUDGE

SCORING_KIND = "scoring"
BATCH = 500
LONGEST_ANSWER = 40
"""Of a number that is longer, the rest is not shown; it was compared whole."""


class ScoresUpToDate(DomainError):
    code = "scores_up_to_date"
    detail = _(
        "All answers of this run have already been scored with the current version of each method."
    )


class AnswersBeingRead(DomainError):
    code = "answers_being_read"
    detail = _(
        "The answers of this run are already being scored again. Wait until that has finished."
    )


class MethodsInvalid(DomainError):
    code = "methods_invalid"
    detail = _("The answers of this run cannot be scored by these methods.")
    status = 400


@transaction.atomic
def start_scoring(
    *, run: Run, actor: User | None, now: datetime, methods: Sequence[str] = ()
) -> Job:
    """Queue a job that scores the stored answers which a method's current version has not scored.

    `methods` are added to those of the run. Writes the job, its id and the methods on the run and
    an audit row in one transaction, then wakes a worker. The job needs no endpoint, so it also
    works on a cancelled run, or after the endpoint is gone. Raises MethodsInvalid,
    AnswersBeingRead, ScoresUpToDate.
    """
    check_methods(run, methods)
    locked = Run.objects.select_for_update(of=("self",)).select_related("job", "scoring_job")
    run = locked.get(pk=run.pk)
    if not run.job.has_ended or (run.scoring_job and not run.scoring_job.has_ended):
        raise AnswersBeingRead
    run.methods = list(dict.fromkeys([*run.methods, *methods]))
    if not unscored(run).exists():
        raise ScoresUpToDate
    project = run.release.project
    job = create_job(
        kind=SCORING_KIND,
        scope=project.slug,
        params={"run": run.pk, "methods": run.methods},
        actor=actor,
        now=now,
    )
    rows = Run.objects.filter(pk=run.pk, scoring_job=run.scoring_job_id)
    if not rows.update(scoring_job=job, methods=run.methods):
        raise AnswersBeingRead  # SQLite has no row locks, and another caller was faster
    return job


def further_methods(run: Run) -> list[str]:
    """Return the methods that can score the answers of `run` and are not among its own."""
    return [name for name in RUN_METHODS if name not in run.methods and _is_fit(name, run)]


def _is_fit(name: str, run: Run) -> bool:
    """Whether a method scores the items that `run` asked, and reads such answers."""
    is_asked = KIND_OF_KEY[SCORERS[name].key_kind] in kinds_asked(run.methods)
    return is_asked and are_likelihoods([name]) == are_likelihoods(run.methods)


def check_methods(run: Run, methods: Sequence[str]) -> None:
    """Raise MethodsInvalid for names that are unknown or do not score the items that `run` asked."""
    unknown = sorted(set(methods) - set(RUN_METHODS))
    if unknown:
        words = gettext("There is no method “%(name)s”. Choose from: %(known)s.")
        values = {"name": unknown[0], "known": ", ".join(RUN_METHODS)}
        raise MethodsInvalid(fields={"methods": [words % values]})
    unfit = [name for name in methods if not _is_fit(name, run)]
    if unfit:
        words = gettext(
            "This run did not ask what %(name)s scores. Start a run with this method; it "
            "uses the stored answers."
        )
        raise MethodsInvalid(fields={"methods": [words % {"name": unfit[0]}]})


def perform_scoring(job: Job, progress: Progress) -> dict[str, Any]:
    """Do the work of a scoring job; return {run, read}. Running it again scores only what is left."""
    run = Run.objects.select_related("prompt_template").get(pk=job.params["run"])
    progress.start(unscored(run).count())
    with headline_kept(run):
        read = score_missing(run=run, when_read=progress.advance_to)
    return {"run": run.pk, "read": read}


@contextmanager
def headline_kept(run: Run) -> Iterator[None]:
    """Update the headline figures of `run` when the block ends, even with an error.

    This also fills the cache, so that the page of a large run, comparisons with it and leaderboards
    load quickly the first time.
    """
    try:
        yield
    finally:
        update_headline(run)
        keep_figures(run)


def update_headline(run: Run) -> None:
    """Store the counts of the headline method on `run`, in the version that its figures use, and its usage."""
    counts = run_counts(run)
    used = [name for name in methods_of(run) if name in counts.outcomes]
    method = next(iter(used), next(iter(methods_of(run)), ""))
    tallies = counts.outcomes.get(method, {}).values()
    found = {each.scorer.name: each.summary.overall for each in run_results(run).methods}
    interval = found[method].accuracy_interval if method in found else None
    Run.objects.filter(pk=run.pk).update(
        headline_method=method,
        headline_right=sum(tally.correct for tally in tallies),
        headline_read=sum(tally.n for tally in tallies),
        headline_low=interval.low if interval else None,
        headline_high=interval.high if interval else None,
        bought_count=counts.usage.bought,
        reused_count=counts.usage.reused,
        unmeasured_count=counts.usage.unmeasured,
        prompt_tokens=counts.usage.prompt_tokens,
        completion_tokens=counts.usage.completion_tokens,
        file_prompt_tokens=counts.usage.file_prompt_tokens,
        file_completion_tokens=counts.usage.file_completion_tokens,
    )


def keep_figures(run: Run) -> None:
    """Fill the cache with what comparisons and leaderboards read of a run with current headline figures."""
    answers_of([(run, method) for method in run_counts(run).versions])
    translation_figures(run)
    keep_open_draws(run)
    cells_of([Run.objects.get(pk=run.pk)])


def score_missing(*, run: Run, when_read: Callable[[int], None] | None = None) -> int:
    """Score every answer of `run` that the current version of one of its methods has not scored.

    Scores are keyed by (response, method, version), so running this again changes nothing, and a
    new version of a scorer adds its scores to the old ones. `when_read` gets the number of scored
    answers after each batch, and stops the work by raising an error. Returns the number of answers.
    """
    pks = list(unscored(run).values_list("pk", flat=True))
    shots = shot_items(run)
    for start in range(0, len(pks), BATCH):
        batch = pks[start : start + BATCH]
        score_rows(run, with_texts(ModelResponse.objects.filter(pk__in=batch)), shots)
        if when_read is not None:
            when_read(start + len(batch))
    return len(pks)


def unscored(run: Run) -> QuerySet[ModelResponse]:
    """Return the answers of `run` without a score by the current version of one of its methods."""
    lacks = Q(pk__in=[])
    if TRANSLATION in run.methods:
        lacks |= lacks_counts()
    for scorer in scorers_of(run):
        there = Score.objects.filter(
            response=OuterRef("pk"), method=scorer.name, version=int(scorer.version)
        )
        fit = Q(release_item__kind=KIND_OF_KEY[scorer.key_kind])
        if scorer.key_kind == "text":
            fit &= ~Q(release_item__revision__answer="")
        lacks |= ~Q(Exists(there)) & fit
    return ModelResponse.objects.filter(lacks, run=run, state=ResponseState.ANSWERED)


def with_texts(rows: QuerySet[ModelResponse]) -> QuerySet[ModelResponse]:
    """Load the item and its text, which scorers need, with each response."""
    return rows.select_related("release_item__revision")


def shot_items(run: Run) -> ShotsBySubject:
    """Return the shots of each subject and kind of item as prompts have them."""
    return {
        place: [prompt_item(shot) for shot in shots]
        for place, shots in shots_by_subject(run).items()
    }


def score_rows(run: Run, responses: Iterable[ModelResponse], shots: ShotsBySubject) -> None:
    """Store the score of each response by each method of `run`, keeping existing scores.

    Of translations it stores counts instead. `shots` are those of `shot_items`: a response that
    repeats them is told from others.
    """
    responses = list(responses)
    store_translations(run, responses)
    scorers = scorers_of(run)
    script = script_letters(run)
    scores = [
        Score(
            response=response, run=run, method=scored.method,
            version=int(SCORERS[scored.method].version), **_reading(scored),
            cause=cause_of(response, scored, run, shots),
        )
        for response in responses
        for scored in score_one(
            response, scorers, script, is_published=run.is_published, rotation=run.rotation
        )
    ]  # fmt: skip
    Score.objects.bulk_create(scores, batch_size=BATCH, ignore_conflicts=True)


def store_judged(run: Run, verdicts: Mapping[ModelResponse, str]) -> None:
    """Store the score by a judge of each response, keeping existing scores.

    The item of each response must be loaded. `verdicts` are those of `scoring.scorers.judge`.
    """
    scores = []
    for response, verdict in verdicts.items():
        extraction = extraction_of(verdict)
        outcome = outcome_of(extraction, is_correct=verdict == CORRECT)
        scored = ScoredExtraction(JUDGE.name, extraction, outcome)
        scores.append(Score(
            response=response, run=run, method=JUDGE.name, version=int(JUDGE.version),
            **_reading(scored), cause=cause_of(response, scored, run, {}),
        ))  # fmt: skip
    Score.objects.bulk_create(scores, batch_size=BATCH, ignore_conflicts=True)


def _reading(scored: ScoredExtraction) -> dict[str, Any]:
    is_correct = scored.outcome == "correct"
    return {
        "letter": (scored.extraction.answer or "")[:LONGEST_ANSWER],
        "is_valid": scored.extraction.is_valid,
        "is_correct": is_correct,
        "error_kind": "" if is_correct else scored.outcome,
    }
