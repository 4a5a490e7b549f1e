"""The API of second looks and further seats."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, IdField, StrictSerializer
from common.pagination import KeysetPagination
from common.reasons import REASON_LENGTH
from review.disputes.actions.inquiries import (
    answer_second_look,
    ask_further_judgement,
    ask_second_look,
    take_back_inquiry,
)
from review.disputes.selectors import panel_by_id, second_look_by_id
from review.enums import Verdict
from review.models import Inquiry, Judgement
from review.outcomes import Correction
from review.requests import IDEMPOTENCY_KEY, RatingsField, idempotency_key, valid
from review.seats.inquiries import asked_of
from review.workbench.api.claims import SourceTextSerializer
from review.workbench.api.serializers import CorrectionSerializer, JudgementInput, ReceiptSerializer
from review.workbench.presenters import source_json


class SecondLookInput(StrictSerializer):
    judgement = IdField()
    note = serializers.CharField(max_length=REASON_LENGTH)


class InquirySerializer(serializers.Serializer[Inquiry]):
    """What a dispute waits for, or waited for."""

    id = serializers.IntegerField(source="pk")
    dispute = serializers.IntegerField(source="panel_id")
    kind = serializers.CharField()
    state = serializers.CharField()
    asked_at = serializers.DateTimeField()


class FirstJudgementSerializer(serializers.Serializer[Judgement]):
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    ratings = RatingsField()
    tags = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField()
    correction = CorrectionSerializer(allow_null=True)
    numbers_confirmed = serializers.BooleanField()


class AskedSerializer(serializers.Serializer[Inquiry]):
    """A second look that you are asked for, with the senior's note and your judgement."""

    id = serializers.IntegerField(source="pk")
    project = serializers.CharField(source="panel.round.project.slug")
    item = serializers.CharField(source="panel.item.uid")
    item_id = serializers.IntegerField(source="panel.item_id")
    judgement = serializers.IntegerField(source="judgement_id")
    revision = serializers.IntegerField(source="panel.revision_id")
    note = serializers.CharField()
    asked_at = serializers.DateTimeField()


class AskedDetailSerializer(AskedSerializer):
    """The same with the texts of the item and what you said first."""

    source = serializers.SerializerMethodField()  # type: ignore[assignment]
    text = serializers.SerializerMethodField(help_text="The text to judge again.")
    said = serializers.SerializerMethodField()

    @extend_schema_field(SourceTextSerializer)
    def get_source(self, inquiry: Inquiry) -> Any:
        return source_json(inquiry.panel.item, inquiry.panel.round.project)

    @extend_schema_field(CorrectionSerializer)
    def get_text(self, inquiry: Inquiry) -> Any:
        return Correction.of(inquiry.panel.revision).as_json()

    @extend_schema_field(FirstJudgementSerializer)
    def get_said(self, inquiry: Inquiry) -> Any:
        return FirstJudgementSerializer(inquiry.judgement).data


class TakenBackSerializer(serializers.Serializer[Any]):
    taken_back = serializers.IntegerField(help_text="The id of the request.")


class OldestFirstPagination(KeysetPagination):
    order = ("pk",)


class SecondLookAskView(APIView):
    """Ask the reviewer of one judgement to look again; the dispute waits for the answer."""

    @extend_schema(request=SecondLookInput, responses={201: InquirySerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        panel = panel_by_id(caller(request), pk)
        data = valid(SecondLookInput(data=request.data))
        inquiry = ask_second_look(
            panel=panel,
            judgement=panel.judgements.filter(pk=data["judgement"]).first(),
            note=data["note"],
            actor=caller(request),
            now=timezone.now(),
        )
        return Response(InquirySerializer(inquiry).data, status=status.HTTP_201_CREATED)


class FurtherSeatView(APIView):
    """Ask for one more judgement of a dispute, which waits for it."""

    @extend_schema(request=None, responses={201: InquirySerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        panel = panel_by_id(user, pk)
        inquiry = ask_further_judgement(panel=panel, actor=user, now=timezone.now())
        return Response(InquirySerializer(inquiry).data, status=status.HTTP_201_CREATED)


class TakeBackView(APIView):
    """Take a request to reviewers back; a further judgement only while nobody is giving it."""

    @extend_schema(request=None, responses={200: TakenBackSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        user = caller(request)
        panel = panel_by_id(user, pk)
        inquiry = take_back_inquiry(panel=panel, actor=user, now=timezone.now())
        return Response({"taken_back": inquiry.pk})


class SecondLookListView(generics.GenericAPIView[Inquiry]):
    """What you are asked to look at again, the oldest first."""

    serializer_class = AskedSerializer
    pagination_class = OldestFirstPagination

    @extend_schema(responses={200: AskedSerializer(many=True), **REFUSALS})
    def get(self, request: Request) -> Response:
        page: Any = self.paginate_queryset(asked_of(caller(request)))
        return self.get_paginated_response(AskedSerializer(page, many=True).data)


class SecondLookDetailView(APIView):
    @extend_schema(responses={200: AskedDetailSerializer, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """One item that you are asked to look at again, with what you said of it first."""
        return Response(AskedDetailSerializer(second_look_by_id(caller(request), pk)).data)


class SecondLookView(APIView):
    """Answer by a judgement that takes the place of your first one.

    Sending it again with the same Idempotency-Key returns the first answer.
    """

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=JudgementInput,
        responses={201: ReceiptSerializer, **REFUSALS},
    )
    def post(self, request: Request, pk: int) -> Response:
        inquiry = second_look_by_id(caller(request), pk)
        key = idempotency_key(request)
        data = JudgementInput(data=request.data)
        data.is_valid(raise_exception=True)
        judgement = answer_second_look(
            inquiry=inquiry,
            reviewer=caller(request),
            revision_id=data.validated_data["revision"],
            content=data.content(),
            idempotency_key=key,
            now=timezone.now(),
        )
        body = {"judgement": judgement.pk, "receipt": judgement.receipt}
        return Response(body, status=status.HTTP_201_CREATED)
