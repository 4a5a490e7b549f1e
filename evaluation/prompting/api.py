"""The API of previews of prompts."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from evaluation.prompting.queries import preview_prompt
from evaluation.runs.actions import MAX_SHOTS
from projects.selectors import project_for
from prompts.api import TemplateInput
from releases.selectors import get_release


class PromptPreviewInput(TemplateInput):
    release = serializers.CharField(max_length=40, help_text="Version of the release.")
    shots = serializers.IntegerField(min_value=0, max_value=MAX_SHOTS, default=0)
    uid = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="An open test item. Empty: the first item of each kind.",
    )


class PromptMessageSerializer(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class PromptPreviewSerializer(serializers.Serializer[Any]):
    """What one open item would be asked with."""

    uid = serializers.CharField()
    kind = serializers.CharField()
    messages = PromptMessageSerializer(many=True)
    shots = serializers.IntegerField()
    bare_shots = serializers.IntegerField(
        help_text="Examples of a chain of thought without an explanation in the target language."
    )
    tokens = serializers.IntegerField(help_text="Estimated of the messages.")
    bytes_per_token = serializers.FloatField()
    measured_on = serializers.IntegerField(
        help_text="Stored answers that tell the bytes of a token; 0 if they are assumed."
    )


class PromptPreviewView(APIView):
    @extend_schema(
        request=PromptPreviewInput,
        responses={200: PromptPreviewSerializer(many=True), **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Show what a prompt makes of open items of a release. Nothing is saved or sent."""
        project = project_for(caller(request), slug, "prompts.change_prompts")
        data = PromptPreviewInput(data=request.data)
        data.is_valid(raise_exception=True)
        wanted = data.validated_data
        release = get_release(project, wanted["release"], must_stand=True, user=caller(request))
        found: Any = preview_prompt(
            release, data.template(), shots=wanted["shots"], uid=wanted["uid"]
        )
        return Response(PromptPreviewSerializer(found, many=True).data)
