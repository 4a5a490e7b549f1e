"""The API of public releases, which needs no account: projects, versions, errata and changes."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import ErrorSerializer
from common.pagination import KeysetPagination
from projects.models import Project
from releases.api.permissions import MayRead
from releases.api.serializers import (
    ErratumSerializer,
    PublicProjectSerializer,
    PublicVersionSerializer,
)
from releases.api.views import READ_REFUSALS, VIEW, readable_release
from releases.changelog import as_markdown
from releases.content import release_facts
from releases.differences import compared
from releases.kept_answers import kept, not_for_search
from releases.models import ProblemReport, Release
from releases.public_changes import public_pair
from releases.public_queries import errata_of, projects_for_everybody, versions_of
from releases.selectors import NoEarlierRelease, find_for_everybody, release_for

MARKDOWN = "text/markdown; charset=utf-8"


class LatestPagination(KeysetPagination):
    order = ("-shown_at", "-pk")


class FileOrderPagination(KeysetPagination):
    order = ("placed__position", "pk")


class PublicProjectListView(generics.GenericAPIView[Project]):
    permission_classes = (AllowAny,)
    pagination_class = LatestPagination
    serializer_class = PublicProjectSerializer
    queryset = Project.objects.none()

    @extend_schema(
        operation_id="releases_public_list", responses={200: PublicProjectSerializer(many=True)}
    )
    def get(self, request: Request) -> Response:
        """Every project with a release that everybody reads, the latest release first."""
        page: Any = self.paginate_queryset(projects_for_everybody())
        return self.get_paginated_response(PublicProjectSerializer(page, many=True).data)


class PublicVersionListView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="releases_public_versions",
        responses={200: PublicVersionSerializer(many=True), 404: ErrorSerializer},
    )
    def get(self, request: Request, project: str) -> Response:
        """The releases of a project that everybody reads, the newest version first."""
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
        """What is known to be wrong in a release, in the order of its files."""
        page: Any = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ErratumSerializer(page, many=True).data)


class ChangelogView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR, 304: None, **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str, old: str) -> HttpResponseBase:
        """The whole difference to an earlier release, or to `source`, as a Markdown file."""
        public = find_for_everybody(project, version)
        if public and not request.user.has_perm(VIEW, public):
            return _public_changelog(request, public, old)
        user = caller(request)
        found = compared(user, release_for(user, project, version, VIEW), since=old, most=None)
        if found is None:
            raise NoEarlierRelease(version=version, old=old)
        return _markdown(as_markdown(found), f"{project}-{found.before}-{found.after}.md")


def _public_changelog(request: Request, release: Release, old: str) -> HttpResponseBase:
    pair = public_pair(release, old)
    if pair is None:
        raise NoEarlierRelease(version=release.version, old=old)

    def make() -> HttpResponse:
        told = pair.difference()
        text = as_markdown(told, canary=release_facts(release).canary)
        return _markdown(text, f"{release.project.slug}-{told.before}-{told.after}.md")

    answer = kept(request, parts=[*pair.parts, "markdown"], make=make)
    patch_vary_headers(answer, ["Authorization"])
    return not_for_search(answer)


def _markdown(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=MARKDOWN)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
