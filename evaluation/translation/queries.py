"""BLEU and chrF++ of the translations of a run, overall, by direction and by domain."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from django.core.cache import cache
from django.db.models import Max

from annotation.enums import ItemKind, SplitName
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run, TranslationScore
from evaluation.queries import is_asked
from releases.enums import Subset
from releases.models import ReleaseItem
from scoring.directions import Direction
from scoring.overlap import (
    BLEU_COUNTS,
    DrawnScores,
    Ints,
    SentenceScores,
    TextScores,
    bleu,
    chrf,
    draw_scores,
    sentence_scores,
    text_scores,
)
from scoring.scorers import SCORERS, TRANSLATION

VERSION = int(SCORERS[TRANSLATION].version)
KEEP_SECONDS = 30 * 24 * 3600
Level = Literal["all", "direction", "subject"]


@dataclass(frozen=True, slots=True)
class AskedText:
    """An item that a run asks to translate: its direction, and its subject, which is the domain."""

    item: int
    uid: str
    direction: str
    subject: str
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted of the answers of a run to one item, all epochs added up.

    segmenters: what cut them for BLEU, usually one
    answers: how many there are; empty: how many of them have no text
    """

    counts: Ints
    direction: str
    segmenters: frozenset[str]
    answers: int
    empty: int


@dataclass(frozen=True, slots=True)
class TranslationFigures:
    """The figures of some items of a run; `name` is empty for all of them.

    items: those with a counted answer; left_out: those without one
    empty: answers without text, which count as an empty translation
    segmenters: what cut the texts for BLEU, one for each target language; if texts of a direction
    were cut by several, they have no BLEU
    """

    level: Level
    name: str
    items: int
    left_out: int
    answers: int
    empty: int
    segmenters: tuple[str, ...]
    scores: TextScores


def has_translations(run: Run) -> bool:
    """Whether a run asks for translations."""
    return TRANSLATION in run.methods


def translation_figures(run: Run) -> list[TranslationFigures]:
    """Return the figures of all items, of each direction and of each domain; none without an answer.

    Takes a query, and two more if there are new counts: they are never changed or deleted, so the
    newest id identifies a state of the run.
    """
    if not has_translations(run):
        return []
    newest = TranslationScore.objects.filter(run=run, version=VERSION).aggregate(Max("pk"))
    key = f"run-translations-2:{run.pk}:{run.started_at.timestamp()}:{newest['pk__max']}"
    found: list[TranslationFigures] | None = cache.get(key)
    if found is None:
        found = _figures(run)
        cache.set(key, found, KEEP_SECONDS)
    return found


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of the translations of a run with their draws; without BLEU if they were cut differently."""

    items: int
    segmenters: tuple[str, ...]
    bleu: DrawnScores | None
    chrf: DrawnScores


def drawn_scores(run: Run, *, with_hidden: bool) -> RunScores | None:
    """Return the scores over all items, or all that are not hidden; None without an answer.

    Takes 2 queries.
    """
    if not has_translations(run):
        return None
    counted = counted_items(run)
    asked = [each for each in asked_texts(run) if with_hidden or not each.is_hidden]
    there = [counted[each.item] for each in asked if each.item in counted]
    if not there:
        return None
    rows = np.array([each.counts for each in there], dtype=np.int64)
    words = draw_scores(bleu(), rows[:, :BLEU_COUNTS])
    return RunScores(
        items=len(there),
        segmenters=segmenters_of(there),
        bleu=None if are_cut_differently(there) else words,
        chrf=draw_scores(chrf(), rows[:, BLEU_COUNTS:]),
    )


@dataclass(frozen=True, slots=True)
class SentenceFigures:
    """The sentence-level scores of one answer, and what cut it for BLEU."""

    direction: str
    segmenter: str
    scores: SentenceScores


def sentence_figures(response: ModelResponse) -> SentenceFigures | None:
    """Return the sentence-level scores of an answer; None if it is no translation. Takes a query."""
    if response.release_item.kind != ItemKind.TRANSLATION:
        return None
    counted = TranslationScore.objects.filter(response=response, version=VERSION).first()
    if counted is None:
        return None
    return SentenceFigures(counted.direction, counted.segmenter, sentence_scores(counted.counts))


def answers_counted(run: Run) -> tuple[int, int]:
    """Return how many answers to such items a run has, and of how many the counts are stored."""
    answers = ModelResponse.objects.filter(
        run=run, state=ResponseState.ANSWERED, release_item__kind=ItemKind.TRANSLATION
    )
    counted = TranslationScore.objects.filter(run=run, version=VERSION)
    return answers.count(), counted.count()


def asked_texts(run: Run) -> list[AskedText]:
    """Return the items that a run asks to translate, in the order of the release."""
    rows = ReleaseItem.objects.filter(
        is_asked(run.methods),
        release=run.release_id,
        split=SplitName.TEST,
        kind=ItemKind.TRANSLATION,
    )
    columns = ("item_id", "uid", "subject__name", "subset", "source_language", "target_language")
    return [
        AskedText(item, uid, str(Direction(*languages)), subject, subset == Subset.BLACK_BOX)
        for item, uid, subject, subset, *languages in rows.order_by("position").values_list(
            *columns
        )
    ]


def counted_items(run: Run) -> dict[int, Counted]:
    """Return item → what is counted of its answers. Takes a query."""
    rows = TranslationScore.objects.filter(run=run, version=VERSION).order_by("pk")
    columns = ("response__release_item__item_id", "counts", "direction", "segmenter", "is_empty")
    found: dict[int, Counted] = {}
    for item, counts, direction, segmenter, is_empty in rows.values_list(*columns).iterator(
        chunk_size=5_000
    ):
        new = Counted(
            np.array(counts, dtype=np.int64), direction, frozenset({segmenter}), 1, int(is_empty)
        )
        found[item] = _added(found[item], new) if item in found else new
    return found


def figures_of(
    level: Level, name: str, asked: Sequence[AskedText], counted: Mapping[int, Counted]
) -> TranslationFigures:
    """Return the figures of some items; an item counts once, with the answers of all epochs."""
    there = [counted[each.item] for each in asked if each.item in counted]
    scores = text_scores(np.array([each.counts for each in there], dtype=np.int64))
    return TranslationFigures(
        level=level,
        name=name,
        items=len(there),
        left_out=len(asked) - len(there),
        answers=sum(each.answers for each in there),
        empty=sum(each.empty for each in there),
        segmenters=segmenters_of(there),
        scores=scores._replace(bleu=None) if are_cut_differently(there) else scores,
    )


def segmenters_of(counted: Iterable[Counted]) -> tuple[str, ...]:
    """Return what cut these texts, by name."""
    return tuple(sorted({name for each in counted for name in each.segmenters}))


def are_cut_differently(counted: Iterable[Counted]) -> bool:
    """Whether several segmenters cut the texts of a direction, so that BLEU would compare them."""
    found: dict[str, set[str]] = {}
    for each in counted:
        found.setdefault(each.direction, set()).update(each.segmenters)
    return any(len(names) > 1 for names in found.values())


def by_name(
    asked: Iterable[AskedText], name: Callable[[AskedText], str]
) -> dict[str, list[AskedText]]:
    """Return the items by name, in the order of the names."""
    found: dict[str, list[AskedText]] = {}
    for each in asked:
        found.setdefault(name(each), []).append(each)
    return dict(sorted(found.items()))


def _figures(run: Run) -> list[TranslationFigures]:
    counted = counted_items(run)
    if not counted:
        return []
    asked = [_as_counted(each, counted) for each in asked_texts(run)]
    directions = by_name(asked, lambda each: each.direction)
    subjects = by_name(asked, lambda each: each.subject)
    return [
        figures_of("all", "", asked, counted),
        *(figures_of("direction", name, some, counted) for name, some in directions.items()),
        *(figures_of("subject", name, some, counted) for name, some in subjects.items()),
    ]


def _as_counted(asked: AskedText, counted: Mapping[int, Counted]) -> AskedText:
    """Return an item with the direction that its answer was counted in."""
    there = counted.get(asked.item)
    return asked if there is None else replace(asked, direction=there.direction)


def _added(one: Counted, other: Counted) -> Counted:
    return Counted(
        one.counts + other.counts,
        one.direction,
        one.segmenters | other.segmenters,
        one.answers + other.answers,
        one.empty + other.empty,
    )
