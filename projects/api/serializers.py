"""The shape of criteria, in which they are given and told."""

from rest_framework import serializers

from common.api import StrictSerializer
from projects.actions.criteria import (
    LONGEST_LABEL,
    LONGEST_MEANING,
    LONGEST_NAME,
    LONGEST_SHORT_LABEL,
)
from projects.criteria import HIGHEST, MOST_CRITERIA


class CriterionSerializer(StrictSerializer):
    """`rubric` has one text a rating, the lowest first, or one about all of them."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    label = serializers.CharField(max_length=LONGEST_LABEL)  # type: ignore[assignment]
    short_label = serializers.CharField(
        max_length=LONGEST_SHORT_LABEL, default="", allow_blank=True
    )
    lowest = serializers.IntegerField(min_value=0, max_value=HIGHEST, default=0)
    highest = serializers.IntegerField(min_value=0, max_value=HIGHEST, default=5)
    rubric = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_MEANING),
        min_length=1,
        max_length=HIGHEST + 1,
    )


class CriteriaInput(StrictSerializer):
    criteria = serializers.ListField(
        child=CriterionSerializer(), min_length=1, max_length=MOST_CRITERIA
    )
