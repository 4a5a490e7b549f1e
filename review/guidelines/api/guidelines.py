"""The API of guidelines: the list, and a new one."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from projects.selectors import project_for
from review.guidelines.actions.guidelines import create_guideline
from review.guidelines.api.serializers import GuidelineInput, GuidelineSerializer
from review.guidelines.queries import guideline_in_force
from review.requests import valid


class GuidelineListView(APIView):
    """The versions of a project's guideline, the one in force first; managers add the next."""

    @extend_schema(responses={200: GuidelineSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The versions of a project's guideline, the one in force first.

        Until one is written or the first round opens, that is the one that every project starts with.
        """
        project = project_for(caller(request), slug, "review.view_rounds")
        versions = project.guidelines.order_by("-version") or [guideline_in_force(project)]
        return Response(GuidelineSerializer(versions, many=True).data)

    @extend_schema(request=GuidelineInput, responses={201: GuidelineSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Write the next version of a project's guideline."""
        project = project_for(caller(request), slug, "review.change_guideline")
        guideline = create_guideline(
            project=project,
            **valid(GuidelineInput(data=request.data)),
            actor=caller(request),
            now=timezone.now(),
        )
        return Response(GuidelineSerializer(guideline).data, status=status.HTTP_201_CREATED)
