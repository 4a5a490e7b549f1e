"""Shapes of guidelines in the API, in and out."""

from rest_framework import serializers

from common.api import StrictSerializer
from projects.criteria import HIGHEST
from review.limits import LONGEST_TEXT
from review.models import Guideline


class RubricField(serializers.DictField):
    """For each criterion one text a rating, the lowest first; or one text about all of them."""

    child = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TEXT), min_length=1, max_length=HIGHEST + 1
    )


class GuidelineInput(StrictSerializer):
    """What `POST projects/{slug}/guidelines/` takes; `text` is Markdown."""

    text = serializers.CharField(max_length=LONGEST_TEXT)
    rubric = RubricField()


class GuidelineSerializer(serializers.ModelSerializer[Guideline]):
    version = serializers.IntegerField(
        help_text="0 for the one that every project starts with, while no other is stored."
    )
    rubric = RubricField()
    created_at = serializers.DateTimeField(allow_null=True, help_text="Null for version 0.")

    class Meta:
        model = Guideline
        fields = ["version", "text", "rubric", "created_at"]
