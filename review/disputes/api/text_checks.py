"""The API of checks while a senior types: what is wrong with a text that is not stored."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from review.disputes.selectors import panel_by_id
from review.workbench.api.serializers import CorrectionSerializer
from review.workbench.api.text_checks import ANSWERS, as_answer, typed_text
from review.workbench.text_checks import check_panel_text


class CheckDisputeView(APIView):
    @extend_schema(request=CorrectionSerializer, responses=ANSWERS)
    def post(self, request: Request, pk: int) -> Response:
        """Check a final text for a dispute that you may settle; nothing is stored."""
        panel = panel_by_id(caller(request), pk)
        return as_answer(check_panel_text(panel, typed_text(request), panel.round.project))
