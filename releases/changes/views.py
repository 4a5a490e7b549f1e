"""Pages of what changed between two releases, for members."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from releases.changes.changelog import send_markdown
from releases.changes.differences import compared, earlier_releases
from releases.changes.presenters import change_tables, changes_by_subject
from releases.public.access import VIEW
from releases.selectors import release_for

CHANGES_SHOWN = 50


@require_safe
def changes(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show what changed since an earlier release, the one before unless the address names another."""
    user = current_user(request)
    release = release_for(user, slug, version, VIEW)
    earlier = earlier_releases(user, release)
    since = request.GET.get("since", "")
    found = compared(user, release, since=since, most=CHANGES_SHOWN)
    if release.frozen_at is None or (since and found is None):
        raise Http404
    context = {
        "project": release.project,
        "section": "releases",
        "release": release,
        "earlier": earlier,
        "found": found,
        "changes": change_tables(found) if found else [],
        "subjects": changes_by_subject(release, found) if found else [],
    }
    return render(request, "releases/changes/changes.html", context)


@require_safe
def changelog(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Send the whole difference as a Markdown file."""
    user = current_user(request)
    release = release_for(user, slug, version, VIEW)
    found = compared(user, release, since=request.GET.get("since", ""), most=None)
    if found is None:
        raise Http404
    return send_markdown(slug, found)
