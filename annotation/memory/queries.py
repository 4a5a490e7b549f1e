"""Translation memory and concordance: what this project has already translated, read from its items.

Both read the texts under review of active items, as the list of items does. Corrections that wait for
their panel are in none of them: they become such a text only when the panel is settled.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from annotation.enums import TranslationState
from annotation.items.queries import ItemFilter, filtered_items
from annotation.items.search import SOURCES, rows_with_each
from annotation.items.search_text import folded
from annotation.memory.likeness import grams, likeness, windows
from annotation.models import Item
from projects.models import Project

MOST_MATCHES: Final = 8
LEAST_LIKENESS: Final = 0.3
LONGEST_TEXT: Final = 5_000
_MOST_CANDIDATES: Final = 400
_MOST_COMPARED: Final = 60
_CHUNK: Final = 100
APPROVED, ALL = "approved", "all"
BOTH, SOURCE, TARGET = "both", "source", "target"


@dataclass(frozen=True, slots=True)
class Match:
    """An approved item that is like a text; `likeness` is from 0 to 1."""

    item: Item
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordance:
    """What to look for: `side` is both, source or target, `scope` approved or all."""

    q: str
    side: str = BOTH
    scope: str = APPROVED


def similar_items(project: Project, text: str, *, leaving_out: int = 0) -> list[Match]:
    """Approved items whose question is like `text`, the most similar first; `leaving_out` is an item's id.

    The index of trigrams names the items that share a few parts of the text, and those that share
    most are compared. Parts that very many items share are left out: they say nothing.
    """
    text = text[:LONGEST_TEXT]
    found: Counter[int] = Counter()
    for rows in rows_with_each(windows(text), SOURCES):
        found.update(rows)
    found.pop(leaving_out, None)
    wanted = grams(text)
    matches = [
        Match(item, score)
        for item in _candidates(project, found)
        if (score := likeness(wanted, grams(item.question))) >= LEAST_LIKENESS
    ]
    matches.sort(key=lambda match: (-match.likeness, match.item.pk))
    return matches[:MOST_MATCHES]


def concordance(project: Project, wanted: Concordance) -> QuerySet[Item]:
    """The translated items with a text in a question or its translation; order by uid_order."""
    state = TranslationState.APPROVED if wanted.scope == APPROVED else ""
    rows = filtered_items(project, ItemFilter(q=wanted.q, state=state)).active().translated()  # type: ignore[attr-defined]
    text = folded(wanted.q)
    if wanted.side == SOURCE:
        rows = rows.filter(search_text__text__contains=text)
    if wanted.side == TARGET:
        rows = rows.filter(working_translation__search_text__text__contains=text)
    found: QuerySet[Item] = rows
    return found


def _candidates(project: Project, found: Counter[int]) -> list[Item]:
    """The approved items of the project among those that share most parts, read in a few queries.

    The index knows nothing of projects, so items of others are among those that it names.
    """
    ranked = [pk for pk, _shared in found.most_common(_MOST_CANDIDATES)]
    items: list[Item] = []
    for start in range(0, len(ranked), _CHUNK):
        rows = Item.objects.filter(project=project, pk__in=ranked[start : start + _CHUNK])
        items += rows.active().approved().select_related("working_translation__current_revision")
        if len(items) >= _MOST_COMPARED:
            break
    return items
