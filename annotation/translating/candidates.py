"""The other translations that a strategy made of a text on its way, to choose from when it is corrected."""

import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from django.db.models import Q

from annotation.asking.answers import Unusable
from annotation.enums import CallState
from annotation.models import Item, Revision, TranslationCall
from annotation.translating.briefs import source_of, text_of
from annotation.translating.texts import ItemText, read_translation

_STEPS: Final = Q(step__startswith="candidate.") | Q(step="translate")


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


def _folded(text: ItemText) -> str:
    return unicodedata.normalize("NFC", text.as_json())


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
