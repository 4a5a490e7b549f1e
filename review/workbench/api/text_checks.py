"""The API of checks while a reviewer types: what is wrong with a text that is not stored."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.enums import Severity
from common.api import REFUSALS
from review.outcomes import Correction
from review.requests import valid
from review.workbench.api.serializers import CorrectionSerializer
from review.workbench.presenters import load_texts, revealed_after
from review.workbench.selectors import seat_by_id
from review.workbench.text_checks import (
    NOTHING_SAID,
    TypedText,
    as_json,
    check_panel_text,
)


class TypedFindingSerializer(serializers.Serializer[Any]):
    """What is wrong; each span is the name of a field and where in it, in code points."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=Severity.choices)
    field = serializers.CharField()
    message = serializers.CharField()
    spans = serializers.ListField(child=serializers.ListField())


class NumberChangeSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    place = serializers.CharField()
    message = serializers.CharField()


class RepairSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())


class TypedTextSerializer(serializers.Serializer[Any]):
    """`numbers`: what has to be confirmed; `repair`: a text without the errors, if one is certain."""

    findings = TypedFindingSerializer(many=True)
    numbers = NumberChangeSerializer(many=True)
    repair = RepairSerializer(allow_null=True)


ANSWERS = {200: TypedTextSerializer, **REFUSALS}


class CheckSeatView(APIView):
    @extend_schema(request=CorrectionSerializer, responses=ANSWERS)
    def post(self, request: Request, pk: int) -> Response:
        """Check a text for an item that you hold; nothing is stored."""
        user = caller(request)
        seat = seat_by_id(user, pk)
        if seat.reviewer_id != user.pk:
            raise Http404
        if revealed_after(seat) is None:  # what the checks say speaks of the source
            return as_answer(NOTHING_SAID)
        panel = load_texts(seat).panel
        return as_answer(check_panel_text(panel, typed_text(request), seat.round.project))


def typed_text(request: Request) -> Correction:
    return Correction.from_json(valid(CorrectionSerializer(data=request.data)))


def as_answer(checked: TypedText) -> Response:
    return Response(as_json(checked))
