"""Other translations of an item that a reviewer may start a correction from.

They bear no name, rank or number of a system or a model, and come only after the source is shown.
"""

from collections.abc import Sequence

from annotation.translating.candidates import other_candidates
from review.models import Assignment
from review.outcomes import Correction
from review.workbench.presenters import load_texts, revealed_after


def proposals_of(seat: Assignment) -> Sequence[Correction]:
    """Return the proposals for the text of a seat, none while the source is hidden."""
    if revealed_after(seat) is None:
        return []
    panel = load_texts(seat).panel
    texts = other_candidates(panel.item, panel.revision)
    return [
        Correction(text.question, text.options, text.answer or None, text.explanation or None)
        for text in texts
    ]
