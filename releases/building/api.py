"""The API of builds: what a caller may ask for, and what a build would hold."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, NumberField, StrictSerializer
from common.reasons import REASON_LENGTH
from projects.selectors import project_for
from releases.building.actions import MAX_DEV, MAX_SEED, BuildRequest
from releases.building.previews import BuildPreview, SubjectPreview, build_preview
from releases.enums import DevSource, HiddenPart, OptionOrder
from releases.files.exporters import FORMATS
from releases.readiness.api import ReadinessSerializer
from releases.readiness.report import readiness
from releases.readiness.waivers import WaiverRequest
from releases.splits import EVERYTHING, SplitRule
from releases.versions import MAX_LENGTH


class WaiverInput(StrictSerializer):
    code = serializers.CharField(max_length=40, help_text="As readiness names it.")
    reason = serializers.CharField(max_length=REASON_LENGTH)


class BuildPreviewInput(StrictSerializer):
    """The settings of a build, named as `POST projects/{slug}/releases/` names them."""

    dev_per_subject = serializers.IntegerField(min_value=0, max_value=MAX_DEV, default=5)
    black_box_share = NumberField(
        min_value=0,
        max_value=EVERYTHING,
        default=0.0,
        help_text="Of the test items of each subject; 1 hides all of them.",
    )
    dev_from = serializers.ChoiceField(
        choices=DevSource.choices,
        default=DevSource.SOURCE.value,
        help_text="Dev items of the source, carved from its tests, or both.",
    )

    hidden_part = serializers.ChoiceField(
        choices=HiddenPart.choices,
        default=HiddenPart.CLOSED.value,
        help_text="What is published of hidden items: nothing, or their texts without the answers.",
    )

    def split_rule(self) -> SplitRule:
        data = self.validated_data
        return SplitRule(data["dev_per_subject"], data["black_box_share"], 0, data["dev_from"])


class BuildInput(BuildPreviewInput):
    """The settings of a build."""

    version = serializers.CharField(max_length=MAX_LENGTH, help_text="A semantic version.")
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    formats = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(FORMATS)),
        allow_empty=False,
        default=lambda: sorted(FORMATS),
    )
    notes = serializers.CharField(max_length=20_000, allow_blank=True, default="")
    prefers_experts = serializers.BooleanField(
        default=False,
        help_text="Hide first what experts wrote or changed, and what no public source holds.",
    )
    option_order = serializers.ChoiceField(
        choices=OptionOrder.choices, default=OptionOrder.KEPT.value
    )
    waivers = WaiverInput(many=True, default=list, help_text="What to let pass in this version.")

    def build_request(self) -> BuildRequest:
        values: dict[str, Any] = dict(self.validated_data)
        values["waivers"] = tuple(WaiverRequest(**each) for each in values["waivers"])
        return BuildRequest(**values | {"formats": tuple(values["formats"])})


class BuildStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()
    version = serializers.CharField()


class SubjectPreviewSerializer(serializers.Serializer[SubjectPreview]):
    name = serializers.CharField()
    test = serializers.IntegerField()
    dev = serializers.IntegerField()
    black_box = serializers.IntegerField()
    left_out = serializers.IntegerField(
        help_text="Dev items beyond the wanted number, and those that duplicate a test item."
    )
    is_short_of_dev = serializers.BooleanField()


class BuildContentSerializer(serializers.Serializer[BuildPreview]):
    """The number of items of a build; with `has_clusters`, fewer may be hidden than it says.

    Duplicates are hidden together or not at all.
    """

    approved = serializers.IntegerField()
    test = serializers.IntegerField()
    dev = serializers.IntegerField()
    black_box = serializers.IntegerField()
    left_out = serializers.IntegerField()
    has_clusters = serializers.BooleanField()
    kept_minutes = serializers.IntegerField(
        allow_null=True, help_text="So old the counts of a large project may be."
    )
    subjects = SubjectPreviewSerializer(many=True)


class BuildPreviewSerializer(serializers.Serializer[Any]):
    content = BuildContentSerializer()
    readiness = ReadinessSerializer(help_text="What blocks this build, and what warns.")


class BuildPreviewView(APIView):
    @extend_schema(request=BuildPreviewInput, responses={200: BuildPreviewSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Say what a build with these settings would contain, and what blocks it. Nothing is built."""
        project = project_for(caller(request), slug, "releases.build_release")
        data = BuildPreviewInput(data=request.data)
        data.is_valid(raise_exception=True)
        found = readiness(
            project,
            black_box_share=data.validated_data["black_box_share"],
            hidden_part=data.validated_data["hidden_part"],
        )
        body = {
            "content": build_preview(project, data.split_rule()),
            "readiness": found.as_json(),
        }
        return Response(BuildPreviewSerializer(body).data)
