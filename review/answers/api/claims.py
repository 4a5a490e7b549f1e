"""Shapes of what a seat asks in comparisons and solving rounds."""

from typing import Any

from rest_framework import serializers

from annotation.enums import ItemKind
from review.enums import RoundKind
from review.workbench.api.claims import ANSWER_LANGUAGE


class AskedItemSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    uid = serializers.CharField()
    subject = serializers.CharField()
    category = serializers.CharField()
    option_count = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=ItemKind.choices, required=False)


class AskedSourceSerializer(serializers.Serializer[Any]):
    language = serializers.CharField()
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    answer_language = serializers.CharField(required=False, help_text=ANSWER_LANGUAGE)
    answer = serializers.CharField(required=False)
    explanation = serializers.CharField(required=False)


class AskedTextSerializer(serializers.Serializer[Any]):
    language = serializers.CharField()
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())


class ComparedTextSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="What `texts` of the answer names.")
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    answer = serializers.CharField()
    explanation = serializers.CharField()


class SeatToAnswerSerializer(serializers.Serializer[Any]):
    """A seat of a solving round, with `text`; or of a comparison, with `key`, `token` and `texts`."""

    assignment = serializers.IntegerField(help_text="What `assignments/{id}/answer/` takes.")
    expires_at = serializers.DateTimeField(help_text="Until when the item is kept for you.")
    round = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=RoundKind.choices)
    item = AskedItemSerializer()
    source = AskedSourceSerializer()  # type: ignore[assignment]
    text = AskedTextSerializer(required=False)
    key = serializers.CharField(required=False)
    token = serializers.CharField(required=False, help_text="To be sent with the answer.")
    language = serializers.CharField(required=False)
    answer_language = serializers.CharField(required=False, help_text=ANSWER_LANGUAGE)
    texts = ComparedTextSerializer(many=True, required=False)
    notice = serializers.CharField(
        required=False, help_text="For a paused reviewer, who may finish this item."
    )
