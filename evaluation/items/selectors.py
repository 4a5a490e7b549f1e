"""Finds analyses and suggestions for requests and commands, and reads the filters of their lists."""

from dataclasses import dataclass

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import bounded_pk
from common.errors import DomainError
from common.filters import known_value
from evaluation.enums import SuggestionKind, SuggestionState
from evaluation.items.queries import KINDS, ORDERS, analyses_seen_by
from evaluation.models import ItemAnalysis, ReviewSuggestion
from projects.models import Project
from projects.selectors import find_project, get_project
from releases.models import Release
from releases.querysets import ReleaseQuerySet
from releases.selectors import ReleaseUnknown, get_release


class ProjectWithoutRuns(DomainError):
    code = "project_without_runs"
    detail = _("No release of this project has a run. Run some models on one first.")


class ReferenceUnknown(DomainError):
    code = "reference_unknown"
    detail = _(
        "There is no release “%(name)s” whose runs you manage. Write it as VERSION, or as "
        "PROJECT:VERSION for a release of another project."
    )
    status = 400


@dataclass(frozen=True, slots=True)
class FigureFilter:
    """Which figures a list shows, and in which order."""

    kind: str = ""
    sort: str = "item"


def figure_filter(*, kind: str = "", sort: str = "") -> FigureFilter:
    """Return the filter with these names. Raises FilterUnknown."""
    return FigureFilter(
        known_value("filter", kind, KINDS), known_value("sort", sort, ORDERS) or "item"
    )


def suggestion_filter(*, kind: str = "", state: str = "") -> tuple[str, str]:
    """Return kind and state; without a state, the open ones. Raises FilterUnknown."""
    return (
        known_value("kind", kind, SuggestionKind.values),
        known_value("state", state, SuggestionState.values) or SuggestionState.OPEN,
    )


def analysis_of(user: User, project: Project, version: str = "") -> ItemAnalysis | None:
    """Return the analysis of a release, without `version` that of the newest one that has any.

    Raises Http404 if `user` can't see a release of that version, or it has no analysis.
    """
    rows = analyses_seen_by(user, project)
    if not version:
        return rows.first()
    found = rows.filter(release__version=version).first()
    if found is None:
        raise Http404
    return found


def suggestion_of(project: Project, pk: int) -> ReviewSuggestion:
    """Raises Http404."""
    rows = ReviewSuggestion.objects.filter(project=project).select_related("placed", "project")
    found = rows.filter(pk=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    return found


def latest_release(project: Project) -> Release:
    """Return the project's latest release with a run. Raises ProjectWithoutRuns."""
    rows: ReleaseQuerySet = Release.objects.filter(project=project, runs__isnull=False)
    found: Release | None = rows.select_related("project").order_by("-created_at", "-pk").first()
    if found is None:
        raise ProjectWithoutRuns
    return found


def reference_release(project: Project, name: str, *, user: User | None = None) -> Release:
    """Return the release in the source language: `VERSION`, or `PROJECT:VERSION` of another project.

    A person needs the right to analyse items there too, for the figures tell of its hidden items.
    `user` is None for commands. Raises ReferenceUnknown.
    """
    slug, colon, version = name.rpartition(":")
    try:
        if not colon:
            return get_release(project, version)
        if user is None:
            return get_release(get_project(slug), version)
        other = find_project(user, slug)
        if other is None or not user.has_perm("evaluation.analyse_items", other):
            raise ReferenceUnknown(name=name)
        return get_release(other, version)
    except ReleaseUnknown as error:
        raise ReferenceUnknown(name=name) from error
