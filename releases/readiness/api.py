"""The API of readiness: what blocks a release of a project, and what warns."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS
from projects.selectors import project_for
from releases.readiness.report import readiness


class MatterSerializer(serializers.Serializer[Any]):
    """A problem that blocks or warns; `items` are uids, pairs of uids, or names."""

    code = serializers.CharField()
    count = serializers.IntegerField()
    items = serializers.ListField(child=serializers.CharField())
    detail = serializers.CharField()
    url = serializers.CharField()
    who = serializers.CharField(help_text="What can be done about it, and by which role.")
    people = serializers.ListField(
        child=serializers.CharField(), help_text="The first of those who can, by name."
    )
    can_waive = serializers.BooleanField()


class ReadinessSerializer(serializers.Serializer[Any]):
    blocking = MatterSerializer(many=True)
    warnings = MatterSerializer(many=True)
    proposed_version = serializers.CharField()


class ReadinessView(APIView):
    @extend_schema(responses={200: ReadinessSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return what blocks a release of the project, what warns, and the version that fits."""
        project = project_for(caller(request), slug, "releases.build_release")
        return Response(readiness(project).as_json())
