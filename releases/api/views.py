"""The API of releases: build, read, publish, yank."""

import json
from typing import Any

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import ErrorSerializer
from common.pagination import ApiPagination
from projects.models import Project
from projects.queries import contributors_to_name
from projects.selectors import project_for
from releases import actions
from releases.actions.hub import start_hub_publishing
from releases.api.permissions import MayRead
from releases.api.serializers import (
    ArtifactSerializer,
    AudienceInput,
    BuildInput,
    BuildPreviewInput,
    BuildPreviewSerializer,
    BuildStartedSerializer,
    DetailsSerializer,
    DifferenceSerializer,
    HubInput,
    HubPublicationSerializer,
    HubStartedSerializer,
    ReadinessSerializer,
    ReleaseDetailSerializer,
    ReleaseSerializer,
    YankInput,
)
from releases.archiving import send_archive
from releases.differences import compared
from releases.downloads import read_manifest, send_artifact
from releases.exporters import MEDIA_TYPES
from releases.kept_answers import kept, not_for_search
from releases.models import Release, ReleaseDetails
from releases.public_changes import LISTED, public_pair
from releases.queries import build_preview, hub_publications, releases_seen_by
from releases.querysets import ReleaseQuerySet
from releases.readiness import readiness
from releases.selectors import NoEarlierRelease, find_for_everybody, release_for

READ_REFUSALS = dict.fromkeys((401, 403, 404), ErrorSerializer)
REFUSALS = dict.fromkeys((400, 401, 403, 404, 409), ErrorSerializer)
VIEW = "releases.view_release"


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
        release = actions.start_build(
            project=project, request=data.build_request(), actor=user, now=timezone.now()
        )
        body = {"job": release.job_id, "version": release.version}
        return Response(body, status=status.HTTP_202_ACCEPTED)


class ReleaseView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={200: ReleaseDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """One release with its files."""
        return Response(_detail(readable_release(request, project, version)))


class DifferenceView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={200: DifferenceSerializer, 304: None, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str, old: str) -> HttpResponseBase:
        """What changed since an earlier release, or since `source`: items, texts, keys, places.

        Between two releases that everybody reads no account is needed. That answer may be kept for
        a minute and asked for again by its `ETag`; `source` is for members.
        """
        public = find_for_everybody(project, version)
        if public and not request.user.has_perm(VIEW, public):
            return _public_difference(request, public, old)
        release = release_for(caller(request), project, version, VIEW)
        found = compared(caller(request), release, since=old, most=LISTED)
        if found is None:
            raise NoEarlierRelease(version=version, old=old)
        return Response(DifferenceSerializer(found).data)


def _public_difference(request: Request, release: Release, old: str) -> HttpResponseBase:
    pair = public_pair(release, old) if old else None
    if pair is None:
        raise NoEarlierRelease(version=release.version, old=old)
    answer = kept(
        request,
        parts=[*pair.parts, "json"],
        make=lambda: Response(DifferenceSerializer(pair.difference()).data),
    )
    patch_vary_headers(answer, ["Authorization"])
    return not_for_search(answer)


class DetailsView(APIView):
    """What cards and citations of coming releases say."""

    @extend_schema(responses={200: DetailsSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, "releases.build_release")
        row = ReleaseDetails.objects.filter(project=project).first() or ReleaseDetails()
        return _details(row, project)

    @extend_schema(request=DetailsSerializer, responses={200: DetailsSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Replace it; what is left out becomes empty. Frozen releases keep what they have."""
        user = caller(request)
        project = project_for(user, slug, "releases.build_release")
        data = DetailsSerializer(data=request.data)
        data.is_valid(raise_exception=True)
        row = actions.change_details(
            project=project, request=data.details_request(), actor=user, now=timezone.now()
        )
        return _details(row, project)


def _details(row: Any, project: Project) -> Response:
    row.contributor_count = contributors_to_name(project).count()
    return Response(DetailsSerializer(row).data)


class ReadinessView(APIView):
    @extend_schema(responses={200: ReadinessSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """What blocks a release of the project, what warns, and the version that fits."""
        project = project_for(caller(request), slug, "releases.build_release")
        return Response(readiness(project).as_json())


class BuildPreviewView(APIView):
    @extend_schema(request=BuildPreviewInput, responses={200: BuildPreviewSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """What a build with these settings would contain, and what blocks it; nothing is built."""
        project = project_for(caller(request), slug, "releases.build_release")
        data = BuildPreviewInput(data=request.data)
        data.is_valid(raise_exception=True)
        found = readiness(project, black_box_share=data.validated_data["black_box_share"])
        body = {
            "content": build_preview(project, data.split_rule()),
            "readiness": found.as_json(),
        }
        return Response(BuildPreviewSerializer(body).data)


class ManifestView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={200: OpenApiTypes.OBJECT, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """The manifest: counts, seed, sources, and every file with its SHA-256."""
        release = readable_release(request, project, version)
        return Response(json.loads(read_manifest(release)))


class ArtifactView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(
        responses={(200, kind): OpenApiTypes.BINARY for kind in MEDIA_TYPES} | READ_REFUSALS
    )
    def get(self, request: Request, project: str, version: str, name: str) -> HttpResponseBase:
        """One file of the release, as built."""
        return send_artifact(request, readable_release(request, project, version), name)


class PublishView(APIView):
    @extend_schema(request=None, responses={200: ReleaseDetailSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Show a built release to the project's readers."""
        user = caller(request)
        release = release_for(user, project, version, "releases.publish_release")
        actions.publish_release(release=release, actor=user, now=timezone.now())
        release.refresh_from_db()
        return Response(_detail(release))


class HubView(APIView):
    @extend_schema(responses={200: HubPublicationSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """Where the release was published on the Hugging Face Hub."""
        release = release_for(caller(request), project, version, "releases.publish_release")
        rows = [row for row, _files, _commit in hub_publications(release)]
        return Response(HubPublicationSerializer(rows, many=True).data)

    @extend_schema(request=HubInput, responses={202: HubStartedSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Queue a publication there; `jobs/{job}/` says how far it is."""
        user = caller(request)
        release = release_for(user, project, version, "releases.publish_release")
        data = HubInput(data=request.data)
        data.is_valid(raise_exception=True)
        job = start_hub_publishing(
            release=release, actor=user, now=timezone.now(), **data.validated_data
        )
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)


class ArchiveView(APIView):
    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY} | REFUSALS)
    def get(self, request: Request, project: str, version: str) -> FileResponse:
        """One archive of the open part, with metadata for Zenodo."""
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
        actions.yank_release(release=release, reason=reason, actor=user, now=timezone.now())
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
        change = actions.show_to_everybody if is_public else actions.show_to_members
        change(release=release, actor=user, now=timezone.now())
        release.refresh_from_db()
        return Response(_detail(release))


def readable_release(request: Request, project: str, version: str) -> Release:
    """The release, if everybody may read it or the caller may.

    Views that take callers without an account have the permission `MayRead`. Raises Http404,
    PermissionDenied.
    """
    if found := find_for_everybody(project, version):
        return found
    return release_for(caller(request), project, version, VIEW)


def _detail(release: Release) -> dict[str, Any]:
    files = ArtifactSerializer(release.artifacts.order_by("name"), many=True)
    return {**ReleaseSerializer(release).data, "artifacts": files.data}
