"""The API that makes items of sentences or pairs."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.making.actions import (
    MOST_CHARACTERS,
    SHOWN,
    WAYS,
    MakingInvalid,
    made_of,
    start_making,
)
from annotation.making.base import Made
from annotation.making.forms import MakingForm
from annotation.making.known import left_out_json
from common.api import REFUSALS, StrictSerializer
from projects.selectors import project_for


class MakingInput(StrictSerializer):
    way = serializers.ChoiceField(choices=WAYS)
    question = serializers.CharField(max_length=500, default="", allow_blank=True)
    sentences = serializers.CharField(
        max_length=MOST_CHARACTERS, help_text="Sentences or pairs, one on each line, at most 1,000."
    )
    vocabulary = serializers.CharField(
        max_length=MOST_CHARACTERS,
        default="",
        allow_blank=True,
        help_text="Of a cloze: CSV with the columns word and part_of_speech.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    dry_run = serializers.BooleanField(
        default=False, help_text="Return the first ten items and import nothing."
    )


class MadeItemSerializer(serializers.Serializer[Any]):
    uid = serializers.CharField()
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    key = serializers.CharField()
    recipe = serializers.CharField()


class LeftOutSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    code = serializers.CharField()
    reason = serializers.CharField()


class MadeSerializer(serializers.Serializer[Any]):
    made = serializers.IntegerField()
    items = MadeItemSerializer(many=True, help_text="The first ten.")
    left_out = LeftOutSerializer(many=True)


class MakingStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class MakeItemsView(APIView):
    @extend_schema(
        request=MakingInput,
        responses={200: MadeSerializer, 202: MakingStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make items of sentences or pairs and queue their import, or return the first ten of them."""
        user = caller(request)
        project = project_for(user, slug, "annotation.import_items")
        data = MakingInput(data=request.data)
        data.is_valid(raise_exception=True)
        form = MakingForm(data.validated_data)
        if not form.is_valid():
            faults = {name: [*map(str, said)] for name, said in form.errors.items()}
            raise MakingInvalid(fields=faults, fault=gettext("Some values are not valid."))
        if data.validated_data["dry_run"]:
            return Response(_made_json(made_of(project=project, settings=form.settings())))
        started = start_making(
            project=project, settings=form.settings(), actor=user, now=timezone.now()
        )
        return Response({"job": started.job_id}, status=status.HTTP_202_ACCEPTED)


def _made_json(made: Made) -> dict[str, Any]:
    return {
        "made": len(made.items),
        "items": MadeItemSerializer(made.items[:SHOWN], many=True).data,
        "left_out": left_out_json(made.faults),
    }
