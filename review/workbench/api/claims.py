"""Shapes of what a seat asks: the answer to a claim, and the parts that other answers share."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from annotation.enums import ItemKind, Severity

ANSWER_LANGUAGE = "That of `language`, but where the item asks for a translation."


class OtherSourceSerializer(serializers.Serializer[Any]):
    language = serializers.CharField()
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())


class SourceTextSerializer(serializers.Serializer[Any]):
    language = serializers.CharField()
    answer_language = serializers.CharField(help_text=ANSWER_LANGUAGE)
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    key = serializers.CharField()
    answer = serializers.CharField()
    explanation = serializers.CharField()
    others = OtherSourceSerializer(
        many=True, help_text="The item in further source languages, where it has any."
    )


class OpenFindingSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=Severity.choices)
    field = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    message = serializers.CharField()


class SuggestedFieldSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    text = serializers.CharField()


class EarlierWordsSerializer(serializers.Serializer[Any]):
    """A comment or a suggestion of somebody else on the item."""

    round = serializers.IntegerField()
    kind = serializers.CharField()
    comment = serializers.CharField()
    texts = SuggestedFieldSerializer(many=True)


class ClaimedItemSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="What `projects/{slug}/items/{id}/comments/` takes.")
    uid = serializers.CharField()
    subject = serializers.CharField()
    category = serializers.CharField()
    option_count = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=ItemKind.choices)


class TextToJudgeSerializer(serializers.Serializer[Any]):
    """`id` is the `revision` of the judgement; answer and explanation are null before the reveal."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    language = serializers.CharField()
    answer_language = serializers.CharField(help_text=ANSWER_LANGUAGE)
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    answer = serializers.CharField(allow_null=True)
    explanation = serializers.CharField(allow_null=True)


class TermHitSerializer(serializers.Serializer[Any]):
    """A term of the glossary in the item."""

    field = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    preferred = serializers.ListField(child=serializers.CharField())
    allowed = serializers.ListField(child=serializers.CharField())
    forbidden = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField()
    state = serializers.CharField(help_text="used, missing or forbidden.")


class ClaimSerializer(serializers.Serializer[Any]):
    """A seat that you hold, with the item and the text to judge.

    In a blind first reading `source` is null until `assignments/{id}/reveal/`.
    """

    assignment = serializers.IntegerField(help_text="What `assignments/{id}/judgement/` takes.")
    expires_at = serializers.DateTimeField(help_text="Until when the item is kept for you.")
    round = serializers.IntegerField()
    item = ClaimedItemSerializer()
    is_blind = serializers.BooleanField()
    source = SourceTextSerializer(allow_null=True)  # type: ignore[assignment]
    revision = TextToJudgeSerializer()
    findings = OpenFindingSerializer(many=True)
    glossary = TermHitSerializer(many=True)
    earlier = EarlierWordsSerializer(many=True, help_text="The latest of earlier rounds.")
    notice = serializers.CharField(
        required=False, help_text="For a paused reviewer, who may finish this item."
    )


class HeldSerializer(serializers.Serializer[Any]):
    held = ClaimSerializer(many=True)


NOTHING_LEFT = OpenApiResponse(description="Nothing is left for you.")
