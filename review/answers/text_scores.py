"""How near the texts of a comparison are to the approved texts, counted once for any two texts.

Counting takes more than a millisecond for two texts, and a comparison has thousands of them. What
was counted is kept under the hashes of the texts: where some are approved later, only those are
counted.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Q

from annotation.enums import ItemState, SplitName, TranslationState
from annotation.models import Item, Revision
from languages import get_language
from languages.base import Language
from review.models import Round
from scoring.overlap import TextScores, text_counts, text_scores
from scoring.segmenters import segmenter_of

KEPT_SECONDS = 30 * 24 * 3600
READ_AT_ONCE = 500
_SAID = ("question", "options", "answer", "explanation")


class _Pair(NamedTuple):
    """A system's text and the approved text of the same item; `key` is made of their hashes."""

    key: bytes
    ours: int
    reference: int


def scores_by_system(round_: Round) -> Mapping[str, TextScores]:
    """The scores of each system over the compared items that have an approved text.

    Takes two queries, and one more for each 500 pairs of texts that nobody has asked for yet.
    """
    language = get_language(round_.project.target_language)
    name = f"review:text-scores-2:{round_.pk}:{segmenter_of(language)}"
    pairs = _pairs(round_)
    keys = {system: f"{name}:{_digest(some)}" for system, some in pairs.items()}
    kept: dict[str, TextScores] = cache.get_many(keys.values())
    missing = [system for system, key in keys.items() if key not in kept]
    if missing:
        rows = _counts(name, [pair for some in pairs.values() for pair in some], language)
        new = {
            keys[system]: text_scores([rows[pair.key] for pair in pairs[system]])
            for system in missing
        }
        cache.set_many(new, KEPT_SECONDS)
        kept |= new
    return {system: kept[key] for system, key in keys.items()}


def _counts(name: str, pairs: Iterable[_Pair], language: Language) -> dict[bytes, list[int]]:
    """The counts of each pair by its key; those that were counted before are kept."""
    key = f"{name}:counts"
    kept: dict[bytes, list[int]] = cache.get(key) or {}
    new = {pair.key: pair for pair in pairs if pair.key not in kept}
    for start in range(0, len(new), READ_AT_ONCE):
        some = list(new.values())[start : start + READ_AT_ONCE]
        texts = _texts({pk for pair in some for pk in (pair.ours, pair.reference)})
        for pair in some:
            kept[pair.key] = text_counts(texts[pair.ours], texts[pair.reference], language)
    if new:
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def _pairs(round_: Round) -> dict[str, list[_Pair]]:
    """By system the pairs of the compared items that have an approved text, in order of items."""
    approved = Item.objects.filter(
        panels__round=round_, working_translation__state=TranslationState.APPROVED
    )
    text = "working_translation__current_revision"
    references = {
        item: (pk, said)
        for item, pk, said in approved.values_list("pk", text, f"{text}__content_hash")
    }
    compared = Revision.objects.filter(
        Q(translation__item__state=ItemState.ACTIVE, translation__item__split=SplitName.TEST),
        translation__item__in=approved.order_by().values("pk"),
        comparisons__answer__panel__round=round_,
        comparisons__answer__withdrawn_at__isnull=True,
    ).order_by("translation", "number")
    columns = ("translation__system", "translation__item", "pk", "content_hash", "number")
    # The latest of a system's texts, if it was imported anew while the round was open.
    latest = {
        (system, item): (pk, said)
        for system, item, pk, said, _number in compared.values_list(*columns).distinct()
    }
    found: dict[str, list[_Pair]] = defaultdict(list)
    for (system, item), (ours, said) in sorted(latest.items()):
        reference, accepted = references[item]
        found[system].append(_Pair(_hash(f"{said} {accepted}"), ours, reference))
    return found


def _texts(revisions: Iterable[int]) -> dict[int, str]:
    rows = Revision.objects.filter(pk__in=revisions).values_list("pk", *_SAID)
    return {pk: _whole(*said) for pk, *said in rows}


def _whole(question: str, options: list[str], *further: str) -> str:
    return "\n".join([question, *options, *filter(None, further)])


def _digest(pairs: Sequence[_Pair]) -> str:
    return _hash(b"".join(pair.key for pair in pairs)).hex()


def _hash(value: str | bytes) -> bytes:
    return hashlib.sha256(value.encode() if isinstance(value, str) else value).digest()
