"""The API of what spans every app: what waits for the caller."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import mark_news_seen
from accounts.api.views import caller
from common.api import ErrorSerializer, StrictSerializer
from config.home import Home, ProjectHome, home_of
from projects.queries import projects_of

MOST_PROJECTS = 100


class FatesSerializer(serializers.Serializer[Any]):
    kept = serializers.IntegerField()
    edited = serializers.IntegerField()
    overturned = serializers.IntegerField()


class ProjectHomeSerializer(serializers.Serializer[ProjectHome]):
    project = serializers.CharField(source="project.slug")
    role = serializers.CharField(source="project.role", allow_null=True)
    round = serializers.IntegerField(
        source="round.round.number",
        default=None,
        allow_null=True,
        help_text="The open round, for those who judge in it; null for others.",
    )
    can_take = serializers.BooleanField(
        source="round.can_take",
        default=False,
        help_text="Whether an item of the open round is there for you now.",
    )
    disputes = serializers.IntegerField(
        source="disputes.count", default=0, help_text="Disputes that you may settle."
    )
    second_looks = serializers.IntegerField(
        help_text="Items that a senior asks you to look at again."
    )
    duplicates = serializers.IntegerField(
        source="leading.duplicates", help_text="Pairs of duplicates that you may decide."
    )
    proposals = serializers.IntegerField(
        source="leading.proposals", help_text="Proposals for the glossary that you may decide."
    )
    problems = serializers.IntegerField(
        source="leading.problems", help_text="Problem reports of readers that you may decide."
    )
    judged_round = serializers.IntegerField(
        source="leading.judged_round",
        allow_null=True,
        help_text="The open round in which everything is judged, for managers, who can close it.",
    )
    fates = FatesSerializer(help_text="What became of your judgements since you last looked.")


class EndedJobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    project = serializers.CharField(source="scope")
    state = serializers.CharField()
    finished_at = serializers.DateTimeField()


class HomeSerializer(serializers.Serializer[Home]):
    seen_at = serializers.DateTimeField(source="since", allow_null=True)
    projects = ProjectHomeSerializer(source="places", many=True)
    jobs = EndedJobSerializer(many=True)


class HomeView(APIView):
    @extend_schema(operation_id="me_home", responses={200: HomeSerializer, 401: ErrorSerializer})
    def get(self, request: Request) -> Response:
        """What waits for you in your newest projects, and what is new since you last looked."""
        user = caller(request)
        projects = list(projects_of(user)[:MOST_PROJECTS])
        return Response(HomeSerializer(home_of(user, projects, now=timezone.now())).data)

    @extend_schema(
        operation_id="me_home_seen",
        request=None,
        responses={204: None, 400: ErrorSerializer, 401: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Mark all of it as seen. Send no body, or an empty object."""
        StrictSerializer(data=request.data).is_valid(raise_exception=True)
        mark_news_seen(user=caller(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
