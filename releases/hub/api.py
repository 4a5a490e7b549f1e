"""The API of publishing a release on the Hugging Face Hub."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from releases.hub.actions import start_hub_publishing
from releases.hub.queries import hub_publications
from releases.selectors import release_for


class HubInput(StrictSerializer):
    repository = serializers.CharField(max_length=200, help_text="Owner and name.")
    is_private = serializers.BooleanField(default=False, help_text="If it has to be made.")
    is_dry_run = serializers.BooleanField(
        default=False, help_text="Only say what would change, in the job's result."
    )


class HubStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class HubPublicationSerializer(serializers.Serializer[Any]):
    repository = serializers.CharField()
    commit = serializers.CharField()
    published_at = serializers.DateTimeField()


class HubView(APIView):
    @extend_schema(responses={200: HubPublicationSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return where the release was published on the Hugging Face Hub."""
        release = release_for(caller(request), project, version, "releases.publish_release")
        rows = [row for row, _files, _commit in hub_publications(release)]
        return Response(HubPublicationSerializer(rows, many=True).data)

    @extend_schema(request=HubInput, responses={202: HubStartedSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Queue a publication; `jobs/{job}/` says how far it is."""
        user = caller(request)
        release = release_for(user, project, version, "releases.publish_release")
        data = HubInput(data=request.data)
        data.is_valid(raise_exception=True)
        job = start_hub_publishing(
            release=release, actor=user, now=timezone.now(), **data.validated_data
        )
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)
