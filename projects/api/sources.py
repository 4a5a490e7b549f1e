"""The API of sources: where a project's texts come from."""

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from projects import actions
from projects.actions.sources import SourceValues
from projects.models import Source
from projects.queries import sources_of
from projects.selectors import project_for


class SourceSerializer(serializers.Serializer[Source]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    system = serializers.CharField(
        help_text="The system whose translations it has; empty for a source of items."
    )
    revision = serializers.CharField()
    url = serializers.CharField()
    licence = serializers.CharField()
    attribution = serializers.CharField()
    checksum = serializers.CharField()
    created_at = serializers.DateTimeField()


class SourcePatch(StrictSerializer):
    name = serializers.CharField(max_length=200, required=False)
    revision = serializers.CharField(max_length=100, allow_blank=True, required=False)
    url = serializers.URLField(max_length=200, allow_blank=True, required=False)
    licence = serializers.CharField(max_length=100, allow_blank=True, required=False)
    attribution = serializers.CharField(max_length=20_000, allow_blank=True, required=False)


class SourceListView(generics.ListAPIView[Source]):
    """Where a project's texts come from."""

    serializer_class = SourceSerializer
    pagination_class = ApiPagination
    queryset = Source.objects.none()

    @extend_schema(responses={200: SourceSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        slug = self.kwargs["slug"]
        return sources_of(project_for(caller(self.request), slug, "projects.view_project"))


class SourceView(APIView):
    @extend_schema(responses={200: SourceSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One source."""
        project = project_for(caller(request), slug, "projects.view_project")
        return Response(SourceSerializer(get_object_or_404(sources_of(project), pk=pk)).data)

    @extend_schema(request=SourcePatch, responses={200: SourceSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Correct what is known about a source; what is not sent stays."""
        user = caller(request)
        project = project_for(user, slug, "projects.change_project")
        source = get_object_or_404(sources_of(project), pk=pk)
        data = SourcePatch(data=request.data)
        data.is_valid(raise_exception=True)
        there = {name: getattr(source, name) for name in asdict(SourceValues(name=""))}
        values: Any = there | data.validated_data
        actions.change_source(
            source=source, values=SourceValues(**values), actor=user, now=timezone.now()
        )
        return Response(SourceSerializer(source).data)
