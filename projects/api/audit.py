"""The API of audit events: a project's for its managers, all of them for administrators."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from accounts.audit import AuditFilter, audit_events
from accounts.models import AuditEvent
from accounts.rules import administrator
from common.api import ErrorSerializer, StrictSerializer
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
    data = serializers.DictField()  # type: ignore[assignment]  # the name of the column
    request_id = serializers.CharField()


class AuditFilterSerializer(StrictSerializer):
    actor = serializers.CharField(max_length=254, default="")
    verb = serializers.RegexField(r"^[a-z_]+(\.[a-z_]+)?$", max_length=60, default="")
    since = serializers.DateTimeField(default=None)
    until = serializers.DateTimeField(default=None)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)


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
        data = AuditFilterSerializer(data=self.request.query_params.dict())
        data.is_valid(raise_exception=True)
        names = ("actor", "verb", "since", "until")
        chosen = {name: data.validated_data[name] for name in names}
        return audit_events(AuditFilter(project=self.scope(), **chosen))

    def scope(self) -> str:
        """The project whose events are asked for; empty means all. Raises PermissionDenied."""
        administrator(caller(self.request), "accounts.view_audit_events")
        return ""


class ProjectAuditEventListView(AuditEventListView):
    """The audit events of one project, newest first."""

    @extend_schema(parameters=FILTERS, responses={200: AuditEventSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Who did what in one project and when, newest first."""
        return self.list(request, *args, **kwargs)

    def scope(self) -> str:
        slug = self.kwargs["slug"]
        return project_for(caller(self.request), slug, "projects.view_audit_events").slug
