"""Shapes of releases in the API."""

from typing import Any

from rest_framework import serializers

from common.api import NumberField, StrictSerializer
from releases.actions import BuildRequest, DetailsRequest
from releases.actions.requests import MAX_DEV, MAX_SEED
from releases.details import LONGEST_PROSE, PROSE
from releases.enums import ReleaseState
from releases.exporters import FORMATS
from releases.versions import MAX_LENGTH


class BuildInput(StrictSerializer):
    version = serializers.CharField(max_length=MAX_LENGTH, help_text="A semantic version.")
    dev_per_subject = serializers.IntegerField(min_value=0, max_value=MAX_DEV, default=5)
    black_box_share = NumberField(
        min_value=0, max_value=0.99, default=0.0, help_text="Of the test items of each subject."
    )
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

    def build_request(self) -> BuildRequest:
        values: dict[str, Any] = dict(self.validated_data)
        return BuildRequest(**values | {"formats": tuple(values["formats"])})


class DetailsSerializer(StrictSerializer):
    """What cards and citations of coming releases say; `authors` has one a line."""

    title = serializers.CharField(max_length=200, allow_blank=True, default="")
    authors = serializers.CharField(
        max_length=LONGEST_PROSE,
        allow_blank=True,
        default="",
        help_text="One a line: Family, Given; ORCID. Or the name of an organisation.",
    )
    doi = serializers.CharField(max_length=200, allow_blank=True, default="")
    url = serializers.CharField(max_length=500, allow_blank=True, default="")
    licence = serializers.CharField(max_length=100, allow_blank=True, default="")
    prose = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_PROSE, allow_blank=True),
        default=dict,
        help_text=f"Markdown by section: {', '.join(PROSE)}.",
    )

    def details_request(self) -> DetailsRequest:
        return DetailsRequest(**self.validated_data)


class BuildStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()
    version = serializers.CharField()


class ChangeSerializer(serializers.Serializer[Any]):
    uid = serializers.CharField()
    subject = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class TextChangeSerializer(serializers.Serializer[Any]):
    """`parts` are the question and the options; a part is a list of [what became of it, text]."""

    uid = serializers.CharField()
    subject = serializers.CharField()
    parts = serializers.ListField(
        child=serializers.ListField(
            child=serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
        )
    )


class SubjectDifferenceSerializer(serializers.Serializer[Any]):
    subject = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())


class DifferenceSerializer(serializers.Serializer[Any]):
    """`counts` are of all items, `hidden` of those that are not for the caller.

    The lists hold the first thousand; the command `diff_releases` gives them whole.
    """

    before = serializers.CharField(help_text="A version, or “source”.")
    after = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    hidden = serializers.DictField(child=serializers.IntegerField())
    subjects = SubjectDifferenceSerializer(many=True)
    added = serializers.ListField(child=serializers.CharField())
    removed = serializers.ListField(child=serializers.CharField())
    text = TextChangeSerializer(many=True)
    key = ChangeSerializer(many=True)
    split = ChangeSerializer(many=True)
    subset = ChangeSerializer(many=True)
    category = ChangeSerializer(many=True)


class MatterSerializer(serializers.Serializer[Any]):
    """One thing that blocks or warns; `items` are uids, pairs of uids, or names."""

    code = serializers.CharField()
    count = serializers.IntegerField()
    items = serializers.ListField(child=serializers.CharField())
    detail = serializers.CharField()
    url = serializers.CharField()


class ReadinessSerializer(serializers.Serializer[Any]):
    blocking = MatterSerializer(many=True)
    warnings = MatterSerializer(many=True)
    proposed_version = serializers.CharField()


class YankInput(StrictSerializer):
    reason = serializers.CharField(max_length=2000)


class ArtifactSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    media_type = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField()
    row_count = serializers.IntegerField(allow_null=True)


class ReleaseSerializer(serializers.Serializer[Any]):
    version = serializers.CharField()
    state = serializers.ChoiceField(choices=ReleaseState.choices)
    counts = serializers.DictField(help_text="Empty until the items are chosen.")
    content_hash = serializers.CharField(help_text="SHA-256 of manifest.json.")
    job = serializers.IntegerField(source="job_id", allow_null=True)
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    yanked_at = serializers.DateTimeField(allow_null=True)
    yank_reason = serializers.CharField()


class ReleaseDetailSerializer(ReleaseSerializer):
    artifacts = ArtifactSerializer(many=True)
