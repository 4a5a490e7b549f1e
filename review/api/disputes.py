"""The API of disputes: the queue, and settling one."""

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.pagination import KeysetPagination
from projects.selectors import project_for
from review import queries
from review.actions.adjudication import adjudicate_panel
from review.api.requests import REFUSALS, user_of
from review.api.serializers import AdjudicationInput, DisputeSerializer
from review.models import Panel
from review.selectors import panel_by_id


class WorstFirstPagination(KeysetPagination):
    """Pages in the order of the adjudication queue."""

    order = ("-severity", "pk")


class DisputeListView(generics.GenericAPIView[Panel]):
    """Open disputes, worst agreement first, in keyset pages; a senior's own are left out."""

    serializer_class = DisputeSerializer
    pagination_class = WorstFirstPagination

    @extend_schema(responses={200: DisputeSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(user_of(request), slug, "review.view_disputes")
        rows = queries.disputes_for(project, user_of(request)).prefetch_related("judgements")
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(DisputeSerializer(page, many=True).data)


class AdjudicationView(APIView):
    """Settle a dispute."""

    @extend_schema(
        request=AdjudicationInput,
        responses={201: OpenApiResponse(response=OpenApiTypes.OBJECT), **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        panel = panel_by_id(user, pk)
        data = AdjudicationInput(data=request.data)
        data.is_valid(raise_exception=True)
        chosen = data.validated_data.get("judgement")
        judgement = panel.judgements.filter(pk=chosen).first() if chosen else None
        adjudication = adjudicate_panel(
            panel=panel, senior=user, content=data.content(judgement), now=timezone.now()
        )
        body = {
            "adjudication": adjudication.pk,
            "decision": adjudication.decision,
            "revision": adjudication.resulting_revision_id,
        }
        return Response(body, status=status.HTTP_201_CREATED)
