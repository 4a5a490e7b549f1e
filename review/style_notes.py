"""Tell annotation the guideline of a project, for the prompts of models that translate."""

from annotation.style_notes import declare_style_notes
from review.models import Guideline


def guideline_text(project: int) -> str:
    """Return the text of the latest guideline; empty before a round opens, if nobody wrote one."""
    rows = Guideline.objects.filter(project=project).order_by("-version")
    return rows.values_list("text", flat=True).first() or ""


declare_style_notes(guideline_text)
