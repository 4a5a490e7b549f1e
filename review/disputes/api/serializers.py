"""Shapes of disputes and adjudications in the API, in and out."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from common.api import IdField, StrictSerializer
from review.disputes.actions.adjudication import DecisionContent
from review.disputes.presenters import shuffled
from review.enums import (
    DecisionKind,
)
from review.limits import LONGEST_TEXT
from review.models import Judgement
from review.outcomes import Correction
from review.workbench.api.serializers import CONFIRMATION, CorrectionSerializer

BELONGS_TO = {
    "judgement": DecisionKind.ADOPT,
    "fields_adopted": DecisionKind.ADOPT,
    "correction": DecisionKind.MERGE,
}


class AdjudicationInput(StrictSerializer):
    """What `POST disputes/{id}/adjudication/` takes.

    `judgement` and `fields_adopted` go with *adopt*, `correction` with *merge*.
    """

    decision = serializers.ChoiceField(choices=DecisionKind.choices)
    judgement = IdField(required=False, allow_null=True)
    fields_adopted = serializers.ListField(
        child=serializers.CharField(max_length=20), default=list, max_length=7
    )
    correction = CorrectionSerializer(required=False, allow_null=True)
    reason = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    citation = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=500,
        help_text="the passage of the guideline that the decision follows",
    )
    numbers_confirmed = serializers.BooleanField(default=False, help_text=CONFIRMATION)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse what the decision would leave aside: a text that somebody typed would be lost."""
        faults = {
            name: [_("Give this only with the decision “%s”.") % decision]
            for name, decision in BELONGS_TO.items()
            if attrs.get(name) and attrs["decision"] != decision
        }
        if faults:
            raise serializers.ValidationError(faults)
        return attrs

    def content(self, judgement: Judgement | None) -> DecisionContent:
        data = self.validated_data
        return DecisionContent(
            kind=data["decision"],
            judgement=judgement,
            fields=data["fields_adopted"],
            correction=CorrectionSerializer().value(data.get("correction")),
            reason=data["reason"],
            citation=data["citation"],
            numbers_confirmed=data["numbers_confirmed"],
        )


class DisputeSerializer(serializers.Serializer[Any]):
    """One open dispute with its judgements, without names."""

    id = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    item = serializers.CharField(source="item.uid")
    item_id = serializers.IntegerField(help_text="What `projects/{slug}/items/{id}/` takes.")
    subject = serializers.CharField(source="item.subject.slug")
    reasons = serializers.ListField(child=serializers.DictField())
    severity = serializers.IntegerField()
    revision = serializers.SerializerMethodField()
    judgements = serializers.SerializerMethodField()

    def get_revision(self, panel: Any) -> dict[str, Any]:
        revision = panel.revision
        return {"id": revision.pk, **Correction.of(revision).as_json()}

    def get_judgements(self, panel: Any) -> list[dict[str, Any]]:
        return [
            {
                "id": judgement.pk,
                "verdict": judgement.verdict,
                "ratings": judgement.ratings,
                "tags": judgement.tags,
                "comment": judgement.comment,
                "correction": judgement.correction,
            }
            for judgement in shuffled(panel, panel.judgements.all())
        ]
