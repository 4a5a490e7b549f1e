"""What the API tells people in review of an opinion of a model."""

from rest_framework import serializers

from annotation.enums import OpinionState, Screen
from annotation.models import Opinion


class ToldOpinionSerializer(serializers.Serializer[Opinion]):
    screen = serializers.ChoiceField(choices=Screen.choices)
    state = serializers.ChoiceField(choices=OpinionState.choices)
    confidence = serializers.FloatField()
    reason = serializers.CharField(source="words")
    model = serializers.CharField(source="screening_job.model_spec.name")
