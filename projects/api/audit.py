"""The API of audit events: a project's for its managers, all of them for administrators."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from accounts.audit import AUDIT_COLUMNS, AuditFilter, audit_events, audit_rows, told_data
from accounts.models import AuditEvent
from accounts.rules import administrator
from common.api import ErrorSerializer, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from common.pagination import KeysetPagination
from projects.selectors import project_for

REFUSALS = dict.fromkeys((400, 401, 403, 404), ErrorSerializer)
FILTERS = [
    OpenApiParameter("actor", description="E-mail address of the person"),
    OpenApiParameter("verb", description="`round.opened`, or `round` for every verb of rounds"),
    OpenApiParameter("since", OpenApiTypes.DATETIME, description="The first moment, included"),
    OpenApiParameter("until", OpenApiTypes.DATETIME, description="The last moment, not included"),
]


class AuditEventSerializer(serializers.Serializer[AuditEvent]):
    id = serializers.IntegerField()
    occurred_at = serializers.DateTimeField()
    actor = serializers.CharField(source="actor_name")
    verb = serializers.CharField()
    project = serializers.CharField(source="scope")
    target = serializers.CharField()
    data = serializers.SerializerMethodField()  # type: ignore[assignment]  # the name of the column
    request_id = serializers.CharField()

    def get_data(self, event: AuditEvent) -> dict[str, Any]:
        return told_data(event)


class AuditFilterSerializer(StrictSerializer):
    actor = serializers.CharField(max_length=254, default="")
    verb = serializers.RegexField(r"^[a-z_]+(\.[a-z_]+)?$", max_length=60, default="")
    since = serializers.DateTimeField(default=None)
    until = serializers.DateTimeField(default=None)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)
    format = serializers.CharField(required=False)


class AuditPagination(KeysetPagination):
    order = ("-pk",)


class AuditEventListView(generics.ListAPIView[AuditEvent]):
    """Every audit event of this server, newest first."""

    serializer_class = AuditEventSerializer
    pagination_class = AuditPagination
    queryset = AuditEvent.objects.none()

    @extend_schema(parameters=FILTERS, responses={200: AuditEventSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Who did what and when, newest first."""
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        return _everywhere(self.request)


class ProjectAuditEventListView(AuditEventListView):
    """The audit events of one project, newest first."""

    @extend_schema(parameters=FILTERS, responses={200: AuditEventSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Who did what in one project and when, newest first."""
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        return _in_project(self.request, self.kwargs["slug"])


class AuditExportView(ExportView):
    @extend_schema(
        parameters=[*FILTERS, format_parameter()], responses={**file_responses(), **REFUSALS}
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """All audit events of a filter, newest first, as a stream of JSON lines or CSV."""
        return _file(request, _everywhere(request), "audit")


class ProjectAuditExportView(ExportView):
    @extend_schema(
        parameters=[*FILTERS, format_parameter()], responses={**file_responses(), **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All audit events of a project and a filter, as a stream of JSON lines or CSV."""
        return _file(request, _in_project(request, slug), f"{slug}-audit")


def _everywhere(request: Request) -> QuerySet[AuditEvent]:
    administrator(caller(request), "accounts.view_audit_events")
    return _filtered(request, "")


def _in_project(request: Request, slug: str) -> QuerySet[AuditEvent]:
    project = project_for(caller(request), slug, "projects.view_audit_events")
    return _filtered(request, project.slug)


def _filtered(request: Request, project: str) -> QuerySet[AuditEvent]:
    data = AuditFilterSerializer(data=request.query_params.dict())
    data.is_valid(raise_exception=True)
    names = ("actor", "verb", "since", "until")
    chosen = {name: data.validated_data[name] for name in names}
    return audit_events(AuditFilter(project=project, **chosen))


def _file(request: Request, events: QuerySet[AuditEvent], stem: str) -> StreamingHttpResponse:
    name, rows = asked_format(request), audit_rows(events)
    lines = csv_lines(AUDIT_COLUMNS, rows) if name == "csv" else json_lines(rows)
    return file_answer(lines, name=f"{stem}.{name}")
