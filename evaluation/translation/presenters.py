"""What the page of a run shows of its translations."""

from evaluation.models import Run
from evaluation.translation.queries import has_translations
from evaluation.translation.tables import translation_table
from review.figures.presenters import table_views

FILE_FORMATS = (("csv", "CSV"), ("latex", "LaTeX"), ("markdown", "Markdown"))


def translation_context(run: Run) -> dict[str, object]:
    """Return the context of `evaluation/translation/scores.html`; empty if the run asks for none."""
    if not has_translations(run):
        return {}
    table = translation_table(run)
    return {
        "translations": table_views(table),
        "translation_note": table.note,
        "translation_formats": FILE_FORMATS,
    }
