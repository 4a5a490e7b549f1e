"""The API of releases: list, build, read, publish, show, yank."""

import json
from typing import Any

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from projects.selectors import project_for
from releases.building.actions import start_build
from releases.building.api import BuildInput, BuildStartedSerializer
from releases.enums import ReleaseState
from releases.files.archiving import send_archive
from releases.files.downloads import read_manifest, send_artifact
from releases.files.exporters import MEDIA_TYPES
from releases.models import Release
from releases.public.access import VIEW, MayRead, readable_release
from releases.publishing.actions import publish_release, yank_release
from releases.publishing.audience import show_to_everybody, show_to_members
from releases.queries import releases_seen_by
from releases.querysets import ReleaseQuerySet
from releases.selectors import release_for


class YankInput(StrictSerializer):
    reason = serializers.CharField(max_length=2000)


class AudienceInput(StrictSerializer):
    everybody = serializers.BooleanField(help_text="Whether it is shown without an account.")


class ArtifactSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    media_type = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField()
    row_count = serializers.IntegerField(allow_null=True)


class ReleaseSerializer(serializers.Serializer[Any]):
    version = serializers.CharField()
    state = serializers.ChoiceField(choices=ReleaseState.choices)
    counts = serializers.DictField(help_text="Empty until the items are chosen.")
    content_hash = serializers.CharField(help_text="SHA-256 of manifest.json.")
    notes = serializers.CharField(help_text="Markdown.")
    job = serializers.IntegerField(source="job_id", allow_null=True)
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    yanked_at = serializers.DateTimeField(allow_null=True)
    yank_reason = serializers.CharField()
    is_for_everybody = serializers.BooleanField(help_text="Whether it is read without an account.")


class ReleaseDetailSerializer(ReleaseSerializer):
    artifacts = ArtifactSerializer(many=True)


class ReleaseListView(generics.GenericAPIView[Release]):
    """The project's releases that the caller may see."""

    pagination_class = ApiPagination
    serializer_class = ReleaseSerializer
    queryset = Release.objects.none()

    def get_queryset(self) -> ReleaseQuerySet:
        user = caller(self.request)
        project = project_for(user, self.kwargs["slug"], "releases.view_releases")
        return releases_seen_by(user, project)

    @extend_schema(responses={200: ReleaseSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ReleaseSerializer(page, many=True).data)

    @extend_schema(request=BuildInput, responses={202: BuildStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Queue a build; `jobs/{job}/` says how far it is."""
        user = caller(request)
        project = project_for(user, slug, "releases.build_release")
        data = BuildInput(data=request.data)
        data.is_valid(raise_exception=True)
        release = start_build(
            project=project, request=data.build_request(), actor=user, now=timezone.now()
        )
        body = {"job": release.job_id, "version": release.version}
        return Response(body, status=status.HTTP_202_ACCEPTED)


class ReleaseView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={200: ReleaseDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return one release with its files."""
        return Response(_detail(readable_release(request, project, version)))


class ManifestView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={200: OpenApiTypes.OBJECT, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return the manifest: counts, seed, sources, and every file with its SHA-256."""
        release = readable_release(request, project, version)
        return Response(json.loads(read_manifest(release)))


class ArtifactView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(
        responses={(200, kind): OpenApiTypes.BINARY for kind in MEDIA_TYPES} | READ_REFUSALS
    )
    def get(self, request: Request, project: str, version: str, name: str) -> HttpResponseBase:
        """Send one file of the release, as built."""
        return send_artifact(request, readable_release(request, project, version), name)


class PublishView(APIView):
    @extend_schema(request=None, responses={200: ReleaseDetailSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Show a built release to the project's readers."""
        user = caller(request)
        release = release_for(user, project, version, "releases.publish_release")
        publish_release(release=release, actor=user, now=timezone.now())
        release.refresh_from_db()
        return Response(_detail(release))


class ArchiveView(APIView):
    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY} | REFUSALS)
    def get(self, request: Request, project: str, version: str) -> FileResponse:
        """Send one archive of the open part, with metadata for Zenodo."""
        return send_archive(release_for(caller(request), project, version, VIEW))


class YankView(APIView):
    @extend_schema(request=YankInput, responses={200: ReleaseDetailSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Warn everybody off a published release; its files stay."""
        user = caller(request)
        release = release_for(user, project, version, "releases.yank_release")
        data = YankInput(data=request.data)
        data.is_valid(raise_exception=True)
        reason = data.validated_data["reason"]
        yank_release(release=release, reason=reason, actor=user, now=timezone.now())
        release.refresh_from_db()
        return Response(_detail(release))


class AudienceView(APIView):
    @extend_schema(request=AudienceInput, responses={200: ReleaseDetailSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Show a published release to everybody, or to members only."""
        user = caller(request)
        release = release_for(user, project, version, "releases.change_audience")
        data = AudienceInput(data=request.data)
        data.is_valid(raise_exception=True)
        is_public = data.validated_data["everybody"]
        change = show_to_everybody if is_public else show_to_members
        change(release=release, actor=user, now=timezone.now())
        release.refresh_from_db()
        return Response(_detail(release))


def _detail(release: Release) -> dict[str, Any]:
    files = ArtifactSerializer(release.artifacts.order_by("name"), many=True)
    return {**ReleaseSerializer(release).data, "artifacts": files.data}
