"""Who asks the review API, and what they may find: shared by its views."""

from typing import Any, TypeVar

from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request

from accounts.models import User
from annotation.models import Project
from annotation.rules import role_in
from common.api import ErrorSerializer
from review.models import Panel, Round

LARGEST_ID = 2**62
Row = TypeVar("Row", Round, Panel)
REFUSALS = {
    400: ErrorSerializer,
    401: ErrorSerializer,
    403: ErrorSerializer,
    404: ErrorSerializer,
    409: ErrorSerializer,
}


def user_of(request: Request) -> User:
    user: Any = request.user
    return user  # type: ignore[no-any-return]


def valid(serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def round_of(user: User, pk: int) -> Round:
    """The round, if the caller is in its project; 404 otherwise."""
    round_ = get_object_or_404(Round.objects.select_related("project"), pk=min(pk, LARGEST_ID))
    return to_members(user, round_.project, round_)


def to_members(user: User, project: Project, row: Row) -> Row:
    """`row`, if the caller is in its project: strangers should not learn that it exists."""
    if not (user.is_superuser or role_in(user, project)):
        raise Http404
    return row
