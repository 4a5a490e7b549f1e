"""The API of practice: three items with feedback, of which nothing is stored."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from languages.letters import letter_of
from projects.selectors import project_for
from review.enums import ErrorTag, Verdict
from review.practice.items import PracticeItem
from review.practice.labels import practice_text
from review.practice.texts import practice_of
from review.requests import valid

PRACTISE = "review.practise"


class PracticeTextSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())


class PracticeItemSerializer(serializers.Serializer[Any]):
    """An item with at most one planted fault, to be judged like one of a round."""

    number = serializers.IntegerField()
    source = PracticeTextSerializer()  # type: ignore[assignment]
    translation = PracticeTextSerializer()
    key = serializers.CharField(help_text="The letter that is marked as the key.")


class PracticeSerializer(serializers.Serializer[Any]):
    are_own = serializers.BooleanField(
        help_text="Whether the texts are the project's. If not, both are in your language."
    )
    source_language = serializers.CharField()
    target_language = serializers.CharField()
    items = PracticeItemSerializer(many=True)


class PracticeJudgementInput(StrictSerializer):
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    tags = serializers.ListField(
        child=serializers.ChoiceField(choices=ErrorTag.choices), default=list, max_length=20
    )


class PracticeFeedbackSerializer(serializers.Serializer[Any]):
    is_found = serializers.BooleanField(help_text="Whether you said what is wrong with the item.")
    explanation = serializers.CharField(help_text="What somebody who knows says of it.")


class PracticeView(APIView):
    @extend_schema(responses={200: PracticeSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Items to practise on before the first judgement."""
        found = practice_of(project_for(caller(request), slug, PRACTISE))
        body = {
            "are_own": found.are_own,
            "source_language": found.source_language,
            "target_language": found.target_language,
            "items": [_item(each) for each in found.items],
        }
        return Response(body)


class PracticeJudgementView(APIView):
    @extend_schema(
        request=PracticeJudgementInput, responses={200: PracticeFeedbackSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Judge a practice item and learn what would have been right; nothing is stored or counted."""
        items = practice_of(project_for(caller(request), slug, PRACTISE)).items
        if not 1 <= number <= len(items):
            raise Http404
        item = items[number - 1]
        said = valid(PracticeJudgementInput(data=request.data))
        body = {"is_found": item.is_found(**said), "explanation": practice_text(item.fault)}
        return Response(body)


def _item(item: PracticeItem) -> dict[str, Any]:
    text = item.text
    return {
        "number": item.number,
        "source": {"question": text.source, "options": text.source_options},
        "translation": {"question": text.target, "options": text.target_options},
        "key": letter_of(text.key),
    }
