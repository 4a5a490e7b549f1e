"""Stores what BLEU and chrF++ count of the answers to items that ask for a translation."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q

from annotation.enums import ItemKind
from evaluation.models import ModelResponse, Run, TranslationScore
from evaluation.translation.queries import VERSION
from languages import get_language
from scoring.overlap import text_counts
from scoring.scorers import TRANSLATION
from scoring.scorers.reasoning import answer_text
from scoring.segmenters import segmenter_of

BATCH = 500


def store_translations(run: Run, responses: Iterable[ModelResponse]) -> None:
    """Store the counts of each response to an item that asks for a translation, keeping existing ones.

    Keyed by (response, version). Does nothing for a run without the method `translation`, and for
    items without a reference. The released item of each response must be loaded, with its revision.
    """
    if TRANSLATION not in run.methods:
        return
    asked = (each for each in responses if each.release_item.kind == ItemKind.TRANSLATION)
    rows = [_counted(run, each) for each in asked if each.release_item.reference]
    TranslationScore.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)


def lacks_counts() -> Q:
    """Return the condition of answers whose counts `store_translations` has still to store."""
    there = TranslationScore.objects.filter(response=OuterRef("pk"), version=VERSION)
    return (
        ~Q(Exists(there))
        & Q(release_item__kind=ItemKind.TRANSLATION)
        & ~Q(release_item__revision__answer="")
    )


def _counted(run: Run, response: ModelResponse) -> TranslationScore:
    placed = response.release_item
    language = get_language(placed.target_language)
    text = answer_text(response.text, is_published=run.is_published).strip()
    return TranslationScore(
        response=response,
        run=run,
        version=VERSION,
        direction=str(placed.direction),
        segmenter=segmenter_of(language),
        counts=text_counts(text, placed.reference.strip(), language),
        is_empty=not text,
    )
