"""The API that tells from which team's endpoint a leaked text comes, for a project's managers."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictJSONParser, StrictSerializer
from projects.selectors import project_for
from releases.selectors import get_release
from submissions.actions.tracing import MOST_LEAKED, trace_leak
from submissions.presenters import leak_json

CHANGE = "submissions.change_submissions"


class LeakInput(StrictSerializer):
    release = serializers.CharField(max_length=50, help_text="The version whose items leaked.")
    file = serializers.FileField(
        help_text="UTF-8 text, such as JSONL or CSV, of at most 20 MB. It is not stored."
    )


class TeamTraceSerializer(serializers.Serializer[Any]):
    """What the text says about a team whose endpoint was asked."""

    team = serializers.CharField()
    found = serializers.IntegerField(help_text="Its marked items that stand in the text.")
    matched = serializers.IntegerField(help_text="Those whose options have the team's order there.")
    chance = serializers.FloatField(
        help_text="The probability of as many in a text that does not come from the team."
    )
    is_named = serializers.BooleanField(help_text="Whether that is at most 0.001.")


class LeakTraceSerializer(serializers.Serializer[Any]):
    """How many of the items with options stand in the text, and the teams, the smallest chance first."""

    version = serializers.CharField()
    found = serializers.IntegerField()
    items = serializers.IntegerField()
    teams = TeamTraceSerializer(many=True)


class LeaksView(APIView):
    parser_classes = (MultiPartParser, StrictJSONParser)

    @extend_schema(
        request={"multipart/form-data": LeakInput},
        responses={200: LeakTraceSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Tell from which team's endpoint a text with questions of a release comes."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = LeakInput(data=request.data)
        data.is_valid(raise_exception=True)
        release = get_release(project, data.validated_data["release"], must_stand=True)
        content = data.validated_data["file"].read(MOST_LEAKED + 1)
        trace = trace_leak(release=release, content=content, actor=user, now=timezone.now())
        return Response(leak_json(release, trace))
