"""The API of disputes about keys: a senior's adjudication."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from review.disputes.actions.key_disputes import settle_key_dispute
from review.disputes.selectors import panel_by_id
from review.limits import LONGEST_TEXT
from review.requests import valid


class KeyAdjudicationInput(StrictSerializer):
    """What `POST disputes/{id}/key/` takes: the right key, the one that you saw, and the reason."""

    key = serializers.CharField(max_length=40)
    seen_key = serializers.CharField(max_length=40)
    reason = serializers.CharField(max_length=LONGEST_TEXT)


class KeyAdjudicationSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    is_corrected = serializers.BooleanField()


class KeyAdjudicationView(APIView):
    """Settle a dispute about a key: it stands, or it is corrected."""

    @extend_schema(
        request=KeyAdjudicationInput, responses={201: KeyAdjudicationSerializer, **REFUSALS}
    )
    def post(self, request: Request, pk: int) -> Response:
        panel = panel_by_id(caller(request), pk)
        said = valid(KeyAdjudicationInput(data=request.data))
        adjudication = settle_key_dispute(
            panel=panel, senior=caller(request), now=timezone.now(), **said
        )
        body = {"key": panel.item.key, "is_corrected": adjudication.change_id is not None}
        return Response(body, status=status.HTTP_201_CREATED)
