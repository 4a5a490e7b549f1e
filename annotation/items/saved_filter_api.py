"""The API of saved filters: list, save, rename, remove."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.items.api import ItemFilterInput
from annotation.items.forms import item_filter_from
from annotation.items.saved_filters import (
    LONGEST_NAME,
    SHARE,
    filter_to_change,
    query_of,
    remove_filter,
    rename_filter,
    save_filter,
    saved_filters_for,
)
from annotation.models import SavedFilter
from common.api import REFUSALS, StrictSerializer
from projects.api.views import valid
from projects.selectors import check_right, project_for

VIEW_ITEMS = "annotation.view_items"


class SavedFilterSerializer(serializers.Serializer[SavedFilter]):
    """A saved filter; `query` goes behind the address of the list of items."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    is_shared = serializers.BooleanField()
    item_filter = serializers.DictField(child=serializers.CharField(), source="values")
    query = serializers.SerializerMethodField()
    saved_at = serializers.DateTimeField()

    def get_query(self, saved: SavedFilter) -> str:
        return query_of(saved)


class SavedFilterName(StrictSerializer):
    name = serializers.CharField(max_length=LONGEST_NAME)


class SavedFilterInput(SavedFilterName):
    item_filter = ItemFilterInput()
    is_shared = serializers.BooleanField(default=False, help_text="For managers.")


class SavedFilterListView(APIView):
    @extend_schema(responses={200: SavedFilterSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Your own saved filters and those shared in the project, by name."""
        user = caller(request)
        rows: Any = saved_filters_for(project_for(user, slug, VIEW_ITEMS), user)
        return Response(SavedFilterSerializer(rows, many=True).data)

    @extend_schema(request=SavedFilterInput, responses={201: SavedFilterSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Save a filter under a name."""
        user = caller(request)
        project = project_for(user, slug, VIEW_ITEMS)
        given = valid(SavedFilterInput(data=request.data))
        if given["is_shared"]:
            check_right(user, project, SHARE)
        wanted = item_filter_from(project, given.pop("item_filter"))
        saved = save_filter(project=project, wanted=wanted, actor=user, now=timezone.now(), **given)
        return Response(SavedFilterSerializer(saved).data, status=status.HTTP_201_CREATED)


class SavedFilterView(APIView):
    @extend_schema(request=SavedFilterName, responses={200: SavedFilterSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Rename a saved filter: your own, or for managers a shared one."""
        user = caller(request)
        saved = filter_to_change(project_for(user, slug, VIEW_ITEMS), user, pk)
        name = valid(SavedFilterName(data=request.data))["name"]
        saved = rename_filter(saved=saved, name=name, actor=user, now=timezone.now())
        return Response(SavedFilterSerializer(saved).data)

    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a saved filter; items stay as they are."""
        user = caller(request)
        saved = filter_to_change(project_for(user, slug, VIEW_ITEMS), user, pk)
        remove_filter(saved=saved, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
