"""Public pages of what changed, as a page and as a Markdown file."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from releases.changes.presenters import change_tables, changes_by_subject
from releases.changes.public import LISTED, PublicPair, public_changelog, public_pair
from releases.public.access import release_for_everybody
from releases.public.kept_answers import kept_page, not_for_search
from releases.public.views import page_context

SHOWN = 50


@login_not_required
@require_safe
def changes(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """Show what changed since an earlier public release, the nearest unless the address names one."""
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
    answer = kept_page(request, "releases/changes/public_changes.html", parts=parts, read=read)
    return not_for_search(answer)


@login_not_required
@require_safe
def changelog(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """Send the difference as a Markdown file, with the canary because it holds texts."""
    return public_changelog(request, _asked(request, slug, version))


def _asked(request: HttpRequest, slug: str, version: str) -> PublicPair:
    found = public_pair(release_for_everybody(slug, version), request.GET.get("since", ""))
    if found is None:
        raise Http404
    return found
