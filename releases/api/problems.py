"""The API of problem reports: anybody sends them, managers and seniors decide."""

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
from common.api import ErrorSerializer, StrictSerializer
from common.pagination import ApiPagination
from projects.selectors import project_for
from releases import actions
from releases.api.permissions import MayRead
from releases.api.serializers import (
    ProblemDecisionInput,
    ProblemInput,
    ProblemReceivedSerializer,
    ProblemSerializer,
)
from releases.api.views import REFUSALS, readable_release
from releases.enums import ProblemState
from releases.models import ProblemReport
from releases.queries import problem_reports
from releases.selectors import problem_for

DECIDE = "releases.decide_problem"
TOO_MANY = OpenApiResponse(
    ErrorSerializer,
    description="`too_many_problems`: `Retry-After` and `detail` say when the next is taken.",
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
        found = actions.report_problem(
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


class ProblemQuery(StrictSerializer):
    state = serializers.ChoiceField(choices=ProblemState.choices, default="", allow_blank=True)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)


class ProblemListView(generics.GenericAPIView[ProblemReport]):
    """What readers reported of the project's releases, newest first."""

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
            actions.accept_problem(report=report, words=words, actor=user, now=now)
        else:
            actions.dismiss_problem(report=report, reason=words, actor=user, now=now)
        return Response(
            ProblemSerializer(
                get_object_or_404(problem_reports(report.release.project), pk=pk)
            ).data
        )
