"""The API of one dispute, with all that its page shows of it; nobody is named."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.checks.presenters import open_findings
from common.api import REFUSALS
from review.answers.queries import CommentedAnswer, KeyAnswers, answers_about_key
from review.disputes import presenters as disputes
from review.disputes.api.inquiries import InquirySerializer
from review.disputes.api.serializers import DisputeSerializer
from review.disputes.queries import adjudications_like
from review.disputes.selectors import dispute_to_read
from review.enums import DecisionKind, PanelState, RoundKind
from review.models import Adjudication, Panel
from review.screening.opinions import opinions_in_dispute
from review.screening.serializers import ToldOpinionSerializer
from review.seats.inquiries import answered_looks, inquiry_of
from review.workbench.api.claims import (
    EarlierWordsSerializer,
    OpenFindingSerializer,
    SourceTextSerializer,
)
from review.workbench.presenters import earlier_json, finding_json, source_json, suggestions_on


class PastAdjudicationSerializer(serializers.Serializer[disputes.PastAdjudication]):
    decision = serializers.CharField(help_text="In words.")
    reason = serializers.CharField()
    withdrawn = serializers.CharField(
        allow_null=True, help_text="Why it was taken back; null if it stands."
    )


class PastRoundSerializer(serializers.Serializer[disputes.PastRound]):
    round = serializers.IntegerField(source="number")
    outcome = serializers.CharField(help_text="In words; empty where there was none.")
    adjudications = PastAdjudicationSerializer(many=True)


class LikeAdjudicationSerializer(serializers.Serializer[Adjudication]):
    """A late decision on another dispute with one of the same reasons."""

    item = serializers.CharField(source="panel.item.uid")
    decision = serializers.ChoiceField(choices=DecisionKind.choices)
    reason = serializers.CharField()
    citation = serializers.CharField()


class AnsweredLookSerializer(serializers.Serializer[Any]):
    """A second look that was answered: the judgement of before, and the one in its place."""

    note = serializers.CharField()
    judgement = serializers.IntegerField(source="judgement_id")
    answer = serializers.IntegerField(source="answer_id")


class CommentedAnswerSerializer(serializers.Serializer[CommentedAnswer]):
    choice = serializers.CharField(help_text='Empty for "I cannot say".')
    comment = serializers.CharField()


class KeyAnswersSerializer(serializers.Serializer[KeyAnswers]):
    """What experts answered who did not see the key."""

    choices = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many chose each letter."
    )
    unsure = serializers.IntegerField(help_text="How many could not say.")
    comments = CommentedAnswerSerializer(many=True)


class DisputeDetailSerializer(DisputeSerializer):
    state = serializers.ChoiceField(choices=PanelState.choices)
    source = serializers.SerializerMethodField()  # type: ignore[assignment]
    findings = serializers.SerializerMethodField(help_text="Those that nobody dismissed.")
    suggestions = serializers.SerializerMethodField()
    opinions = serializers.SerializerMethodField(
        help_text="What models said in screening, if the round shows it to seniors."
    )
    waits_for = serializers.SerializerMethodField()
    second_looks = serializers.SerializerMethodField()
    history = serializers.SerializerMethodField(
        help_text="The latest rounds of the item before this one."
    )
    like_adjudications = serializers.SerializerMethodField()
    answers = serializers.SerializerMethodField(
        help_text="Of a dispute about the key, which `disputes/{id}/key/` settles; null of others."
    )

    @extend_schema_field(SourceTextSerializer)
    def get_source(self, panel: Panel) -> Any:
        return source_json(panel.item, panel.round.project)

    @extend_schema_field(OpenFindingSerializer(many=True))
    def get_findings(self, panel: Panel) -> Any:
        return list(map(finding_json, open_findings(panel.revision_id)))

    @extend_schema_field(EarlierWordsSerializer(many=True))
    def get_suggestions(self, panel: Panel) -> Any:
        return list(map(earlier_json, suggestions_on(panel)))

    @extend_schema_field(ToldOpinionSerializer(many=True))
    def get_opinions(self, panel: Panel) -> Any:
        return ToldOpinionSerializer(opinions_in_dispute(panel), many=True).data  # type: ignore[arg-type]

    @extend_schema_field(InquirySerializer(allow_null=True))
    def get_waits_for(self, panel: Panel) -> Any:
        inquiry = inquiry_of(panel)
        return InquirySerializer(inquiry).data if inquiry else None

    @extend_schema_field(AnsweredLookSerializer(many=True))
    def get_second_looks(self, panel: Panel) -> Any:
        return AnsweredLookSerializer(answered_looks(panel), many=True).data

    @extend_schema_field(PastRoundSerializer(many=True))
    def get_history(self, panel: Panel) -> Any:
        return PastRoundSerializer(disputes.history(panel), many=True).data  # type: ignore[arg-type]

    @extend_schema_field(LikeAdjudicationSerializer(many=True))
    def get_like_adjudications(self, panel: Panel) -> Any:
        return LikeAdjudicationSerializer(adjudications_like(panel), many=True).data  # type: ignore[arg-type]

    @extend_schema_field(KeyAnswersSerializer(allow_null=True))
    def get_answers(self, panel: Panel) -> Any:
        if panel.round.kind != RoundKind.SOLVING:
            return None
        return KeyAnswersSerializer(answers_about_key(panel)).data


class DisputeView(APIView):
    """One dispute with its judgements and all that helps to decide, without names."""

    @extend_schema(responses={200: DisputeDetailSerializer, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        return Response(DisputeDetailSerializer(dispute_to_read(caller(request), pk)).data)
