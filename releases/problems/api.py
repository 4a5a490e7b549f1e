"""The API of problem reports: anybody sends them, managers and seniors decide."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.rules import client_address
from common.api import REFUSALS, ErrorSerializer, StrictSerializer
from common.pagination import ApiPagination
from common.reasons import REASON_LENGTH
from projects.selectors import project_for
from releases.enums import ProblemKind, ProblemState
from releases.models import ProblemReport
from releases.problems.actions import (
    LONGEST_CONTACT,
    LONGEST_TEXT,
    Problem,
    accept_problem,
    dismiss_problem,
    report_problem,
)
from releases.problems.queries import problem_reports
from releases.problems.selectors import problem_for
from releases.public.access import MayRead, readable_release

DECIDE = "releases.decide_problem"
TOO_MANY = OpenApiResponse(
    ErrorSerializer,
    description="`too_many_problems`: `Retry-After` and `detail` say when the next is taken.",
)


class ProblemQuery(StrictSerializer):
    state = serializers.ChoiceField(choices=ProblemState.choices, default="", allow_blank=True)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)


class ProblemInput(StrictSerializer):
    """A problem with an open item, as a reader reports it."""

    item = serializers.CharField(max_length=200, help_text="The item's id in the files.")
    kind = serializers.ChoiceField(choices=ProblemKind.choices)
    text = serializers.CharField(max_length=LONGEST_TEXT)
    contact = serializers.EmailField(
        max_length=LONGEST_CONTACT,
        allow_blank=True,
        default="",
        help_text="Seen by the project's managers and seniors only.",
    )

    def problem(self) -> Problem:
        return Problem(**self.validated_data)


class ProblemReceivedSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    kind = serializers.CharField()
    reported_at = serializers.DateTimeField()


class ProblemSerializer(serializers.Serializer[Any]):
    """A report as managers and seniors see it."""

    id = serializers.IntegerField()
    version = serializers.CharField(source="release.version")
    item = serializers.CharField(source="placed.public_id")
    kind = serializers.ChoiceField(choices=ProblemKind.choices)
    text = serializers.CharField()
    contact = serializers.CharField()
    reported_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=ProblemState.choices)
    decision = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)
    mended_in = serializers.CharField(source="mended_in.version", default=None, allow_null=True)


class ProblemDecisionInput(StrictSerializer):
    state = serializers.ChoiceField(choices=[ProblemState.ACCEPTED, ProblemState.DISMISSED])
    words = serializers.CharField(
        max_length=REASON_LENGTH,
        help_text="Of an accepted report: what is wrong, as its readers will see it.",
    )


class ReportProblemView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(
        request=ProblemInput,
        responses={201: ProblemReceivedSerializer, **REFUSALS, 429: TOO_MANY},
    )
    def post(self, request: Request, project: str, version: str) -> Response:
        """Report a problem with an open item; no account is needed where everybody reads the release."""
        release = readable_release(request, project, version)
        data = ProblemInput(data=request.data)
        data.is_valid(raise_exception=True)
        found = report_problem(
            release=release,
            problem=data.problem(),
            address=client_address(request),
            now=timezone.now(),
        )
        body = {
            "item": found.placed.public_id,
            "kind": found.kind,
            "reported_at": found.reported_at,
        }
        return Response(ProblemReceivedSerializer(body).data, status=status.HTTP_201_CREATED)


class ProblemListView(generics.GenericAPIView[ProblemReport]):
    """The problem reports of the project's releases, newest first."""

    pagination_class = ApiPagination
    serializer_class = ProblemSerializer
    queryset = ProblemReport.objects.none()

    def get_queryset(self) -> QuerySet[ProblemReport]:
        project = project_for(caller(self.request), self.kwargs["slug"], DECIDE)
        asked = ProblemQuery(data=self.request.query_params.dict())
        asked.is_valid(raise_exception=True)
        rows, state = problem_reports(project), asked.validated_data["state"]
        return rows.filter(state=state) if state else rows

    @extend_schema(
        parameters=[
            OpenApiParameter("state", enum=ProblemState.values, description="All without it.")
        ],
        responses={200: ProblemSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ProblemSerializer(page, many=True).data)


class ProblemDecisionView(APIView):
    @extend_schema(request=ProblemDecisionInput, responses={200: ProblemSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Accept a report, which makes it an erratum, or dismiss it; both with words."""
        user = caller(request)
        report = problem_for(user, slug, pk)
        data = ProblemDecisionInput(data=request.data)
        data.is_valid(raise_exception=True)
        words, now = data.validated_data["words"], timezone.now()
        if data.validated_data["state"] == ProblemState.ACCEPTED:
            accept_problem(report=report, words=words, actor=user, now=now)
        else:
            dismiss_problem(report=report, reason=words, actor=user, now=now)
        return Response(
            ProblemSerializer(
                get_object_or_404(problem_reports(report.release.project), pk=pk)
            ).data
        )
