"""The API of public releases, which needs no account: projects, versions and errata."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.api import READ_REFUSALS, ErrorSerializer
from common.pagination import KeysetPagination
from projects.models import Project
from releases.enums import ProblemKind, ReleaseState
from releases.models import ProblemReport, Release
from releases.public.access import MayRead, readable_release
from releases.public.queries import errata_of, projects_for_everybody, versions_of


class LatestPagination(KeysetPagination):
    order = ("-shown_at", "-pk")


class FileOrderPagination(KeysetPagination):
    order = ("placed__position", "pk")


class PublicProjectSerializer(serializers.Serializer[Any]):
    """A project with a release that everybody reads; the version is the latest published."""

    project = serializers.CharField(source="slug")
    name = serializers.CharField()
    description = serializers.CharField()
    source_language = serializers.CharField()
    target_language = serializers.CharField()
    version = serializers.CharField(source="shown_version")
    published_at = serializers.DateTimeField(source="shown_at")
    counts = serializers.DictField(source="shown_counts")
    simulated_judgements = serializers.IntegerField(
        source="shown_simulated",
        allow_null=True,
        help_text="How many a program gave, not people; null if the release does not say.",
    )


class PublicVersionSerializer(serializers.Serializer[Release]):
    version = serializers.CharField()
    state = serializers.ChoiceField(choices=ReleaseState.choices)
    counts = serializers.DictField()
    content_hash = serializers.CharField(help_text="SHA-256 of manifest.json.")
    published_at = serializers.DateTimeField()
    yank_reason = serializers.CharField()


class ErratumSerializer(serializers.Serializer[Any]):
    """A known error in a release."""

    item = serializers.CharField(source="placed.public_id", help_text="The item's id in the files.")
    kind = serializers.ChoiceField(choices=ProblemKind.choices)
    text = serializers.CharField(source="decision", help_text="What is wrong.")
    decided_at = serializers.DateTimeField()
    mended_in = serializers.CharField(source="mended_in.version", default=None, allow_null=True)


class PublicProjectListView(generics.GenericAPIView[Project]):
    permission_classes = (AllowAny,)
    pagination_class = LatestPagination
    serializer_class = PublicProjectSerializer
    queryset = Project.objects.none()

    @extend_schema(
        operation_id="releases_public_list", responses={200: PublicProjectSerializer(many=True)}
    )
    def get(self, request: Request) -> Response:
        """List the projects with a release that everybody reads, the latest release first."""
        page: Any = self.paginate_queryset(projects_for_everybody())
        return self.get_paginated_response(PublicProjectSerializer(page, many=True).data)


class PublicVersionListView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="releases_public_versions",
        responses={200: PublicVersionSerializer(many=True), 404: ErrorSerializer},
    )
    def get(self, request: Request, project: str) -> Response:
        """List the releases of a project that everybody reads, the newest version first."""
        found = Project.objects.filter(slug=project).first()
        rows: Any = versions_of(found).rows if found else ()
        if not rows:
            raise Http404
        return Response(PublicVersionSerializer(rows, many=True).data)


class ErratumListView(generics.GenericAPIView[ProblemReport]):
    permission_classes = (MayRead,)
    pagination_class = FileOrderPagination
    serializer_class = ErratumSerializer
    queryset = ProblemReport.objects.none()

    def get_queryset(self) -> QuerySet[ProblemReport]:
        return errata_of(
            readable_release(self.request, self.kwargs["project"], self.kwargs["version"])
        )

    @extend_schema(responses={200: ErratumSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """List the known errors of a release, in the order of its files."""
        page: Any = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ErratumSerializer(page, many=True).data)
