"""The translations that a strategy made of an item on its way to a text, and the ranks that it gave them."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from django.db.models import Q

from annotation.asking.answers import Unusable
from annotation.asking.plans import TRIES
from annotation.enums import CallState
from annotation.memory.likeness import grams, likeness
from annotation.models import Item, Revision, TranslatedItem, TranslationCall
from annotation.translating.briefs import source_of, text_of
from annotation.translating.strategies import (
    order_of_ranks,
    order_of_scores,
    read_ranking,
    read_scores,
)
from annotation.translating.texts import (
    ItemText,
    Source,
    read_translation,
    unchecked_translation,
)

_CANDIDATE, _RANK, _SCORE = "candidate.", "rank.", "score"
_STEPS: Final = Q(step__startswith=_CANDIDATE) | Q(step="translate")
_RANKED_STEPS: Final = (
    Q(step__startswith=_CANDIDATE) | Q(step__startswith=_RANK) | Q(step=_SCORE)
)  # fmt: skip
LastAnswers = Mapping[str, tuple[int, str]]
"""The last attempt at each step, and its answer."""


def other_candidates(item: Item, revision: Revision) -> Sequence[ItemText]:
    """Return the candidates that became neither this text nor one of its revisions; two queries.

    Their order says nothing: it is that of their digests, so nobody sees a rank. Candidates that could
    not be stored are left out.
    """
    calls = TranslationCall.objects.filter(
        _STEPS,
        state=CallState.ANSWERED,
        translated_item__item=item,
        translated_item__revision__translation=revision.translation_id,
    )
    answers = list(calls.order_by("pk").values_list("text", flat=True))
    if not answers:
        return []
    taken = {_folded(text_of(revision))}
    for row in Revision.objects.filter(translation=revision.translation_id):
        taken.add(_folded(text_of(row)))
    source = source_of(item)
    found: dict[str, ItemText] = {}
    for answer in answers:
        try:
            text = read_translation(answer, source)
        except Unusable:
            continue
        found.setdefault(_folded(text), text)
    return [found[key] for key in sorted(found.keys() - taken, key=_digest)]


def ranked_candidates(rows: Sequence[TranslatedItem]) -> dict[int, list[ItemText]]:
    """Return the different candidates of each translated item, the best first; one query.

    Of candidates with the same text the best counts. An item has none if its strategy gave no ranks:
    `fuse` never does, and others do not if a single candidate could be used.
    """
    calls = TranslationCall.objects.filter(
        _RANKED_STEPS, state=CallState.ANSWERED, translated_item__in=rows
    )
    columns = ("translated_item", "step", "attempt", "text")
    last: dict[int, dict[str, tuple[int, str]]] = defaultdict(dict)
    for pk, step, attempt, text in calls.order_by("attempt", "pk").values_list(*columns):
        last[pk][step] = attempt, text
    return {row.pk: _ranked(source_of(row.item), last.get(row.pk, {})) for row in rows}


def nearest(texts: Sequence[ItemText], chosen: ItemText) -> int | None:
    """Return the place of the text that is most like `chosen`, by trigrams; None if several are."""
    same = [place for place, text in enumerate(texts) if _folded(text) == _folded(chosen)]
    if same:
        return same[0]
    wanted = grams(_whole(chosen))
    found = [likeness(grams(_whole(text)), wanted) for text in texts]
    best = max(found, default=0.0)
    return found.index(best) if best and found.count(best) == 1 else None


def _ranked(source: Source, last: LastAnswers) -> list[ItemText]:
    texts: list[ItemText] = []
    for step in sorted(step for step in last if step.startswith(_CANDIDATE)):
        try:
            texts.append(_usable(last[step], source))
        except Unusable:
            continue
    found: dict[str, ItemText] = {}
    for place in _order(last, len(texts)):
        found.setdefault(_folded(texts[place]), texts[place])
    return list(found.values())


def _usable(last: tuple[int, str], source: Source) -> ItemText:
    """Return the candidate of a last answer: of a step that was not asked again, it was usable."""
    attempt, answer = last
    read = read_translation if attempt == TRIES else unchecked_translation
    return read(answer, source)


def _order(last: LastAnswers, count: int) -> list[int]:
    """Return the places of the candidates, the best first, as the strategy put them.

    None where its answers cannot be read, or fewer candidates can be used than it saw.
    """
    if _SCORE in last:
        try:
            return order_of_scores(read_scores(last[_SCORE][1], count))
        except Unusable:
            return []
    rankings: dict[int, list[int]] = {}
    for step in (step for step in last if step.startswith(_RANK)):
        try:
            rankings[int(step.removeprefix(_RANK))] = read_ranking(last[step][1], count)
        except Unusable:
            continue
    return order_of_ranks(count, rankings) if rankings else []


def _folded(text: ItemText) -> str:
    return unicodedata.normalize("NFC", text.as_json())


def _whole(text: ItemText) -> str:
    return " ".join((text.question, *text.options, text.answer, text.explanation))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
