"""Shapes of releases in the API."""

from typing import Any

from rest_framework import serializers

from common.api import NumberField, StrictSerializer
from common.reasons import REASON_LENGTH
from releases.actions import BuildRequest, DetailsRequest, Problem
from releases.actions.problems import LONGEST_CONTACT, LONGEST_TEXT
from releases.actions.requests import MAX_DEV, MAX_SEED
from releases.details import LONGEST_PROSE, PROSE
from releases.enums import DevSource, OptionOrder, ProblemKind, ProblemState, ReleaseState
from releases.exporters import FORMATS
from releases.models import Release
from releases.queries import BuildPreview, SubjectPreview
from releases.splits import EVERYTHING, SplitRule
from releases.versions import MAX_LENGTH
from releases.waivers import WaiverRequest


class WaiverInput(StrictSerializer):
    code = serializers.CharField(max_length=40, help_text="As readiness names it.")
    reason = serializers.CharField(max_length=REASON_LENGTH)


class BuildInput(StrictSerializer):
    version = serializers.CharField(max_length=MAX_LENGTH, help_text="A semantic version.")
    dev_per_subject = serializers.IntegerField(min_value=0, max_value=MAX_DEV, default=5)
    black_box_share = NumberField(
        min_value=0,
        max_value=EVERYTHING,
        default=0.0,
        help_text="Of the test items of each subject; 1 hides all of them.",
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

    option_order = serializers.ChoiceField(
        choices=OptionOrder.choices, default=OptionOrder.KEPT.value
    )
    dev_from = serializers.ChoiceField(
        choices=DevSource.choices,
        default=DevSource.SOURCE.value,
        help_text="Dev items of the source, carved from its tests, or both.",
    )
    waivers = WaiverInput(many=True, default=list, help_text="What to let pass in this version.")

    def build_request(self) -> BuildRequest:
        values: dict[str, Any] = dict(self.validated_data)
        values["waivers"] = tuple(WaiverRequest(**each) for each in values["waivers"])
        return BuildRequest(**values | {"formats": tuple(values["formats"])})


class DetailsSerializer(StrictSerializer):
    """What cards and citations of coming releases say; `authors` has one a line."""

    title = serializers.CharField(max_length=200, allow_blank=True, default="")
    authors = serializers.CharField(
        max_length=LONGEST_PROSE,
        allow_blank=True,
        default="",
        help_text="One per line: Family, Given; ORCID. Or the name of an organisation.",
    )
    doi = serializers.CharField(max_length=200, allow_blank=True, default="")
    url = serializers.CharField(max_length=500, allow_blank=True, default="")
    licence = serializers.CharField(max_length=100, allow_blank=True, default="")
    prose = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_PROSE, allow_blank=True),
        default=dict,
        help_text=f"Markdown by section: {', '.join(PROSE)}.",
    )
    contributor_count = serializers.IntegerField(
        read_only=True, help_text="How many people have agreed to be named; they alone decide it."
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
    who = serializers.CharField(help_text="What can be done about it, and by which role.")
    people = serializers.ListField(
        child=serializers.CharField(), help_text="The first of those who can, by name."
    )
    can_waive = serializers.BooleanField()


class ReadinessSerializer(serializers.Serializer[Any]):
    blocking = MatterSerializer(many=True)
    warnings = MatterSerializer(many=True)
    proposed_version = serializers.CharField()


class BuildPreviewInput(StrictSerializer):
    """What a build would take, as `POST projects/{slug}/releases/` names it."""

    dev_per_subject = serializers.IntegerField(min_value=0, max_value=MAX_DEV, default=5)
    black_box_share = NumberField(min_value=0, max_value=EVERYTHING, default=0.0)
    dev_from = serializers.ChoiceField(choices=DevSource.choices, default=DevSource.SOURCE.value)

    def split_rule(self) -> SplitRule:
        data = self.validated_data
        return SplitRule(data["dev_per_subject"], data["black_box_share"], 0, data["dev_from"])


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
    """How many items a build would take; with `has_clusters`, fewer may be hidden than it says.

    Duplicates are hidden together or not at all.
    """

    approved = serializers.IntegerField()
    test = serializers.IntegerField()
    dev = serializers.IntegerField()
    black_box = serializers.IntegerField()
    left_out = serializers.IntegerField()
    has_clusters = serializers.BooleanField()
    subjects = SubjectPreviewSerializer(many=True)


class BuildPreviewSerializer(serializers.Serializer[Any]):
    content = BuildContentSerializer()
    readiness = ReadinessSerializer(help_text="What blocks this build, and what warns.")


class HubInput(StrictSerializer):
    repository = serializers.CharField(max_length=200, help_text="Owner and name.")
    is_private = serializers.BooleanField(default=False, help_text="If it has to be made.")
    is_dry_run = serializers.BooleanField(
        default=False, help_text="Only say what would change, in the job's result."
    )


class HubStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class HubPublicationSerializer(serializers.Serializer[Any]):
    repository = serializers.CharField()
    commit = serializers.CharField()
    published_at = serializers.DateTimeField()


class YankInput(StrictSerializer):
    reason = serializers.CharField(max_length=2000)


class AudienceInput(StrictSerializer):
    everybody = serializers.BooleanField(help_text="Whether it is shown without an account.")


class ProblemInput(StrictSerializer):
    """What a reader reports of an open item."""

    item = serializers.CharField(max_length=200, help_text="The item's id in the files.")
    kind = serializers.ChoiceField(choices=ProblemKind.choices)
    text = serializers.CharField(max_length=LONGEST_TEXT)
    contact = serializers.EmailField(
        max_length=LONGEST_CONTACT,
        allow_blank=True,
        default="",
        help_text="Seen by the project's managers and seniors only.",
    )

    def problem(self) -> Problem:
        return Problem(**self.validated_data)


class ProblemReceivedSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    kind = serializers.CharField()
    reported_at = serializers.DateTimeField()


class ProblemSerializer(serializers.Serializer[Any]):
    """A report as managers and seniors see it."""

    id = serializers.IntegerField()
    version = serializers.CharField(source="release.version")
    item = serializers.CharField(source="placed.public_id")
    kind = serializers.ChoiceField(choices=ProblemKind.choices)
    text = serializers.CharField()
    contact = serializers.CharField()
    reported_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=ProblemState.choices)
    decision = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)
    mended_in = serializers.CharField(source="mended_in.version", default=None, allow_null=True)


class ProblemDecisionInput(StrictSerializer):
    state = serializers.ChoiceField(choices=[ProblemState.ACCEPTED, ProblemState.DISMISSED])
    words = serializers.CharField(
        max_length=REASON_LENGTH,
        help_text="Of an accepted report: what is wrong, as its readers will see it.",
    )


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
    notes = serializers.CharField(help_text="Markdown.")
    job = serializers.IntegerField(source="job_id", allow_null=True)
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    yanked_at = serializers.DateTimeField(allow_null=True)
    yank_reason = serializers.CharField()
    is_for_everybody = serializers.BooleanField(help_text="Whether it is read without an account.")


class ReleaseDetailSerializer(ReleaseSerializer):
    artifacts = ArtifactSerializer(many=True)


class PublicProjectSerializer(serializers.Serializer[Any]):
    """A project with a release that everybody reads; the version is the one published last."""

    project = serializers.CharField(source="slug")
    name = serializers.CharField()
    description = serializers.CharField()
    source_language = serializers.CharField()
    target_language = serializers.CharField()
    version = serializers.CharField(source="shown_version")
    published_at = serializers.DateTimeField(source="shown_at")
    counts = serializers.DictField(source="shown_counts")


class PublicVersionSerializer(serializers.Serializer[Release]):
    version = serializers.CharField()
    state = serializers.ChoiceField(choices=ReleaseState.choices)
    counts = serializers.DictField()
    content_hash = serializers.CharField(help_text="SHA-256 of manifest.json.")
    published_at = serializers.DateTimeField()
    yank_reason = serializers.CharField()


class ErratumSerializer(serializers.Serializer[Any]):
    """Something that is known to be wrong in a release."""

    item = serializers.CharField(source="placed.public_id", help_text="The item's id in the files.")
    kind = serializers.ChoiceField(choices=ProblemKind.choices)
    text = serializers.CharField(source="decision", help_text="What is wrong.")
    decided_at = serializers.DateTimeField()
    mended_in = serializers.CharField(source="mended_in.version", default=None, allow_null=True)
