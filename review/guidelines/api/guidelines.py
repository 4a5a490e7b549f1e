"""The API of guidelines: the list, and a new one."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from common.api import REFUSALS
from common.pagination import NumberedPagination
from projects.selectors import project_for
from review.guidelines.actions.guidelines import create_guideline
from review.guidelines.api.serializers import GuidelineInput, GuidelineSerializer
from review.guidelines.queries import guideline_in_force
from review.models import Guideline
from review.requests import valid


class GuidelineListView(generics.GenericAPIView[Guideline]):
    """The versions of a project's guideline, the one in force first; managers add the next."""

    pagination_class = NumberedPagination
    serializer_class = GuidelineSerializer

    @extend_schema(responses={200: GuidelineSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The versions of a project's guideline, the one in force first.

        Until one is written or the first round opens, that is the one that every project starts with.
        """
        project = project_for(caller(request), slug, "review.view_rounds")
        versions = list(project.guidelines.order_by("-version")) or [guideline_in_force(project)]
        page: Any = self.paginate_queryset(versions)
        return self.get_paginated_response(GuidelineSerializer(page, many=True).data)

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
