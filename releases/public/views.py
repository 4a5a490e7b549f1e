"""Public pages of releases, which anybody may read and keep: no session, no form, few queries."""

from typing import Any
from urllib.parse import quote

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from common.pagination import listed_page
from languages.letters import LETTERS
from projects.models import Project
from releases.enums import ChangeKind
from releases.files.content import release_facts
from releases.files.downloads import send_artifact
from releases.files.exporters.configurations import LOADABLE
from releases.links import release_links
from releases.models import ProblemReport, Release, ReleaseItem
from releases.public.access import release_for_everybody
from releases.public.card import card_of
from releases.public.charts import charts_of
from releases.public.items import file_groups, neighbours, open_item, open_items, shown_options
from releases.public.kept_answers import keep, kept_page, not_for_search
from releases.public.linked_data import description, linked_data
from releases.public.queries import (
    ERRATA_SHOWN,
    Versions,
    errata_of,
    projects_for_everybody,
    versions_of,
)

ITEMS_SHOWN = 25


@login_not_required
@require_safe
def index(request: HttpRequest) -> HttpResponseBase:
    """List the projects with a public release, the latest release first."""
    page = listed_page(request, projects_for_everybody(), order=["-shown_at", "-pk"])
    parts = [(row.pk, row.name, row.shown_version) for row in page.rows]
    return kept_page(
        request, "releases/public/index.html", parts=parts, read=lambda: {"page": page}
    )


@login_not_required
@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponseBase:
    """List a project's public releases, the newest first."""
    found = _project_versions(slug)
    project = found.rows[0].project
    newest = found.newest_good
    links = release_links(newest) if newest else []
    context = {"project": project, "versions": found.rows, "newest": newest, "links": links}
    return kept_page(
        request,
        "releases/public/versions.html",
        parts=[*_told(found), *links],
        read=lambda: context,
    )


@login_not_required
@require_safe
def release(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    found = release_for_everybody(slug, version)
    siblings = versions_of(found.project)
    errata = list(errata_of(found)[:ERRATA_SHOWN])
    known = [(row.pk, row.decision, row.mended_in_id) for row in errata]
    times = [found.published_at, found.yanked_at, *(row.decided_at for row in errata)]
    links = release_links(found)
    return kept_page(
        request,
        "releases/public/release.html",
        parts=[found.content_hash, found.project.name, *_told(siblings), *known, *links],
        read=lambda: {
            **page_context(request, found),
            **_parts(request, found, siblings),
            "errata": errata,
            "links": links,
        },
        changed=max((each.timestamp() for each in times if each), default=None),
    )


@login_not_required
@require_safe
def files(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """List every file with size and checksum."""
    found = release_for_everybody(slug, version)
    return kept_page(
        request,
        "releases/public/files.html",
        parts=[found.pk, found.content_hash, found.state],
        read=lambda: {
            **page_context(request, found),
            "files": list(found.artifacts.order_by("name")),
        },
    )


@login_not_required
@require_safe
def file(request: HttpRequest, slug: str, version: str, name: str) -> HttpResponseBase:
    """Send a file; a caller that has it already is told so by its checksum."""
    answer = send_artifact(request, release_for_everybody(slug, version), name)
    return keep(answer)


@login_not_required
@require_safe
def items(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """List the open items by subject; a whole id leads to its item."""
    found = release_for_everybody(slug, version)
    subject, wanted = request.GET.get("subject", ""), request.GET.get("id", "").strip()
    if wanted and "\0" not in wanted and open_item(found, wanted):
        return redirect("releases:public-item", slug, version, wanted)
    rows = open_items(found, subject=subject, beginning=wanted.replace("\0", ""))
    page = listed_page(
        request, rows, filters=("subject", "id"), order=["position"], size=ITEMS_SHOWN
    )
    context = {
        **page_context(request, found),
        "page": page,
        "subject": subject,
        "wanted": wanted,
    }
    return not_for_search(keep(render(request, "releases/public/items.html", context)))


@login_not_required
@require_safe
def item(request: HttpRequest, slug: str, version: str, public_id: str) -> HttpResponseBase:
    """Show one open item; a hidden one is not found."""
    found = release_for_everybody(slug, version)
    placed = open_item(found, public_id)
    if placed is None:
        raise Http404
    errata = list(errata_of(found).filter(placed=placed))
    known = [(row.pk, row.decision, row.mended_in_id) for row in errata]
    return not_for_search(
        kept_page(
            request,
            "releases/public/item.html",
            parts=[placed.pk, found.content_hash, found.state, *known],
            read=lambda: {**page_context(request, found), **_item_context(placed, errata)},
        )
    )


def _item_context(placed: ReleaseItem, errata: list[ProblemReport]) -> dict[str, Any]:
    before, after = neighbours(placed)
    return {
        "placed": placed,
        "id_in_address": quote(placed.public_id, safe=""),
        "options": shown_options(placed),
        "source_options": list(zip(LETTERS, placed.source_choices, strict=False)),
        "errata": errata,
        "before": before,
        "after": after,
    }


def _project_versions(slug: str) -> Versions:
    project = Project.objects.filter(slug=slug).first()
    found = versions_of(project) if project else Versions(())
    if not found.rows:
        raise Http404
    return found


def _told(found: Versions) -> list[tuple[Any, ...]]:
    return [(row.pk, row.state, row.yank_reason, row.changes) for row in found.rows]


def page_context(request: HttpRequest, found: Release) -> dict[str, Any]:
    here = reverse("releases:public-release", args=[found.project.slug, found.version])
    return {
        "project": found.project,
        "release": found,
        "facts": release_facts(found),
        "canonical": request.build_absolute_uri(request.path),
        "files_url": f"{here}files/",
        "absolute_files_url": request.build_absolute_uri(f"{here}files/"),
        "archive": f"{found.project.slug}-{found.version}.zip",
    }


def _parts(request: HttpRequest, found: Release, siblings: Versions) -> dict[str, Any]:
    facts = release_facts(found)
    held = list(found.artifacts.order_by("name"))
    roots = [file for file in held if "/" not in file.name]
    here = request.build_absolute_uri(request.path)
    newest = siblings.newest_good
    return {
        "versions": siblings.rows,
        "newest": newest,
        "newer": newest if newest and found in siblings.before(newest) else None,
        "since": _since(found, siblings),
        "description": description(facts),
        "linked_data": linked_data(found, facts, roots, url=here, files_url=f"{here}files/"),
        "card": card_of(found),
        "charts": charts_of(found.quality, facts.counts.subjects),
        "roots": [file for file in roots if not file.name.endswith(".zip")],
        "zip": next((file for file in roots if file.name.endswith(".zip")), None),
        "groups": file_groups(held),
        "is_loadable": bool(facts.counts.open) and not set(LOADABLE).isdisjoint(facts.formats),
        "example_file": next((file for file in held if file.name.startswith("jsonl/test/")), None),
        "splits": [name for name in ("test", "dev") if getattr(facts.counts, name)],
    }


def _since(found: Release, siblings: Versions) -> dict[str, Any] | None:
    """Count the items that changed in each way since an earlier version, if that one is public."""
    before = {row.version for row in siblings.before(found)}
    if not before:
        return None
    if found.changes.get("since") not in before:
        return {"version": siblings.before(found)[0].version, "counts": []}
    counts = found.changes["counts"]
    return {
        "version": found.changes["since"],
        "counts": [(kind.label, counts[kind]) for kind in ChangeKind if counts.get(kind)],
        "is_same": not any(counts.values()),
    }
