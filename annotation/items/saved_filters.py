"""Filters of the list of items under a name: saving, renaming and removing them, and who sees which."""

import unicodedata
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.items.queries import ItemFilter
from annotation.models import SavedFilter
from common.db import bounded_pk
from common.errors import DomainError, plain_text
from common.names import fold_name
from projects.locks import lock_project
from projects.models import Project
from projects.selectors import check_right

SHARE = "annotation.share_filter"
LONGEST_NAME = 100
NO_LINE: Final = {"Cc", "Zl", "Zp"}
MOST = 100
"""As many filters may a person keep in a project, and as many may be shared in it."""


class FilterNameInvalid(DomainError):
    code = "filter_name_invalid"
    detail = _("Give the filter a name of at most 100 characters, on one line.")
    status = 400


class FilterNameTaken(DomainError):
    code = "filter_name_taken"
    detail = _(
        "There is already a filter “%(name)s”, which looks the same. Choose another name, or rename "
        "that one."
    )


class FilterEmpty(DomainError):
    code = "filter_empty"
    detail = _("Nothing is filtered here. Set a filter in the list of items before you save it.")
    status = 400


class TooManyFilters(DomainError):
    code = "too_many_filters"
    detail = _("There are already %(most)s saved filters. Remove one that is no longer needed.")


@dataclass(frozen=True, slots=True)
class SavedRow:
    """A saved filter on a page: the query that opens it, and whether this person may change it."""

    saved: SavedFilter
    query: str
    can_change: bool


@transaction.atomic
def save_filter(
    *,
    project: Project,
    name: str,
    wanted: ItemFilter,
    is_shared: bool,
    actor: User,
    now: datetime,
) -> SavedFilter:
    """Keep a filter under a name, for `actor` alone or for all, with an audit row.

    The name must differ from those that `actor` sees; names that look alike are one. Whether
    `actor` may share is for the caller to check. Raises FilterEmpty, FilterNameInvalid,
    FilterNameTaken, TooManyFilters, TextInvalid.
    """
    values = {key: value for key, value in asdict(wanted).items() if value}
    if not values:
        raise FilterEmpty
    name, folded = _checked_name(name)
    lock_project(project.pk)
    _refuse_taken(project, actor, folded)
    _refuse_too_many(project, actor, is_shared=is_shared)
    saved = SavedFilter.objects.create(
        project=project,
        owner=actor,
        name=name,
        folded=folded,
        is_shared=is_shared,
        values=values,
        saved_at=now,
    )
    _record(saved, "saved", {"values": values, "is_shared": is_shared}, actor, now)
    return saved


@transaction.atomic
def rename_filter(*, saved: SavedFilter, name: str, actor: User, now: datetime) -> SavedFilter:
    """Give a saved filter another name, with an audit row; the same name again changes nothing.

    Raises FilterNameInvalid, FilterNameTaken, TextInvalid.
    """
    before = saved.name
    name, folded = _checked_name(name)
    lock_project(saved.project_id)
    _refuse_taken(saved.project, actor, folded, besides=saved)
    if name != before:
        saved.name, saved.folded = name, folded
        saved.save(update_fields=["name", "folded"])
        _record(saved, "renamed", {"before": before}, actor, now)
    return saved


@transaction.atomic
def remove_filter(*, saved: SavedFilter, actor: User, now: datetime) -> None:
    """Remove a saved filter, with an audit row that repeats it."""
    _record(saved, "removed", {"values": saved.values, "is_shared": saved.is_shared}, actor, now)
    saved.delete()


def saved_filters_for(project: Project, user: User) -> QuerySet[SavedFilter]:
    """Return the filters that `user` sees in the project: their own and the shared ones, by name."""
    rows = SavedFilter.objects.filter(_seen_by(user), project=project)
    return rows.order_by("folded", "pk")


def saved_rows(project: Project, user: User) -> list[SavedRow]:
    """Return the filters that `user` sees as pages show them; one query."""
    can_share = user.has_perm(SHARE, project)
    return [
        SavedRow(saved, query_of(saved), can_change=can_share or not saved.is_shared)
        for saved in saved_filters_for(project, user)
    ]


def query_of(saved: SavedFilter) -> str:
    """Return the query of the list of items that opens the filter."""
    return urlencode(saved.values)


def filter_to_change(project: Project, user: User, pk: int) -> SavedFilter:
    """Return a filter that `user` may rename or remove: their own, and shared ones with the right.

    Raises Http404 for one that they do not see, PermissionDenied for a shared one.
    """
    saved: SavedFilter = get_object_or_404(saved_filters_for(project, user), pk=bounded_pk(pk))
    saved.project = project
    if saved.is_shared:
        check_right(user, project, SHARE)
    return saved


def _seen_by(user: User) -> Q:
    return Q(owner=user) | Q(is_shared=True)


def _checked_name(name: str) -> tuple[str, str]:
    """Return a name and its folded form, neither of which is empty or endless."""
    name = plain_text(name)
    folded = fold_name(name)
    longest = SavedFilter._meta.get_field("folded").max_length or 0
    is_line = not any(unicodedata.category(sign) in NO_LINE for sign in name)
    is_sound = is_line and len(name) <= LONGEST_NAME and 0 < len(folded) <= longest
    if not is_sound:
        raise FilterNameInvalid(fields={"name": [str(FilterNameInvalid.detail)]})
    return name, folded


def _refuse_taken(
    project: Project, actor: User, folded: str, besides: SavedFilter | None = None
) -> None:
    """Raise FilterNameTaken for a name of those that `actor`, or the owner, sees."""
    owner = besides.owner if besides else actor
    rows = SavedFilter.objects.filter(_seen_by(actor) | _seen_by(owner), project=project)
    there = rows.filter(folded=folded).exclude(pk=besides.pk if besides else 0).first()
    if there:
        error = FilterNameTaken(name=there.name)
        error.fields = {"name": [str(error)]}
        raise error


def _refuse_too_many(project: Project, actor: User, *, is_shared: bool) -> None:
    rows = SavedFilter.objects.filter(project=project, is_shared=is_shared)
    if not is_shared:
        rows = rows.filter(owner=actor)
    if rows.count() >= MOST:
        raise TooManyFilters(most=MOST)


def _record(
    saved: SavedFilter, what: str, data: dict[str, object], actor: User, now: datetime
) -> None:
    record_event(
        actor=actor,
        verb=f"item-filter.{what}",
        target=f"savedfilter:{saved.pk}",
        scope=saved.project.slug,
        data={"name": saved.name, **data},
        now=now,
    )
