"""Keyset pages: a page costs the same at the end of a long list as at its beginning."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from common.errors import DomainError
from common.filters import refuse_unknown_names

PAGE_SIZE = 50
COUNTED = 1_000
WHOLE_NUMBER = re.compile(r"[0-9]{1,19}")


class BadCursor(DomainError):
    code = "bad_cursor"
    detail = _("This page link is not valid. Start again from the first page.")
    status = 400


class PageSizeInvalid(DomainError):
    """Has the code of every value that is refused."""

    code = "invalid"
    detail = _("Some values are not valid.")
    status = 400


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """One page of rows; the cursors name where the neighbours begin, None where there is none."""

    rows: Sequence[Any]
    next_cursor: str | None
    previous_cursor: str | None


def keyset_page(
    rows: QuerySet[Any], *, order: Sequence[str], cursor: str | None, size: int = PAGE_SIZE
) -> KeysetPage:
    """Return the page of `rows` at `cursor`, ordered by `order`.

    `order` names plain, non-null fields ("-" for descending) and ends in one that is unique.
    Reads size + 1 rows. Raises BadCursor.
    """
    salt = f"keyset:{rows.model._meta.label}:{','.join(order)}"
    back, values = _read_cursor(cursor, salt)
    direction = [_flip(name) for name in order] if back else list(order)
    if values:
        rows = rows.filter(_beyond(direction, values))
    found = list(rows.order_by(*direction)[: size + 1])
    has_more = len(found) > size
    found = found[:size]
    if back:
        found.reverse()
    has_next = bool(values) if back else has_more
    has_previous = has_more if back else bool(values)
    return KeysetPage(
        rows=found,
        next_cursor=_cursor(found[-1], order, salt, back=False) if found and has_next else None,
        previous_cursor=_cursor(found[0], order, salt, back=True)
        if found and has_previous
        else None,
    )


def listed_page(
    request: HttpRequest,
    rows: QuerySet[Any],
    *,
    order: Sequence[str],
    filters: Collection[str] = (),
    size: int = PAGE_SIZE,
) -> KeysetPage:
    """Return the page of a list that an address asks for; `filters` are the names that it may have.

    Every page with a list takes this way, so none ignores a misspelt filter. Raises BadCursor,
    ListRefused.
    """
    refuse_unknown_names(request.GET, filters)
    return keyset_page(rows, order=order, cursor=request.GET.get("cursor"), size=size)


def listed_part(request: HttpRequest, rows: Sequence[Any], *, size: int) -> KeysetPage:
    """Return the page that an address asks for of a list in memory, as `listed_page` does.

    Raises BadCursor, ListRefused.
    """
    refuse_unknown_names(request.GET)
    return numbered_page(rows, cursor=request.GET.get("cursor"), size=size)


def numbered_page(rows: Sequence[Any], *, cursor: str | None, size: int) -> KeysetPage:
    """Return the page of `rows`, which are in memory, whose number `cursor` is; the first without one.

    Raises BadCursor for anything but the number of a page.
    """
    last = max(1, -(-len(rows) // size))
    number = int(cursor or 1) if WHOLE_NUMBER.fullmatch(cursor or "1") else 0
    if not 1 <= number <= last:
        raise BadCursor
    return KeysetPage(
        rows=rows[(number - 1) * size : number * size],
        next_cursor=str(number + 1) if number < last else None,
        previous_cursor=str(number - 1) if number > 1 else None,
    )


@dataclass(frozen=True, slots=True)
class Total:
    """How many rows a list has, or that there are more than `count`."""

    count: int
    is_more: bool


def bounded_total(rows: QuerySet[Any], *, order: Sequence[str], most: int = COUNTED) -> Total:
    """Count `rows`, but never more than `most` of them: that costs the same in any project.

    `order` is the list's, so that the database walks the index that the list walks.
    """
    found = rows.order_by(*order).values("pk")[: most + 1].count()
    return Total(min(found, most), found > most)


def beyond(row: Model, order: Sequence[str]) -> Q:
    """The condition for rows after `row` in `order`, which is as `keyset_page` wants it."""
    return _beyond(order, [_value(row, name.removeprefix("-")) for name in order])


class ApiPagination(CursorPagination):
    """Keyset pages of the API, in the order of the rows' ids."""

    page_size = 100
    max_page_size = 1000
    page_size_query_param = "page_size"
    ordering = "pk"

    def get_page_size(self, request: Request) -> int:
        """Raises PageSizeInvalid; a number above the most is the most, and `next` has the rest."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is None:
            return self.page_size
        if not WHOLE_NUMBER.fullmatch(asked) or int(asked) == 0:
            words = gettext("Enter a number from 1 to %(most)s.") % {"most": self.max_page_size}
            raise PageSizeInvalid(fields={self.page_size_query_param: [words]})
        return min(int(asked), self.max_page_size)

    def decode_cursor(self, request: Request) -> Any:
        """Raises BadCursor: a position that is no number would reach the database as a condition."""
        try:
            cursor = super().decode_cursor(request)
        except NotFound as error:
            raise BadCursor from error
        position = cursor.position if cursor else None
        if position is not None and not WHOLE_NUMBER.fullmatch(str(position)):
            raise BadCursor
        return cursor


class KeysetPagination(ApiPagination):
    """Pages of the API in any order that `order` names as `keyset_page` wants it.

    The base class steps over rows that are equal in its first field by counting them, and loses
    its way where there are many.
    """

    order: Sequence[str] = ("pk",)
    found: KeysetPage
    address: str

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.request = request
        self.address = request.build_absolute_uri()
        cursor = request.query_params.get(self.cursor_query_param)
        self.found = self._page(queryset, cursor, self.get_page_size(request))
        return list(self.found.rows)

    def get_next_link(self) -> str | None:
        return self._link(self.found.next_cursor)

    def get_previous_link(self) -> str | None:
        return self._link(self.found.previous_cursor)

    def _page(self, rows: Any, cursor: str | None, size: int) -> KeysetPage:
        return keyset_page(rows, order=self.order, cursor=cursor, size=size)

    def _link(self, cursor: str | None) -> str | None:
        name = self.cursor_query_param
        return replace_query_param(self.address, name, cursor) if cursor else None


class NumberedPagination(KeysetPagination):
    """Pages of the API of a list in memory, such as what happened to one item."""

    def _page(self, rows: Any, cursor: str | None, size: int) -> KeysetPage:
        return numbered_page(rows, cursor=cursor, size=size)


def _flip(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _beyond(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows after `values` in `order`: (a > x) or (a = x and b > y) or …"""
    condition = Q()
    equal: dict[str, Any] = {}
    for name, value in zip(order, values, strict=True):
        field = name.removeprefix("-")
        operator = "lt" if name.startswith("-") else "gt"
        condition |= Q(**equal, **{f"{field}__{operator}": value})
        equal[field] = value
    return condition


def _cursor(row: Model | Mapping[str, Any], order: Sequence[str], salt: str, *, back: bool) -> str:
    """Sign where a page begins; the salt names table and order, so a cursor fits one list only."""
    values = [_value(row, name.removeprefix("-")) for name in order]
    return signing.dumps([back, values], salt=salt, serializer=_Serializer)


def _value(row: Model | Mapping[str, Any], path: str) -> Any:
    value: Any = row
    for part in path.split("__"):
        value = value[part] if isinstance(value, Mapping) else getattr(value, part)
    return value.isoformat() if hasattr(value, "isoformat") else value


def _read_cursor(cursor: str | None, salt: str) -> tuple[bool, list[Any]]:
    if not cursor:
        return False, []
    try:
        back, values = signing.loads(cursor, salt=salt, serializer=_Serializer)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise BadCursor from error
    return back, values


class _Serializer:
    def dumps(self, obj: Any) -> bytes:
        return json.dumps(obj, separators=(",", ":")).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)
