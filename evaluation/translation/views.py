"""The scores of the translations of a run as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from common.figure_tables import FORMATS, table_file
from evaluation.selectors import run_for
from evaluation.translation.tables import NAME, translation_table

VIEW = "evaluation.view_run"


@require_safe
def translation_file(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponse:
    """BLEU and chrF++ overall, by direction and by domain; without text of items."""
    run = run_for(current_user(request), slug, pk, VIEW)
    if name not in FORMATS:
        raise Http404
    file = table_file([translation_table(run)], name, stem=f"{slug}-run-{run.pk}-{NAME}")
    response = HttpResponse(file.text, content_type=f"{file.media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response
