"""Translation memory and concordance: what this project has already translated, read from its items.

Both read the texts under review of active items, as the list of items does. Corrections that wait for
their panel are in none of them: they become such a text only when the panel is settled.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from annotation.enums import TranslationState
from annotation.items.queries import ItemFilter, filtered_items
from annotation.items.search import SOURCES, rows_with_each
from annotation.memory.likeness import MOST_WINDOWS, grams, likeness, windows
from annotation.models import Item
from annotation.search_text import folded
from projects.models import Project

MOST_MATCHES: Final = 8
LEAST_LIKENESS: Final = 0.3
LONGEST_TEXT: Final = 5_000
_MOST_CANDIDATES: Final = 400
_MOST_COMPARED: Final = 60
_CHUNK: Final = 100
_WINDOWS_OF_REST: Final = 8
_LEAST_LETTERS: Final = 16  # shorter options and answers are alike without meaning the same
QUESTION = "question"
PARTS: Final = (QUESTION, "options", "answer", "explanation")
APPROVED, ALL = "approved", "all"
BOTH, SOURCE, TARGET = "both", "source", "target"


@dataclass(frozen=True, slots=True)
class Match:
    """An approved item that is like a text; `likeness` is from 0 to 1, `part` one of PARTS."""

    item: Item
    likeness: float
    part: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordance:
    """A search: `side` is both, source or target, `scope` approved or all."""

    q: str
    side: str = BOTH
    scope: str = APPROVED


def similar_to(project: Project, item: Item | None, text: str) -> list[Match]:
    """Return approved items like `text`, or like `item` where no text is given; the item is none of them."""
    if item is not None and not text:
        return items_like(project, item)
    return similar_items(project, text, leaving_out=item.pk if item else 0)


def similar_items(project: Project, text: str, *, leaving_out: int = 0) -> list[Match]:
    """Return approved items with a text like `text`, the most similar first; `leaving_out` is an item's id."""
    text = text[:LONGEST_TEXT]
    return _matches(project, windows(text), dict.fromkeys(PARTS, text), leaving_out)


def items_like(project: Project, item: Item) -> list[Match]:
    """Return approved items with a question like this item's, or with options, answer or explanation like its own."""
    texts = {part: text[:LONGEST_TEXT] for part, text in _parts(item).items()}
    rest = "\n".join(text for part, text in texts.items() if part != QUESTION)
    asked = [*windows(texts[QUESTION], MOST_WINDOWS - _WINDOWS_OF_REST)]
    asked += windows(rest, _WINDOWS_OF_REST)
    return _matches(project, asked, texts, item.pk)


def _matches(
    project: Project, asked: Sequence[str], texts: Mapping[str, str], leaving_out: int
) -> list[Match]:
    """Return the items that are most like `texts`, each compared with the same part of an item.

    The index of trigrams names the items that have a few of the parts `asked`, and those that have
    most are compared. Parts that very many items share are left out: they say nothing.
    """
    found: Counter[int] = Counter()
    for rows in rows_with_each(asked, SOURCES):
        found.update(rows)
    found.pop(leaving_out, None)
    wanted = {part: grams(text) for part, text in texts.items()}
    matches = [_match(item, wanted) for item in _candidates(project, found)]
    matches = [match for match in matches if match.likeness >= LEAST_LIKENESS]
    matches.sort(key=lambda match: (-match.likeness, match.item.pk))
    return matches[:MOST_MATCHES]


def _match(item: Item, wanted: Mapping[str, Counter[str]]) -> Match:
    """Return the item with its part that is most like what is wanted; of several alike the first."""
    scores = {
        part: likeness(wanted[part], grams(text))
        for part, text in _parts(item).items()
        if part == QUESTION or sum(map(str.isalpha, text)) >= _LEAST_LETTERS
    }
    part = max(scores, key=lambda name: scores[name])
    return Match(item, scores[part], part)


def _parts(item: Item) -> dict[str, str]:
    return dict(
        zip(
            PARTS,
            (item.question, "\n".join(item.options), item.answer, item.explanation),
            strict=True,
        )
    )


def concordance(project: Project, wanted: Concordance) -> QuerySet[Item]:
    """Return the translated items with a text in any of theirs, or a translation of it; order by uid_order."""
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
    """Return the approved items of the project among those that share most parts, read in a few queries.

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
