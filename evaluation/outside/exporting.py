"""Reads the answers of a run for files that other programs open, some hundred at a time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet, Sum
from django.utils.translation import gettext_lazy as _

from annotation.enums import ItemKind
from common.errors import DomainError
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, Score, TranslationScore
from evaluation.outside.writers import WRITERS
from evaluation.outside.writers.base import (
    AskedQuestion,
    CorpusFigure,
    CorpusScore,
    GivenAnswer,
    GivenScore,
    GivenSentence,
    MethodFigure,
    RunFacts,
)
from evaluation.queries import asked_items, lasting_failures
from evaluation.request_building import ShotsBySubject, letter_shown, prompt_item
from evaluation.results.actions import shot_items
from evaluation.results.queries.differences import methods_of
from evaluation.results.queries.figures import run_counts
from evaluation.translation.queries import VERSION, drawn_scores, has_translations
from evaluation.translation.tables import signature_cells
from prompts.queries import template_of
from prompts.rendering import Template, render
from releases.enums import Subset
from releases.files.exporters.harnesses import plain_name
from releases.models import ReleaseItem
from scoring.overlap import DrawnScores, sentence_scores
from scoring.scorers import TRANSLATION

CHUNK = 500
"""Answers in memory at a time, or those to one item."""


class NothingAnswered(DomainError):
    code = "nothing_answered"
    detail = _("Run %(run)s has no answers to export yet.")


class HiddenAlone(DomainError):
    code = "only_hidden_answers"
    detail = _("Run %(run)s has answers to hidden items alone. Choose the files with hidden items.")


def exported_file(run: Run, file: str, *, with_hidden: bool) -> tuple[str, str, Iterator[str]]:
    """Return name, media type and pieces of one of the files in WRITERS.

    Hidden items, with their texts and keys, are in it only `with_hidden`. Memory does not grow
    with the run. Raises NothingAnswered, HiddenAlone.
    """
    facts = run_facts(run, with_hidden=with_hidden)
    writer = WRITERS[file]
    pieces = writer.pieces(facts, asked_questions(run, with_hidden=with_hidden))
    return writer.name(facts), writer.media_type, pieces


def run_facts(run: Run, *, with_hidden: bool) -> RunFacts:
    """Return what the files say about the run as a whole. Raises NothingAnswered, HiddenAlone."""
    answers = _answers(run, with_hidden=with_hidden)
    counts = answers.aggregate(
        answers=Count("pk"),
        items=Count("release_item", distinct=True),
        sent=Sum("prompt_tokens"),
        received=Sum("completion_tokens"),
    )
    if not counts["answers"]:
        is_hidden = not with_hidden and _answers(run, with_hidden=True).exists()
        raise (HiddenAlone if is_hidden else NothingAnswered)(run=run.pk)
    spec = run.model_spec
    return RunFacts(
        run=run.pk,
        task=plain_name(run.release.project.slug),
        release=run.release.version,
        model=spec.model,
        parameters=spec.parameters,
        prompt="" if run.imported_from else run.prompt_template.name,
        shots=run.shots,
        epochs=run.epochs,
        rotation=run.rotation,
        has_hidden=with_hidden,
        state=run.job.state,
        started_at=run.started_at,
        ended_at=run.job.finished_at or run.started_at,
        items=_items(run, with_hidden=with_hidden).count(),
        answered_items=counts["items"],
        answers=counts["answers"],
        prompt_tokens=counts["sent"],
        completion_tokens=counts["received"],
        figures=tuple(_figures(run, with_hidden=with_hidden)),
        corpus=_corpus(run, with_hidden=with_hidden),
    )


def asked_questions(run: Run, *, with_hidden: bool) -> Iterator[AskedQuestion]:
    """Yield each item of the run with its answers and lasting failures, in release order."""
    shots, template = shot_items(run), template_of(run.prompt_template)
    versions = run_counts(run).versions
    for chunk in _chunks(_items(run, with_hidden=with_hidden), max(1, CHUNK // run.epochs)):
        answers = _answers_to(run, chunk, versions)
        for placed in chunk:
            yield _question(run, placed, answers[placed.pk], shots, template)


def _items(run: Run, *, with_hidden: bool) -> QuerySet[ReleaseItem]:
    rows = asked_items(run.release, run.methods)
    return rows if with_hidden else rows.exclude(subset=Subset.BLACK_BOX)


def _answers(run: Run, *, with_hidden: bool) -> QuerySet[ModelResponse]:
    rows = ModelResponse.objects.filter(run=run, state=ResponseState.ANSWERED)
    return rows if with_hidden else rows.exclude(release_item__subset=Subset.BLACK_BOX)


def _chunks(rows: QuerySet[ReleaseItem], size: int) -> Iterator[list[ReleaseItem]]:
    last = -1
    while chunk := list(rows.filter(position__gt=last)[:size]):
        yield chunk
        last = chunk[-1].position


def _answers_to(
    run: Run, items: Sequence[ReleaseItem], versions: Mapping[str, int]
) -> Mapping[int, list[ModelResponse]]:
    """Return the answers and lasting failures by item, in the order of the epochs."""
    counted = Q(pk__in=[])
    for method, version in versions.items():
        counted |= Q(method=method, version=version)
    scores = Prefetch("scores", queryset=Score.objects.filter(counted), to_attr="counted_scores")
    sentences = Prefetch(
        "translation_scores",
        queryset=TranslationScore.objects.filter(version=VERSION),
        to_attr="counted_sentences",
    )
    wanted = [scores, sentences] if has_translations(run) else [scores]
    here = Q(release_item__in=[placed.pk for placed in items])
    answered = ModelResponse.objects.filter(here, run=run, state=ResponseState.ANSWERED)
    found: dict[int, list[ModelResponse]] = defaultdict(list)
    for rows in (answered.prefetch_related(*wanted), lasting_failures(run).filter(here)):
        for response in rows.defer("body", "tool_calls", "refusal"):
            found[response.release_item_id].append(response)
    for responses in found.values():
        responses.sort(key=lambda response: response.epoch)
    return found


def _question(
    run: Run,
    placed: ReleaseItem,
    responses: Iterable[ModelResponse],
    shots: ShotsBySubject,
    template: Template,
) -> AskedQuestion:
    asked = prompt_item(placed, run.rotation)
    examples = shots.get((placed.subject_id, placed.kind), ())
    return AskedQuestion(
        number=placed.position,
        uid=placed.public_id,
        subject=placed.subject.slug,
        kind=placed.kind,
        text=asked.question,
        choices=asked.options,
        key=asked.key if placed.kind == ItemKind.CHOICE else placed.reference,
        messages=() if run.imported_from else render(asked, template=template, shots=examples),
        rotation=run.rotation,
        answers=tuple(_answer(run, placed, response) for response in responses),
    )


def _answer(run: Run, placed: ReleaseItem, response: ModelResponse) -> GivenAnswer:
    scores = {score.method: score for score in getattr(response, "counted_scores", ())}
    return GivenAnswer(
        epoch=response.epoch,
        text=response.text,
        reasoning=response.reasoning,
        error=response.error,
        is_failed=response.state == ResponseState.FAILED,
        model=response.endpoint_model,
        finish_reason=response.finish_reason,
        prompt_tokens=response.prompt_tokens,
        completion_tokens=response.completion_tokens,
        latency_ms=response.latency_ms,
        scores={
            name: _score(run, placed, scores[name]) for name in methods_of(run) if name in scores
        },
        sentence=next(map(_sentence, getattr(response, "counted_sentences", ())), None),
    )


def _sentence(counted: TranslationScore) -> GivenSentence:
    scores = sentence_scores(counted.counts)
    return GivenSentence(counted.version, scores.bleu, scores.chrf)


def _score(run: Run, placed: ReleaseItem, score: Score) -> GivenScore:
    """Return a score with the letter that the option had in the prompt."""
    is_turned = bool(run.rotation and score.letter) and placed.kind == ItemKind.CHOICE
    count = len(placed.options)
    return GivenScore(
        version=score.version,
        answer=letter_shown(score.letter, count, run.rotation) if is_turned else score.letter,
        is_right=score.is_correct,
        outcome=score.error_kind,
        cause=score.cause,
    )


def _figures(run: Run, *, with_hidden: bool) -> Iterator[MethodFigure]:
    versions = run_counts(run).versions
    for method in methods_of(run):
        if method not in versions:
            continue
        rows = Score.objects.filter(run=run, method=method, version=versions[method]).order_by()
        if not with_hidden:
            rows = rows.exclude(response__release_item__subset=Subset.BLACK_BOX)
        shares = rows.values_list("response__release_item").annotate(
            right=Count("pk", filter=Q(is_correct=True)), asked=Count("pk")
        )
        yield from _figure(method, versions[method], shares.iterator())


def _corpus(run: Run, *, with_hidden: bool) -> CorpusFigure | None:
    """Return BLEU and chrF++ of the answers to these items; None if there are none."""
    found = drawn_scores(run, with_hidden=with_hidden)
    if found is None:
        return None
    words, letters = signature_cells(found.segmenters)
    scores = [CorpusScore("chrf++", found.chrf.value, _deviation(found.chrf), letters)]
    if found.bleu:
        scores.insert(0, CorpusScore("bleu", found.bleu.value, _deviation(found.bleu), words))
    return CorpusFigure(TRANSLATION, VERSION, found.items, tuple(scores))


def _deviation(found: DrawnScores) -> float | None:
    return float(found.drawn.std()) if len(found.drawn) else None


def _figure(
    method: str, version: int, shares: Iterable[tuple[Any, int, int]]
) -> Iterator[MethodFigure]:
    """Yield the figure of a method; none if it has scored nothing."""
    count, total, squares = 0, 0.0, 0.0
    for _item, right, asked in shares:
        share = right / asked
        count, total, squares = count + 1, total + share, squares + share * share
    if not count:
        return
    mean = total / count
    error = None
    if count > 1:
        error = sqrt(max(0.0, squares - count * mean * mean) / (count - 1) / count)
    yield MethodFigure(method, version, count, mean, error)
