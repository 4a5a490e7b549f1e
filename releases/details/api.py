"""The API of what cards and citations of coming releases say."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from projects.models import Project
from projects.queries import contributors_to_name
from projects.selectors import project_for
from releases.details.actions import DetailsRequest, change_details
from releases.details.values import LONGEST_PROSE, PROSE
from releases.models import ReleaseDetails


class DetailsSerializer(StrictSerializer):
    """The texts of cards and citations of coming releases; `authors` has one author a line."""

    title = serializers.CharField(max_length=200, allow_blank=True, default="")
    authors = serializers.CharField(
        max_length=LONGEST_PROSE,
        allow_blank=True,
        default="",
        help_text="One per line: Family, Given; ORCID. Or the name of an organisation, in quotes if it has a comma.",
    )
    doi = serializers.CharField(max_length=200, allow_blank=True, default="")
    url = serializers.CharField(max_length=500, allow_blank=True, default="")
    licence = serializers.CharField(max_length=100, allow_blank=True, default="")
    prose = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_PROSE, allow_blank=True),
        default=dict,
        help_text=f"Markdown by section: {', '.join(PROSE)}.",
    )
    contributor_count = serializers.IntegerField(
        read_only=True, help_text="How many people have agreed to be named; they alone decide it."
    )

    def details_request(self) -> DetailsRequest:
        return DetailsRequest(**self.validated_data)


class DetailsView(APIView):
    """The texts of cards and citations of coming releases."""

    @extend_schema(responses={200: DetailsSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, "releases.build_release")
        row = ReleaseDetails.objects.filter(project=project).first() or ReleaseDetails()
        return _details(row, project)

    @extend_schema(request=DetailsSerializer, responses={200: DetailsSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Replace the texts; a missing field becomes empty. Frozen releases keep what they have."""
        user = caller(request)
        project = project_for(user, slug, "releases.build_release")
        data = DetailsSerializer(data=request.data)
        data.is_valid(raise_exception=True)
        row = change_details(
            project=project, request=data.details_request(), actor=user, now=timezone.now()
        )
        return _details(row, project)


def _details(row: Any, project: Project) -> Response:
    row.contributor_count = contributors_to_name(project).count()
    return Response(DetailsSerializer(row).data)
