"""The texts of released items that a model may know, and controls of like length for some of them."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from django.db.models import QuerySet

from annotation.enums import TextSide
from annotation.making.rows import without_nul
from evaluation.models import Run
from evaluation.queries import asked_items
from projects.models import Project
from releases.models import Release, ReleaseItem
from scoring.min_k import match_by_length

MOST_CONTROLS: Final = 20_000
"""Of more texts, only the first are looked at."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A text to weigh; `placed` is the id of the released item, None for a text that a person gave."""

    text: str
    placed: int | None = None


@dataclass(frozen=True, slots=True)
class Pairs:
    """Items, each with its control; `unmatched` counts the drawn items that have none."""

    found: tuple[tuple[Chosen, Chosen], ...]
    unmatched: int


def language_of(project: Project, side: str) -> str:
    return project.target_language if side == TextSide.TARGET else project.source_language


def with_side(rows: QuerySet[ReleaseItem], side: str) -> QuerySet[ReleaseItem]:
    """Return the rows of `release_items` with all that `text_of` reads."""
    return rows.defer(None) if side == TextSide.SOURCE else rows


def text_of(placed: ReleaseItem, side: str) -> str:
    """Return question and options, a line each."""
    if side == TextSide.SOURCE:
        return "\n".join((placed.source_question, *placed.source_options))
    return "\n".join((placed.revision.question, *placed.options))


def choose_pairs(
    run: Run,
    control: Release | None,
    texts: Iterable[str],
    *,
    side: str,
    most: int,
    seed: int,
) -> Pairs:
    """Draw up to `most` of the items that the run asks, and match each with a control text.

    Controls are items of `control` that are not in the run's release, and each line of `texts`; none
    is equal to a drawn item, and none is used twice.
    """
    items = _drawn(run, side, most, seed)
    own = {item.text for item in items}
    pool = chain(_items(run, control, side) if control else (), map(Chosen, _lines(texts)))
    others = {each.text: each for each in islice(pool, MOST_CONTROLS) if each.text not in own}
    controls = list(others.values())
    places = match_by_length(
        [len(each.text) for each in items], [len(each.text) for each in controls]
    )
    found = tuple(
        (item, controls[place])
        for item, place in zip(items, places, strict=True)
        if place is not None
    )
    return Pairs(found, len(items) - len(found))


def _drawn(run: Run, side: str, most: int, seed: int) -> list[Chosen]:
    rows = asked_items(run.release, run.methods)
    ids = list(rows.values_list("pk", flat=True))
    drawn = random.Random(seed).sample(ids, min(most, len(ids)))
    return _chosen(with_side(rows.filter(pk__in=drawn), side), side)


def _items(run: Run, control: Release, side: str) -> list[Chosen]:
    own = run.release.items.values("item")
    rows = asked_items(control, run.methods).exclude(item__in=own)
    return _chosen(with_side(rows, side)[:MOST_CONTROLS], side)


def _chosen(rows: QuerySet[ReleaseItem], side: str) -> list[Chosen]:
    texts = ((text_of(placed, side).strip(), placed.pk) for placed in rows)
    return [Chosen(text, pk) for text, pk in texts if text]


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from filter(None, without_nul(text.splitlines()))
