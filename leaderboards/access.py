"""Who sees a leaderboard: everybody where a manager says so, else members and participants."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from leaderboards.kept import kept_board
from leaderboards.queries import PARTS, Board, Filters, narrowed, part_of
from projects.models import Project
from releases.models import Release
from submissions.queries import participant_of, policy_of

VIEW = "submissions.view_board"
MOST_VERSIONS = 20
"""So many versions, the latest ones, are on one page."""


class PartUnknown(DomainError):
    code = "part_unknown"
    detail = _("This release has no part “%(part)s”. Choose from: %(parts)s.")
    status = 400


class WeightsUnknown(DomainError):
    code = "weights_unknown"
    detail = _("The filter “weights” is open, closed or unknown.")
    status = 400


def board_release(user: Any, slug: str, version: str) -> Release:
    """Return a published release whose leaderboard `user`, who may be anonymous, may see.

    Raises Http404: it is not told that a release exists.
    """
    rows = Release.objects.public().select_related("project")
    release: Release | None = rows.filter(project__slug=slug, version=version).first()
    if release is None or not _may_see(user, release):
        raise Http404
    return release


def parts_of(release: Release) -> list[str]:
    """Return the parts of a release that have test items."""
    hidden, test = release.counts.get("black_box", 0), release.counts.get("test", 0)
    found = ["open"] if test > hidden or not hidden else []
    return [*found, *([str(release.hidden_part)] if hidden else [])]


def known_part(release: Release, part: str) -> str:
    """Return `part`, or the hidden part if it is empty. Raises PartUnknown."""
    part = part or part_of(release)
    if part not in PARTS or part not in parts_of(release):
        raise PartUnknown(part=part, parts=", ".join(parts_of(release)))
    return part


def find_board(
    release: Release, part: str, filters: Filters, *, with_categories: bool = True
) -> Board:
    """Return the leaderboard of `part`, or of the hidden part if it is empty. Raises PartUnknown."""
    part = known_part(release, part)
    return narrowed(kept_board(release, part, with_categories=with_categories), filters)


def public_release(slug: str, version: str) -> Release:
    """Return a release whose leaderboard everybody may see, whoever asks. Raises Http404."""
    return board_release(AnonymousUser(), slug, version)


def seen_releases(user: Any, slug: str) -> list[Release]:
    """Return the releases of a project whose leaderboards `user` may see, the latest first.

    Raises Http404 if there is none.
    """
    rows = Release.objects.public().select_related("project")
    releases = list(rows.filter(project__slug=slug))
    if releases and not _sees_all(user, releases[0].project):
        releases = [release for release in releases if user.has_perm(VIEW, release)]
    if not releases:
        raise Http404
    return sorted(releases, key=lambda release: release.precedence, reverse=True)[:MOST_VERSIONS]


def find_model(user: Any, slug: str, name: str) -> list[Board]:
    """Return the boards that `user` may see and that list a model, with its entries and arenas only.

    Its ranks are those among all entries. The latest version comes first. Raises Http404.
    """
    found = []
    for release in seen_releases(user, slug):
        for part in parts_of(release):
            board = kept_board(release, part)
            if rows := tuple(row for row in board.rows if row.model == name):
                arenas = tuple(arena for arena in board.arenas if arena.has(name))
                found.append(replace(board, rows=rows, arenas=arenas))
    if not found:
        raise Http404
    return found


def is_public(release: Release) -> bool:
    """Whether everybody may see the leaderboard."""
    return policy_of(release.project).is_board_public


def _may_see(user: Any, release: Release) -> bool:
    return _sees_all(user, release.project) or user.has_perm(VIEW, release)


def _sees_all(user: Any, project: Project) -> bool:
    """Whether somebody sees the leaderboards of all published releases of a project."""
    if policy_of(project).is_board_public:
        return True
    if not isinstance(user, User) or not user.is_active:
        return False
    return participant_of(project, user) is not None
