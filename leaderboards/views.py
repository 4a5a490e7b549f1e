"""The pages of leaderboards: of a version, of a model, for other sites; its CSV file and badges."""

from collections.abc import Iterable
from typing import Any

from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from common.filters import refuse_unknown_filters, refuse_unknown_names
from common.pagination import numbered_page
from leaderboards.access import (
    WeightsUnknown,
    board_release,
    find_board,
    find_model,
    is_public,
    known_part,
    parts_of,
    public_release,
    seen_releases,
)
from leaderboards.differences import (
    Difference,
    chosen_pair,
    differences,
    listed_entries,
)
from leaderboards.kept import KEPT_SECONDS, kept
from leaderboards.presenters import arena_panels, badge_words, entries_of, setting_rows
from leaderboards.queries import WEIGHTS, Board, Filters
from leaderboards.tables import arenas_csv, board_csv
from releases.models import Release
from submissions.queries import policy_of
from submissions.selectors import is_taking

COLUMNS = ("", "categories", "levels")
FILTERS = ("part", "weights", "size", "prompt")
PAGE_ROWS = 100


def filters_of(request: HttpRequest) -> Filters:
    """Return the filters of an address: `weights`, `size` and `prompt`.

    Raises WeightsUnknown.
    """
    weights = request.GET.get("weights", "")
    if weights and weights not in WEIGHTS:
        raise WeightsUnknown
    return Filters(weights, request.GET.get("size", ""), request.GET.get("prompt", ""))


def _columns(request: HttpRequest) -> str:
    """Return what the address asks to have columns of its own, "" for nothing."""
    wanted = request.GET.get("columns", "")
    return wanted if wanted in COLUMNS else ""


@login_not_required
@require_safe
def board(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show the leaderboard of a part; a public one without filters as it was at most a minute ago."""
    release = board_release(request.user, slug, version)
    refuse_unknown_names(request.GET, (*FILTERS, "columns"))
    part, filters = known_part(release, request.GET.get("part", "")), filters_of(request)
    columns, cursor = _columns(request), request.GET.get("cursor", "")
    is_kept = filters == Filters() and is_public(release)

    def page() -> bytes:
        found = find_board(release, part, filters, with_categories=columns == "categories")
        context = {
            **_frame(request, release),
            **_shown(found, columns, cursor),
            "filters": filters,
            "is_filtered": filters != Filters() or bool(columns),
            "arenas": arena_panels(found.arenas),
            "has_arenas_alone": bool(found.arenas) and not found.rows and filters == Filters(),
            "is_kept": is_kept,
        }
        return render(request, "leaderboards/board.html", context).content

    if not is_kept:
        return HttpResponse(page())
    name = f"page:{part}:{columns}:{cursor}:{get_language()}:{request.build_absolute_uri('/')}"
    return _public(HttpResponse(kept(release, name, page)))


@login_not_required
@require_safe
def file(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Send the leaderboard as CSV."""
    release = board_release(request.user, slug, version)
    refuse_unknown_filters(request.GET, FILTERS)
    found = find_board(release, request.GET.get("part", ""), filters_of(request))
    return _csv(board_csv(found), f"{slug}-{version}-leaderboard.csv")


@login_not_required
@require_safe
def arenas_file(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Send the arenas of the release as CSV: their models, their judges and people."""
    release = board_release(request.user, slug, version)
    found = find_board(release, "", Filters())
    return _csv(arenas_csv(found), f"{slug}-{version}-arenas.csv")


@login_not_required
@require_safe
def model(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show how a model did in each version and part; versions are never mixed."""
    boards = find_model(request.user, slug, name)
    tables = [_shown(found) for found in boards]
    context = {"project": boards[0].release.project, "name": name, "tables": tables}
    return render(request, "leaderboards/model.html", context)


@login_not_required
@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # it has views with no argument
def embed(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show the table for a frame on another site, if everybody may see it.

    It is the same for everybody who asks, so that another site can frame nobody's private page.
    """
    release = public_release(slug, version)
    part = known_part(release, request.GET.get("part", ""))

    def page() -> bytes:
        context = _shown(find_board(release, part, Filters(), with_categories=False))
        context |= {"project": release.project, "release": release, "is_framed": True}
        return render(request, "leaderboards/embed.html", context).content

    name = f"embed:{part}:{get_language()}"
    return _public(HttpResponse(kept(release, name, page)))


@login_not_required
@require_safe
def badge(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Send a picture of the ranks and the share of `model`, of `team` if it names one."""
    release = public_release(slug, version)
    part = request.GET.get("part", "")
    found = find_board(release, part, Filters(), with_categories=False)
    named = request.GET.get("model", ""), request.GET.get("team")
    rows = [row for row in found.rows if row.model == named[0] and row.share is not None]
    row = next((row for row in rows if named[1] in (None, row.team)), None)
    if row is None:
        raise Http404
    context = {
        "project": release.project,
        "release": release,
        "is_yanked": found.is_yanked,
        "said": badge_words(row, is_yanked=found.is_yanked),
    }
    answer = render(request, "leaderboards/badge.svg", context, content_type="image/svg+xml")
    return _public(answer)


@login_not_required
@require_safe
def difference(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show how two entries differ, or the form that chooses them; each is named by model and team."""
    release = board_release(request.user, slug, version)
    refuse_unknown_names(request.GET, ("part", "first", "second"))
    found = find_board(release, request.GET.get("part", ""), Filters())
    chosen = [request.GET.get(name, "") for name in ("first", "second")]
    rows: list[Difference] = []
    if all(chosen):
        pair = chosen_pair(found, *chosen)
        chosen, rows = [each.name for each in pair], list(differences(*pair))
    context = {
        "project": release.project,
        "release": release,
        "part": found.part,
        "entries": setting_rows(listed_entries(found)),
        "first": chosen[0],
        "second": chosen[1],
        "rows": rows,
    }
    return render(request, "leaderboards/difference.html", context)


def _shown(found: Board, columns: str = "", cursor: str = "") -> dict[str, Any]:
    """Return what the table shows: the entries of a page with their figures of categories or levels.

    Raises BadCursor.
    """
    names = found.group_names(columns) if columns else []
    page = numbered_page(found.rows, cursor=cursor, size=PAGE_ROWS)
    return {
        "board": found,
        "page": page,
        "columns": columns,
        "group_names": names,
        "listed": entries_of(page.rows, found.release.project.slug, columns, names),
        "has_gap": any(row.gap for row in found.rows),
        "has_cost": any(row.cost is not None for row in found.rows),
        "choices": found.group_kinds,
    }


def _frame(request: HttpRequest, release: Release) -> dict[str, Any]:
    """Return what stands around the table of a leaderboard."""
    policy = policy_of(release.project)
    return {
        "project": release.project,
        "release": release,
        "parts": parts_of(release),
        "versions": seen_releases(request.user, release.project.slug),
        "is_public": policy.is_board_public,
        "is_taking": is_taking(release, policy),
        "address": request.build_absolute_uri(request.path),
    }


def _csv(lines: Iterable[str], name: str) -> HttpResponse:
    answer = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _public(answer: HttpResponse) -> HttpResponse:
    """Let others keep an answer that everybody may see, as long as this server does."""
    patch_cache_control(answer, public=True, max_age=KEPT_SECONDS)
    return answer
