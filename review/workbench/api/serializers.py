"""Shapes of judgements in the API, in and out."""

from typing import Any

from rest_framework import serializers

from common.api import IdField, StrictSerializer
from languages.letters import MAX_OPTIONS
from review.enums import (
    ErrorTag,
    SkipReason,
    Verdict,
)
from review.limits import LONGEST_SECONDS, LONGEST_TEXT
from review.models import Judgement, Suggestion
from review.outcomes import Correction
from review.requests import RatingsField
from review.workbench.actions.judgements import JudgementContent

CONFIRMATION = "You mean it where your text changes numbers or formulas against the source."


def _further(help_text: str) -> serializers.CharField:
    return serializers.CharField(
        max_length=LONGEST_TEXT,
        trim_whitespace=False,
        required=False,
        allow_blank=True,
        help_text=help_text,
    )


class CorrectionSerializer(StrictSerializer):
    question = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False)
    options = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False),
        max_length=MAX_OPTIONS,
    )
    answer = _further("The reference answer of an item without options; it stays if left out.")
    explanation = _further("It stays if left out.")

    def value(self, data: dict[str, Any] | None) -> Correction | None:
        return Correction.from_json(data) if data else None


class JudgementInput(StrictSerializer):
    """What `POST assignments/{id}/judgement/` takes."""

    verdict = serializers.ChoiceField(choices=Verdict.choices)
    ratings = RatingsField()
    tags = serializers.ListField(
        child=serializers.ChoiceField(choices=ErrorTag.choices), default=list, max_length=20
    )
    comment = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    correction = CorrectionSerializer(required=False, allow_null=True)
    active_seconds = serializers.IntegerField(default=0, min_value=0, max_value=LONGEST_SECONDS)
    revision = IdField()
    numbers_confirmed = serializers.BooleanField(default=False, help_text=CONFIRMATION)

    def content(self) -> JudgementContent:
        data = self.validated_data
        return JudgementContent(
            verdict=data["verdict"],
            ratings=data["ratings"],
            tags=data["tags"],
            comment=data["comment"],
            correction=CorrectionSerializer().value(data.get("correction")),
            active_seconds=data["active_seconds"],
            numbers_confirmed=data["numbers_confirmed"],
        )


class ReceiptSerializer(serializers.Serializer[Judgement]):
    judgement = serializers.IntegerField()
    receipt = serializers.UUIDField()


class SuggestionInput(StrictSerializer):
    """What `POST assignments/{id}/suggestion/` takes: a corrected text, a comment or both."""

    verdict = serializers.ChoiceField(choices=Verdict.choices, default="", allow_blank=True)
    correction = CorrectionSerializer(required=False, allow_null=True)
    comment = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=40, help_text="The code of the refusal."
    )


class SuggestionReceipt(serializers.Serializer[Suggestion]):
    suggestion = serializers.IntegerField()


class SkipInput(StrictSerializer):
    reason = serializers.ChoiceField(choices=SkipReason.choices)
    note = serializers.CharField(default="", allow_blank=True, max_length=2000)


class JudgementSerializer(serializers.ModelSerializer[Judgement]):
    """One stored judgement, as `review.workbench.judgement_rows.as_row` makes it."""

    item = serializers.CharField(source="panel.item.uid")
    round = serializers.IntegerField(source="panel.round.number")
    reviewer = serializers.CharField(source="reviewer.email")
    ratings = RatingsField()

    class Meta:
        model = Judgement
        fields = [
            "id",
            "item",
            "round",
            "revision",
            "reviewer",
            "verdict",
            "ratings",
            "tags",
            "comment",
            "correction",
            "active_seconds",
            "revealed_after",
            "submitted_at",
            "numbers_confirmed",
        ]
