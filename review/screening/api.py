"""The API of the calibration of screens, and of the items that they doubt most."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.enums import Screen
from annotation.screening.actions import SCREENING, choose_threshold
from annotation.screening.queries import MOST_DOUBTED, most_doubted, thresholds
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from projects.selectors import project_for
from review.screening.queries import calibration_json, calibrations


class ShareSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    count = serializers.IntegerField()
    n = serializers.IntegerField()
    interval = serializers.ListField(
        child=serializers.FloatField(), min_length=2, max_length=2, help_text="95 %, Wilson's."
    )


class PointSerializer(serializers.Serializer[Any]):
    confidence = serializers.FloatField()
    precision = ShareSerializer()
    recall = ShareSerializer()


class CalibrationSerializer(serializers.Serializer[Any]):
    screen = serializers.ChoiceField(choices=Screen.choices)
    model = serializers.CharField()
    judged = serializers.IntegerField(help_text="Texts with an opinion that experts settled.")
    faulty = serializers.IntegerField()
    is_calibrated = serializers.BooleanField()
    thresholds = PointSerializer(many=True)


class CalibrationsSerializer(serializers.Serializer[Any]):
    screens = CalibrationSerializer(many=True)
    chosen = serializers.DictField(
        child=serializers.FloatField(), help_text="The threshold of each screen that has one."
    )


class ThresholdInput(StrictSerializer):
    screen = serializers.ChoiceField(choices=Screen.choices)
    confidence = serializers.FloatField(
        min_value=0, max_value=1, allow_null=True, help_text="Null: all doubts count."
    )


class ThresholdsSerializer(serializers.Serializer[Any]):
    chosen = serializers.DictField(child=serializers.FloatField())


class CalibrationView(APIView):
    @extend_schema(responses={200: CalibrationsSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return how each screen agrees with experts, at every threshold."""
        project = project_for(caller(request), slug, SCREENING.view)
        found = [calibration_json(each) for each in calibrations(project)]
        return Response({"screens": found, "chosen": thresholds(project)})

    @extend_schema(request=ThresholdInput, responses={200: ThresholdsSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Choose from which confidence on the doubts of a screen count."""
        user = caller(request)
        project = project_for(user, slug, SCREENING.manage)
        data = ThresholdInput(data=request.data)
        data.is_valid(raise_exception=True)
        choose_threshold(project=project, actor=user, now=timezone.now(), **data.validated_data)
        return Response({"chosen": thresholds(project)})


class DoubtedInput(StrictSerializer):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_DOUBTED, default=200)


class DoubtedSerializer(serializers.Serializer[Any]):
    uids = serializers.ListField(child=serializers.CharField())


class DoubtedView(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("limit", int, description=f"1 to {MOST_DOUBTED}; 200.")],
        responses={200: DoubtedSerializer, **READ_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the items that screens doubt most, the surest doubts first."""
        project = project_for(caller(request), slug, SCREENING.view)
        data = DoubtedInput(data=request.query_params)
        data.is_valid(raise_exception=True)
        return Response({"uids": most_doubted(project, data.validated_data["limit"])})
