"""The API of rounds: the list, one round, opening and closing, the guideline, the figures."""

from django.core.exceptions import PermissionDenied
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import project_for
from review import queries
from review.actions.rounds import RoundSettings, close_round, create_guideline, open_round
from review.api.access import REFUSALS, round_of, user_of, valid
from review.api.serializers import (
    GuidelineInput,
    GuidelineSerializer,
    RoundDetailSerializer,
    RoundInput,
    RoundSerializer,
)


class RoundListView(APIView):
    """The rounds of a project, and opening the next one."""

    @extend_schema(responses={200: RoundSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.view_rounds")
        return Response(RoundSerializer(project.rounds.order_by("number"), many=True).data)

    @extend_schema(request=RoundInput, responses={201: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.open_round")
        data = valid(RoundInput(data=request.data))
        round_ = open_round(
            project=project,
            settings=RoundSettings(**data),
            actor=user_of(request),
            now=timezone.now(),
        )
        return Response(RoundSerializer(round_).data, status=status.HTTP_201_CREATED)


class RoundView(APIView):
    """One round: its settings, how far it is, and its figures of this moment."""

    @extend_schema(responses={200: RoundDetailSerializer, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        round_ = round_of(user_of(request), pk)
        if not request.user.has_perm("review.view_rounds", round_.project):
            raise PermissionDenied
        return Response(RoundDetailSerializer(round_).data)


class RoundCloseView(APIView):
    @extend_schema(request=None, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        round_ = round_of(user_of(request), pk)
        if not request.user.has_perm("review.close_round", round_.project):
            raise PermissionDenied
        closed = close_round(round_=round_, actor=user_of(request), now=timezone.now())
        return Response(RoundSerializer(closed).data)


class GuidelineListView(APIView):
    """The versions of a project's guideline, the one in force first; managers add the next."""

    @extend_schema(responses={200: GuidelineSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.view_rounds")
        versions = project.guidelines.order_by("-version")
        return Response(GuidelineSerializer(versions, many=True).data)

    @extend_schema(request=GuidelineInput, responses={201: GuidelineSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.change_guideline")
        guideline = create_guideline(
            project=project,
            **valid(GuidelineInput(data=request.data)),
            actor=user_of(request),
            now=timezone.now(),
        )
        return Response(GuidelineSerializer(guideline).data, status=status.HTTP_201_CREATED)


class ReportView(APIView):
    """The figures of every stage, as `review_report --json` prints them."""

    @extend_schema(responses={200: OpenApiResponse(response=OpenApiTypes.OBJECT), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.view_report")
        return Response(queries.report(project))
