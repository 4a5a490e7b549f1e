"""The public pages of what changed: as a page and as a Markdown file; the API gives it as JSON."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from releases.change_tables import change_tables, changes_by_subject
from releases.changelog import as_markdown
from releases.content import release_facts
from releases.kept_answers import kept, kept_page, not_for_search
from releases.public_changes import LISTED, PublicPair, public_pair
from releases.readers.pages import page_context
from releases.selectors import release_for_everybody

SHOWN = 50


@login_not_required
@require_safe
def changes(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """What changed since an earlier public release, the nearest unless the address names one."""
    pair = _asked(request, slug, version)

    def read() -> dict[str, Any]:
        told = pair.difference(most=SHOWN)
        tables = change_tables(told)
        return {
            **page_context(request, pair.release),
            "earlier": pair.earlier,
            "found": told,
            "changes": tables,
            "subjects": changes_by_subject(pair.release, told),
            "has_file": all(table.count - table.hidden <= LISTED for table in tables),
        }

    parts = [*pair.parts, [row.version for row in pair.earlier], pair.release.state]
    answer = kept_page(request, "releases/public/changes.html", parts=parts, read=read)
    return not_for_search(answer)


@login_not_required
@require_safe
def changelog(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """The same as a Markdown file with the canary, because it holds texts."""
    pair = _asked(request, slug, version)

    def make() -> HttpResponse:
        told = pair.difference()
        text = as_markdown(told, canary=release_facts(pair.release).canary)
        name = f"{slug}-{told.before}-{told.after}.md"
        response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    return not_for_search(kept(request, parts=[*pair.parts, "markdown"], make=make))


def _asked(request: HttpRequest, slug: str, version: str) -> PublicPair:
    """Raises Http404."""
    found = public_pair(release_for_everybody(slug, version), request.GET.get("since", ""))
    if found is None:
        raise Http404
    return found
