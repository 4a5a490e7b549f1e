"""The API of passages that adjudications propose for the guideline."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.pagination import KeysetPagination
from common.reasons import REASON_LENGTH
from projects.selectors import project_for
from review.guidelines.actions.passages import accept_passage, decline_passage, propose_passage
from review.guidelines.passages import decided_under_old_text, open_passages
from review.guidelines.selectors import adjudication_by_id, passage_by_id
from review.models import Adjudication, Passage
from review.requests import valid

PROPOSE = "review.propose_passage"
CHANGE = "review.change_guideline"


class PassageInput(StrictSerializer):
    text = serializers.CharField(max_length=REASON_LENGTH)


class PassageDecisionInput(StrictSerializer):
    accept = serializers.BooleanField()


class PassageSerializer(serializers.Serializer[Passage]):
    """`guideline` is the version that has the passage, null where none has."""

    id = serializers.IntegerField(source="pk")
    adjudication = serializers.IntegerField(source="adjudication_id")
    item = serializers.CharField(source="adjudication.panel.item.uid")
    text = serializers.CharField()
    proposed_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    guideline = serializers.IntegerField(source="guideline.version", allow_null=True, default=None)


class AdjudicationSerializer(serializers.Serializer[Adjudication]):
    id = serializers.IntegerField(source="pk")
    item = serializers.CharField(source="panel.item.uid")
    decision = serializers.CharField()
    reason = serializers.CharField()
    citation = serializers.CharField()
    guideline = serializers.IntegerField(source="panel.round.guideline.version")


class OldestFirst(KeysetPagination):
    order = ("pk",)


class NewestFirst(KeysetPagination):
    order = ("-pk",)


class PassageListView(generics.GenericAPIView[Passage]):
    """Passages that wait for a manager."""

    serializer_class = PassageSerializer
    pagination_class = OldestFirst

    @extend_schema(responses={200: PassageSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, PROPOSE)
        page: Any = self.paginate_queryset(open_passages(project))
        return self.get_paginated_response(PassageSerializer(page, many=True).data)


class PassageView(generics.GenericAPIView[Adjudication]):
    """Adjudications under guidelines without the passage of this one, and proposing one."""

    serializer_class = AdjudicationSerializer
    pagination_class = NewestFirst

    @extend_schema(responses={200: AdjudicationSerializer(many=True), **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        adjudication = adjudication_by_id(caller(request), pk, PROPOSE)
        page: Any = self.paginate_queryset(decided_under_old_text(adjudication))
        return self.get_paginated_response(AdjudicationSerializer(page, many=True).data)

    @extend_schema(request=PassageInput, responses={201: PassageSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Propose a passage for the guideline from an adjudication."""
        user = caller(request)
        adjudication = adjudication_by_id(user, pk, PROPOSE)
        text = valid(PassageInput(data=request.data))["text"]
        made = propose_passage(adjudication=adjudication, text=text, actor=user, now=timezone.now())
        return Response(PassageSerializer(made).data, status=status.HTTP_201_CREATED)


class DecisionView(APIView):
    """Add a proposed passage to the guideline as its next version, or decline it."""

    @extend_schema(request=PassageDecisionInput, responses={200: PassageSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        passage = passage_by_id(user, pk, CHANGE)
        if valid(PassageDecisionInput(data=request.data))["accept"]:
            accept_passage(passage=passage, actor=user, now=timezone.now())
        else:
            decline_passage(passage=passage, actor=user, now=timezone.now())
        stored = get_object_or_404(Passage.objects.select_related("guideline"), pk=passage.pk)
        return Response(PassageSerializer(stored).data)
