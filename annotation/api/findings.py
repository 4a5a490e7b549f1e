"""The API of findings: what checks found in the texts under review, and dismissing one."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.access import project_for
from annotation.actions.findings import dismiss_finding
from annotation.api.items import REFUSALS, ReasonInput
from annotation.api.projects import valid
from annotation.checks.messages import MESSAGES, describe
from annotation.enums import Severity
from annotation.models import Finding, Project
from annotation.queries.findings import findings_under_review
from common.pagination import ApiPagination

PARAMETERS = [
    OpenApiParameter("code", OpenApiTypes.STR, enum=list(MESSAGES)),
    OpenApiParameter("severity", OpenApiTypes.STR, enum=Severity.values),
    OpenApiParameter("state", OpenApiTypes.STR, enum=["open", "dismissed"]),
]


class FindingSerializer(serializers.Serializer[Finding]):
    id = serializers.IntegerField()
    item = serializers.IntegerField(source="revision.translation.item_id")
    uid = serializers.CharField(source="revision.translation.item.uid")
    system = serializers.CharField(source="revision.translation.system")
    revision = serializers.IntegerField(source="revision_id")
    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=Severity.choices)
    field = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    message = serializers.SerializerMethodField()
    dismissed_at = serializers.DateTimeField(allow_null=True)
    dismissal_reason = serializers.CharField()

    @extend_schema_field(serializers.CharField())
    def get_message(self, finding: Finding) -> str:
        return describe(finding.code, finding.data, gettext)


class FindingFilter(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=list(MESSAGES), required=False)
    severity = serializers.ChoiceField(choices=Severity.choices, required=False)
    state = serializers.ChoiceField(choices=["open", "dismissed"], required=False)


class FindingListView(generics.ListAPIView[Finding]):
    """Findings on the texts under review."""

    serializer_class = FindingSerializer
    pagination_class = ApiPagination
    queryset = Finding.objects.none()

    def get_queryset(self) -> Any:
        project = project_for(caller(self.request), self.kwargs["slug"], "annotation.view_findings")
        return _filtered(project, self.request.query_params)

    @extend_schema(parameters=PARAMETERS, responses={200: FindingSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class DismissFindingView(APIView):
    @extend_schema(request=ReasonInput, responses={200: FindingSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Set a finding aside by name and reason."""
        rows = Finding.objects.select_related("revision__translation__item__project")
        finding = get_object_or_404(rows, pk=pk)
        slug = finding.revision.translation.item.project.slug
        user = caller(request)
        project_for(user, slug, "annotation.dismiss_finding")
        reason = valid(ReasonInput(data=request.data))["reason"]
        dismiss_finding(finding=finding, reason=reason, actor=user, now=timezone.now())
        finding.refresh_from_db(fields=["dismissed_at", "dismissal_reason"])
        return Response(FindingSerializer(finding).data)


def _filtered(project: Project, params: Any) -> Any:
    given = FindingFilter(data={name: params[name] for name in params})
    if not given.is_valid():
        raise ValidationError(given.errors)
    wanted = dict(given.validated_data)
    state = wanted.pop("state", "")
    rows = findings_under_review(project).filter(**wanted)
    if state:
        rows = rows.filter(dismissed_at__isnull=state == "open")
    return rows.select_related("revision__translation__item")
