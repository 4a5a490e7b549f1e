"""The API of proposals: other translations to start a correction from."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from review.workbench.api.serializers import CorrectionSerializer
from review.workbench.proposals import proposals_of
from review.workbench.selectors import seat_by_id


class ProposalsView(APIView):
    @extend_schema(responses={200: CorrectionSerializer(many=True), **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return other translations of an item that you hold, if a strategy kept any."""
        user = caller(request)
        seat = seat_by_id(user, pk)
        if seat.reviewer_id != user.pk:
            raise Http404
        return Response([each.as_json() for each in proposals_of(seat)])
