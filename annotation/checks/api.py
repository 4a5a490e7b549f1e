"""The API of findings: what checks found in the texts under review, and dismissing one."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from annotation.checks.actions import dismiss_finding, reopen_finding
from annotation.checks.catalogue.labels import KINDS, describe
from annotation.checks.queries import (
    DISMISSED,
    OPEN,
    CodeCount,
    FindingFilter,
    explanation_of,
    filtered_findings,
    findings_by_code,
)
from annotation.checks.recheck import last_whole_set, start_recheck
from annotation.enums import Severity
from annotation.models import Finding
from common.api import REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from common.reasons import REASON_LENGTH
from projects.api.views import valid
from projects.models import Project
from projects.selectors import project_for

PARAMETERS = [
    OpenApiParameter("code", OpenApiTypes.STR, enum=list(KINDS)),
    OpenApiParameter("severity", OpenApiTypes.STR, enum=Severity.values),
    OpenApiParameter("state", OpenApiTypes.STR, enum=[OPEN, DISMISSED]),
    OpenApiParameter(
        "system",
        OpenApiTypes.STR,
        description="Findings on the texts of this system; otherwise of the texts under review.",
    ),
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
    dismissed_by = serializers.CharField(allow_null=True)
    dismissal_reason = serializers.CharField()

    @extend_schema_field(serializers.CharField())
    def get_message(self, finding: Finding) -> str:
        return describe(finding.code, finding.data, gettext)


class FindingParameters(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=list(KINDS), required=False)
    severity = serializers.ChoiceField(choices=Severity.choices, required=False)
    state = serializers.ChoiceField(choices=[OPEN, DISMISSED], required=False)
    system = serializers.CharField(required=False, max_length=100)


class FindingListView(generics.ListAPIView[Finding]):
    """Findings on the texts under review, or on the current texts of one system."""

    serializer_class = FindingSerializer
    pagination_class = ApiPagination
    queryset = Finding.objects.none()

    def get_queryset(self) -> Any:
        project = project_for(caller(self.request), self.kwargs["slug"], "annotation.view_findings")
        return _filtered(project, self.request.query_params)

    @extend_schema(parameters=PARAMETERS, responses={200: FindingSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class CodeCountSerializer(serializers.Serializer[CodeCount]):
    """Open findings of one check and severity on the texts under review."""

    code = serializers.CharField()
    title = serializers.CharField()
    family = serializers.CharField(help_text="Empty where there is no such check any more.")
    severity = serializers.ChoiceField(choices=Severity.choices)
    findings = serializers.IntegerField(source="finding_count")
    items = serializers.IntegerField(source="item_count", help_text="How many items have one.")
    explanation = serializers.SerializerMethodField(
        help_text="What the check is for and how to fix what it finds, in Markdown."
    )

    def get_explanation(self, count: CodeCount) -> str:
        return explanation_of(count.code)


class FindingCountsQuery(StrictSerializer):
    system = serializers.CharField(max_length=100, default="", allow_blank=True)


class FindingCountsView(APIView):
    @extend_schema(
        operation_id="projects_findings_counts",
        parameters=[PARAMETERS[-1]],
        responses={200: CodeCountSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The number of open findings of each check, errors first, with what the check is for."""
        project = project_for(caller(request), slug, "annotation.view_findings")
        asked = valid(FindingCountsQuery(data=request.query_params.dict()))
        counts: Any = findings_by_code(project, asked["system"])
        return Response(CodeCountSerializer(counts, many=True).data)


class ReasonInput(StrictSerializer):
    reason = serializers.CharField(max_length=REASON_LENGTH)


class DismissFindingView(APIView):
    @extend_schema(request=ReasonInput, responses={200: FindingSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Dismiss a finding with a reason; your name is kept with it."""
        user = caller(request)
        finding = _finding(user, pk)
        reason = valid(ReasonInput(data=request.data))["reason"]
        dismiss_finding(finding=finding, reason=reason, actor=user, now=timezone.now())
        return Response(FindingSerializer(_fresh(finding)).data)


class ReopenFindingView(APIView):
    @extend_schema(request=None, responses={200: FindingSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Undo the dismissal of a finding."""
        user = caller(request)
        finding = _finding(user, pk)
        reopen_finding(finding=finding, actor=user, now=timezone.now())
        return Response(FindingSerializer(_fresh(finding)).data)


def _finding(user: User, pk: int) -> Finding:
    rows = Finding.objects.select_related("revision__translation__item__project", "dismissed_by")
    finding: Finding = get_object_or_404(rows, pk=pk)
    project_for(user, finding.revision.translation.item.project.slug, "annotation.dismiss_finding")
    return finding


def _fresh(finding: Finding) -> Finding:
    finding.refresh_from_db(fields=["dismissed_at", "dismissed_by", "dismissal_reason"])
    return finding


def _filtered(project: Project, params: Any) -> Any:
    given = FindingParameters(data={name: params[name] for name in params})
    if not given.is_valid():
        raise ValidationError(given.errors)
    return filtered_findings(project, FindingFilter(**given.validated_data))


class KeyBalanceSerializer(serializers.Serializer[Any]):
    """How often each letter is the key of items with `option_count` options."""

    option_count = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    n = serializers.IntegerField()
    p = serializers.FloatField(
        allow_null=True, help_text="Chi-square test of even counts; null for too few items."
    )
    is_uneven = serializers.BooleanField()


class LongestOptionSerializer(serializers.Serializer[Any]):
    """How often the longest option is right, among `n` items with one longest option."""

    right = serializers.IntegerField()
    expected = serializers.FloatField()
    n = serializers.IntegerField()
    p = serializers.FloatField(allow_null=True)
    is_uneven = serializers.BooleanField()


class WordingSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    count = serializers.IntegerField()
    uid = serializers.CharField(help_text="One item that has it.")


class SeveralWaysSerializer(serializers.Serializer[Any]):
    source = serializers.CharField()  # type: ignore[assignment]
    wordings = WordingSerializer(many=True)


class WholeSetSerializer(serializers.Serializer[Any]):
    keys = KeyBalanceSerializer(many=True)
    longest = LongestOptionSerializer()
    several_ways_count = serializers.IntegerField()
    several_ways = SeveralWaysSerializer(many=True)


class LastCheckSerializer(serializers.Serializer[Any]):
    """The last finished job that checked every text; all is null before the first."""

    job = serializers.IntegerField(allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    whole_set = WholeSetSerializer(allow_null=True)


class StartedCheckSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class CheckView(APIView):
    @extend_schema(responses={200: LastCheckSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """What the last check of every text found in the whole set."""
        project = project_for(caller(request), slug, "annotation.view_findings")
        last = last_whole_set(project)
        if last is None:
            return Response({"job": None, "checked_at": None, "whole_set": None})
        job, found = last
        body = {"job": job.pk, "checked_at": job.finished_at, "whole_set": found}
        return Response(LastCheckSerializer(body).data)

    @extend_schema(request=None, responses={202: StartedCheckSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Check every text again; the progress is that of the job."""
        user = caller(request)
        project = project_for(user, slug, "annotation.import_items")
        job = start_recheck(project=project, actor=user, now=timezone.now())
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)
