"""BLEU and chrF++ of the translations of a run, overall, by direction and by domain."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
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
    NO_TEXTS,
    DrawnScores,
    DrawnTexts,
    Ints,
    SentenceScores,
    TextScores,
    draw_texts,
    score_of,
    sentence_scores,
    text_scores,
)
from scoring.scorers import SCORERS, TRANSLATION

VERSION = int(SCORERS[TRANSLATION].version)
KEEP_SECONDS = 30 * 24 * 3600
Level = Literal["all", "direction", "subject"]
Names = npt.NDArray[np.str_]


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
    """What is counted of the answers of a run; the arrays have a place for each item.

    items: ids of the items with a counted answer, ascending
    counts: a row of `scoring.overlap.text_counts` each, all epochs added up
    segmenters: what cut them for BLEU, one on each line; epochs may differ
    answers: how many there are; empty: how many of them have no text
    """

    items: Ints
    counts: Ints
    directions: Names
    segmenters: Names
    answers: Ints
    empty: Ints

    def of(self, items: Ints) -> Self:
        """Return what is counted of some of the items, which stand in ascending order."""
        return self.at(np.searchsorted(self.items, items))

    def by_direction(self) -> list[tuple[str, Ints]]:
        """Return each direction, where there are several, with the places of its items."""
        names = np.unique(self.directions).tolist()
        return [(name, np.flatnonzero(self.directions == name)) for name in names if len(names) > 1]

    def at(self, places: npt.NDArray[np.integer | np.bool]) -> Self:
        """Return what stands at these places, in their order."""
        return type(self)(*(getattr(self, each.name)[places] for each in fields(self)))


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

    Takes a query, and two more if there are new counts.
    """
    if not has_translations(run):
        return []
    state = _state_of(run)
    key = f"run-translations-2:{state}"
    found: list[TranslationFigures] | None = cache.get(key)
    if found is None:
        found = _figures(run, _kept_counts(run, state))
        cache.set(key, found, KEEP_SECONDS)
    return found


def counted_texts(run: Run) -> Counted:
    """Return what is counted of the answers of a run, from the cache if possible.

    Takes a query, and another one if there are new counts.
    """
    return _kept_counts(run, _state_of(run))


def kept_draws(counts: Ints) -> DrawnTexts:
    """Return the scores of some texts and those of their draws, from the cache if possible.

    They follow from the counts alone, so two views of the same answers share them.
    """
    key = f"translation-draws-1:{blake2b(counts.tobytes(), digest_size=16).hexdigest()}"
    found: DrawnTexts | None = cache.get(key)
    if found is None:
        found = draw_texts(counts)
        cache.set(key, found, KEEP_SECONDS)
    return found


def keep_open_draws(run: Run) -> None:
    """Fill the cache with what comparisons draw for those who may not see figures of hidden items."""
    if not has_translations(run):
        return
    hidden, counted = _hidden_items(run), counted_texts(run)
    shown = counted.at(~np.isin(counted.items, hidden))
    if not hidden or not len(shown.items):
        return
    kept_draws(shown.counts)
    for _direction, places in shown.by_direction():
        kept_draws(shown.at(places).counts)


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of the translations of a run with their draws; without BLEU if they were cut differently."""

    items: int
    segmenters: tuple[str, ...]
    bleu: DrawnScores | None
    chrf: DrawnScores


def drawn_scores(run: Run, *, with_hidden: bool) -> RunScores | None:
    """Return the scores over all items, or all that are not hidden; None without an answer.

    Takes a query, and two more if there are new counts or hidden items are left out.
    """
    if not has_translations(run):
        return None
    counted = counted_texts(run)
    if not with_hidden:
        counted = counted.at(~np.isin(counted.items, _hidden_items(run)))
    if not len(counted.items):
        return None
    drawn = kept_draws(counted.counts)
    return RunScores(
        items=len(counted.items),
        segmenters=segmenters_of(counted),
        bleu=None if are_cut_differently(counted) else drawn.bleu,
        chrf=drawn.chrf,
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


def figures_of(
    level: Level, name: str, asked: Sequence[AskedText], counted: Counted
) -> TranslationFigures:
    """Return the figures of some items; an item counts once, with the answers of all epochs.

    The draws of subjects are not kept: nothing else needs them.
    """
    items = np.array([each.item for each in asked], dtype=np.int64)
    there = counted.at(np.isin(counted.items, items))
    scores = text_scores(there.counts) if level == "subject" else _kept_scores(there.counts)
    return TranslationFigures(
        level=level,
        name=name,
        items=len(there.items),
        left_out=len(asked) - len(there.items),
        answers=int(there.answers.sum()),
        empty=int(there.empty.sum()),
        segmenters=segmenters_of(there),
        scores=scores._replace(bleu=None) if are_cut_differently(there) else scores,
    )


def segmenters_of(*counted: Counted) -> tuple[str, ...]:
    """Return what cut these texts, by name."""
    return tuple(sorted({segmenter for _direction, segmenter in _cuts(counted)}))


def are_cut_differently(*counted: Counted) -> bool:
    """Whether several segmenters cut the texts of a direction, so that BLEU would compare them."""
    cuts = _cuts(counted)
    return len(cuts) > len({direction for direction, _segmenter in cuts})


def _cuts(counted: Iterable[Counted]) -> set[tuple[str, str]]:
    """Return each direction with each segmenter that cut texts of it."""
    found: set[tuple[str, str]] = set()
    for each in counted:
        found.update(zip(each.directions.tolist(), each.segmenters.tolist(), strict=True))
    return {(direction, name) for direction, names in found for name in names.split("\n")}


def by_name(
    asked: Iterable[AskedText], name: Callable[[AskedText], str]
) -> dict[str, list[AskedText]]:
    """Return the items by name, in the order of the names."""
    found: dict[str, list[AskedText]] = {}
    for each in asked:
        found.setdefault(name(each), []).append(each)
    return dict(sorted(found.items()))


def _state_of(run: Run) -> str:
    """Return what identifies the counts of a run: they are never changed or deleted."""
    newest = TranslationScore.objects.filter(run=run, version=VERSION).aggregate(Max("pk"))
    return f"{run.pk}:{run.started_at.timestamp()}:{newest['pk__max']}"


def _kept_counts(run: Run, state: str) -> Counted:
    key = f"run-translation-counts-1:{state}"
    found: Counted | None = cache.get(key)
    if found is None:
        found = _counted(run)
        cache.set(key, found, KEEP_SECONDS)
    return found


def _figures(run: Run, counted: Counted) -> list[TranslationFigures]:
    if not len(counted.items):
        return []
    found = dict(zip(counted.items.tolist(), counted.directions.tolist(), strict=True))
    # The direction that an answer was counted in is the one that counts.
    asked = [
        replace(each, direction=found.get(each.item, each.direction)) for each in asked_texts(run)
    ]
    directions = by_name(asked, lambda each: each.direction)
    subjects = by_name(asked, lambda each: each.subject)
    return [
        figures_of("all", "", asked, counted),
        *(figures_of("direction", name, some, counted) for name, some in directions.items()),
        *(figures_of("subject", name, some, counted) for name, some in subjects.items()),
    ]


def _counted(run: Run) -> Counted:
    rows = TranslationScore.objects.filter(run=run, version=VERSION).order_by("pk")
    columns = ("response__release_item__item_id", "counts", "direction", "segmenter", "is_empty")
    read = list(rows.values_list(*columns).iterator(chunk_size=5_000))
    item, counts, direction, segmenter, is_empty = zip(*read, strict=True) if read else [()] * 5
    items, first, places = np.unique(
        np.array(item, dtype=np.int64), return_index=True, return_inverse=True
    )
    return Counted(
        items=items,
        counts=_added(places, np.array(counts, dtype=np.int64)),
        directions=np.array(direction, dtype=np.str_)[first],
        segmenters=_joined(places, segmenter, len(items)),
        answers=np.bincount(places),
        empty=_added(places, np.array(is_empty, dtype=np.int64)),
    )


def _hidden_items(run: Run) -> list[int]:
    return [each.item for each in asked_texts(run) if each.is_hidden]


def _joined(places: Ints, names: Sequence[str], count: int) -> Names:
    """Return the names at each of `count` places, each once and on a line of its own."""
    found: list[set[str]] = [set() for _place in range(count)]
    for place, name in zip(places.tolist(), names, strict=True):
        found[place].add(name)
    return np.array(["\n".join(sorted(each)) for each in found], dtype=np.str_)


def _added(places: Ints, values: Ints) -> Ints:
    """Add up the rows of each place."""
    found = np.zeros((len(set(places.tolist())), *values.shape[1:]), dtype=np.int64)
    np.add.at(found, places, values)
    return found


def _kept_scores(counts: Ints) -> TextScores:
    if not len(counts):
        return NO_TEXTS
    drawn = kept_draws(counts)
    return TextScores(score_of(drawn.bleu), score_of(drawn.chrf), len(counts))
