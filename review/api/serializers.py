"""Shapes of the review API, in and out."""

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from common.api import StrictSerializer
from common.db import LARGEST_ID
from languages.letters import MAX_OPTIONS
from projects.criteria import HIGHEST
from projects.enums import JUDGES
from review.actions.adjudication import DecisionContent
from review.actions.judgements import LONGEST_SECONDS, LONGEST_TEXT, JudgementContent
from review.actions.round_settings import LONGEST_LIST
from review.actions.running import LONGEST_REASON
from review.disputes import shuffled
from review.enums import (
    DecisionKind,
    ErrorTag,
    RoundKind,
    RoundState,
    Selection,
    SkipReason,
    Verdict,
    VerdictRule,
)
from review.models import Guideline, Judgement, Round, Suggestion
from review.models.rounds import MOST_CONTROL_PERCENT
from review.outcomes import Correction
from review.queries import progress_told_to, told_as_of
from review.report_queries import round_figures, stage_name_of
from review.staffing import ShortageCode

CONFIRMATION = "You mean it where your text changes numbers or formulas against the source."


def _further(help_text: str) -> serializers.CharField:
    return serializers.CharField(
        max_length=LONGEST_TEXT,
        trim_whitespace=False,
        required=False,
        allow_blank=True,
        help_text=help_text,
    )


class CorrectionSerializer(StrictSerializer):
    question = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False)
    options = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False),
        max_length=MAX_OPTIONS,
    )
    answer = _further("The reference answer of an item without options; it stays if left out.")
    explanation = _further("It stays if left out.")

    def value(self, data: dict[str, Any] | None) -> Correction | None:
        return Correction.from_json(data) if data else None


class RatingsField(serializers.DictField):
    """One whole number for each criterion of the project, by name."""

    child = serializers.IntegerField(min_value=0, max_value=HIGHEST)


class JudgementInput(StrictSerializer):
    """What `POST assignments/{id}/judgement/` takes."""

    verdict = serializers.ChoiceField(choices=Verdict.choices)
    ratings = RatingsField()
    tags = serializers.ListField(
        child=serializers.ChoiceField(choices=ErrorTag.choices), default=list, max_length=20
    )
    comment = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    correction = CorrectionSerializer(required=False, allow_null=True)
    active_seconds = serializers.IntegerField(default=0, min_value=0, max_value=LONGEST_SECONDS)
    revision = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    numbers_confirmed = serializers.BooleanField(default=False, help_text=CONFIRMATION)

    def content(self) -> JudgementContent:
        data = self.validated_data
        return JudgementContent(
            verdict=data["verdict"],
            ratings=data["ratings"],
            tags=data["tags"],
            comment=data["comment"],
            correction=CorrectionSerializer().value(data.get("correction")),
            active_seconds=data["active_seconds"],
            numbers_confirmed=data["numbers_confirmed"],
        )


class ReceiptSerializer(serializers.Serializer[Judgement]):
    judgement = serializers.IntegerField()
    receipt = serializers.UUIDField()


class SuggestionInput(StrictSerializer):
    """What `POST assignments/{id}/suggestion/` takes: a corrected text, a comment or both."""

    verdict = serializers.ChoiceField(choices=Verdict.choices, default="", allow_blank=True)
    correction = CorrectionSerializer(required=False, allow_null=True)
    comment = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=40, help_text="The code of the refusal."
    )


class SuggestionReceipt(serializers.Serializer[Suggestion]):
    suggestion = serializers.IntegerField()


class SkipInput(StrictSerializer):
    reason = serializers.ChoiceField(choices=SkipReason.choices)
    note = serializers.CharField(default="", allow_blank=True, max_length=2000)


BELONGS_TO = {
    "judgement": DecisionKind.ADOPT,
    "fields_adopted": DecisionKind.ADOPT,
    "correction": DecisionKind.MERGE,
}


class AdjudicationInput(StrictSerializer):
    """What `POST disputes/{id}/adjudication/` takes.

    `judgement` and `fields_adopted` go with *adopt*, `correction` with *merge*.
    """

    decision = serializers.ChoiceField(choices=DecisionKind.choices)
    judgement = serializers.IntegerField(required=False, allow_null=True, max_value=LARGEST_ID)
    fields_adopted = serializers.ListField(
        child=serializers.CharField(max_length=20), default=list, max_length=7
    )
    correction = CorrectionSerializer(required=False, allow_null=True)
    reason = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_TEXT)
    citation = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=500,
        help_text="the passage of the guideline that the decision follows",
    )
    numbers_confirmed = serializers.BooleanField(default=False, help_text=CONFIRMATION)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse what the decision would leave aside: a text that somebody typed would be lost."""
        faults = {
            name: [_("Give it with the decision “%s” only.") % decision]
            for name, decision in BELONGS_TO.items()
            if attrs.get(name) and attrs["decision"] != decision
        }
        if faults:
            raise serializers.ValidationError(faults)
        return attrs

    def content(self, judgement: Judgement | None) -> DecisionContent:
        data = self.validated_data
        return DecisionContent(
            kind=data["decision"],
            judgement=judgement,
            fields=data["fields_adopted"],
            correction=CorrectionSerializer().value(data.get("correction")),
            reason=data["reason"],
            citation=data["citation"],
            numbers_confirmed=data["numbers_confirmed"],
        )


class JudgementSerializer(serializers.ModelSerializer[Judgement]):
    """One stored judgement, as `review.judgement_rows.as_row` makes it."""

    item = serializers.CharField(source="panel.item.uid")
    round = serializers.IntegerField(source="panel.round.number")
    reviewer = serializers.CharField(source="reviewer.email")
    ratings = RatingsField()

    class Meta:
        model = Judgement
        fields = [
            "id",
            "item",
            "round",
            "revision",
            "reviewer",
            "verdict",
            "ratings",
            "tags",
            "comment",
            "correction",
            "active_seconds",
            "revealed_after",
            "submitted_at",
            "numbers_confirmed",
        ]


class DisputeSerializer(serializers.Serializer[Any]):
    """One open dispute with its judgements, without names."""

    id = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    item = serializers.CharField(source="item.uid")
    item_id = serializers.IntegerField(help_text="What `projects/{slug}/items/{id}/` takes.")
    subject = serializers.CharField(source="item.subject.slug")
    reasons = serializers.ListField(child=serializers.DictField())
    severity = serializers.IntegerField()
    revision = serializers.SerializerMethodField()
    judgements = serializers.SerializerMethodField()

    def get_revision(self, panel: Any) -> dict[str, Any]:
        revision = panel.revision
        return {"id": revision.pk, **Correction.of(revision).as_json()}

    def get_judgements(self, panel: Any) -> list[dict[str, Any]]:
        return [
            {
                "id": judgement.pk,
                "verdict": judgement.verdict,
                "ratings": judgement.ratings,
                "tags": judgement.tags,
                "comment": judgement.comment,
                "correction": judgement.correction,
            }
            for judgement in shuffled(panel, panel.judgements.all())
        ]


class ItemFilterInput(StrictSerializer):
    """The filter of `GET projects/{slug}/items/`; what is left out filters nothing."""

    q = serializers.CharField(required=False, allow_blank=True, max_length=200)
    subject = serializers.CharField(required=False, allow_blank=True, max_length=200)
    category = serializers.CharField(required=False, allow_blank=True, max_length=200)
    state = serializers.CharField(required=False, allow_blank=True, max_length=20)
    findings = serializers.CharField(required=False, allow_blank=True, max_length=20)
    code = serializers.CharField(required=False, allow_blank=True, max_length=100)
    split = serializers.CharField(required=False, allow_blank=True, max_length=10)


ONLY_WITH = {
    "uids": Selection.LIST,
    "item_filter": Selection.FILTER,
    "since_round": Selection.CHANGED,
}


class RoundInput(StrictSerializer):
    """What `POST projects/{slug}/rounds/` takes; all may be left out."""

    kind = serializers.ChoiceField(choices=RoundKind.choices, default="review")
    panel_size = serializers.IntegerField(default=2, min_value=1, max_value=9)
    selection = serializers.ChoiceField(choices=Selection.choices, default="not-approved")
    sample_size = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=10**8
    )
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    uids = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        max_length=LONGEST_LIST,
        help_text="the items of the selection list",
    )
    item_filter = ItemFilterInput(
        default=dict, help_text="the items of the selection filter, as in the list of items"
    )
    since_round = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=32_767,
        help_text="for the selection changed; by default the latest round with judgements",
    )
    verdict_rule = serializers.ChoiceField(choices=VerdictRule.choices, default="unanimous")
    score_gap = serializers.IntegerField(default=2, min_value=1, max_value=HIGHEST)
    uncertain_seats = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=3,
        help_text="further judgements that are asked for where people disagree, from 0 to 3",
    )
    reservation_minutes = serializers.IntegerField(default=30, min_value=1, max_value=1440)
    cap_per_person = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=10**8
    )
    due_on = serializers.DateField(default=None, allow_null=True)
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=[(role, role.label) for role in JUDGES]),
        default=list,
        max_length=2,
        help_text="whom the round asks; empty means reviewers and seniors",
    )
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35),
        default=list,
        max_length=20,
        help_text="the round asks only people who list each of them",
    )
    excluded_people = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        default=list,
        max_length=1000,
        help_text="ids of people whom the round does not ask",
    )
    needs_expert = serializers.BooleanField(
        default=False,
        help_text="one judgement of each item comes from an expert in its subject",
    )
    control_percent = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=MOST_CONTROL_PERCENT,
        help_text="control items for each 100 items; only managers learn which they are",
    )
    has_blind_reading = serializers.BooleanField(
        default=False,
        help_text="reviewers read the target text alone before they see the source and the key",
    )
    is_same_panel_allowed = serializers.BooleanField(default=None, allow_null=True)
    is_unfinishable_allowed = serializers.BooleanField(
        default=False,
        help_text="open the round although some items cannot get all their judgements",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a list or a filter that the selection would leave aside, and ask about all items."""
        faults = {
            name: [_("Give it with the selection “%s” only.") % selection]
            for name, selection in ONLY_WITH.items()
            if attrs[name] and attrs["selection"] != selection
        }
        if faults:
            raise serializers.ValidationError(faults)
        return attrs


class RoundChangesInput(StrictSerializer):
    """What `PATCH rounds/{id}/` takes; what is left out stays as it is."""

    due_on = serializers.DateField(required=False, allow_null=True)
    cap_per_person = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=10**8
    )
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=[(role, role.label) for role in JUDGES]),
        required=False,
        max_length=2,
    )
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35), required=False, max_length=20
    )
    excluded_people = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        required=False,
        max_length=1000,
    )
    has_blind_reading = serializers.BooleanField(required=False)


class PauseInput(StrictSerializer):
    reason = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_REASON)


class RoundSerializer(serializers.ModelSerializer[Round]):
    """A round; with `hides_people` in the context without the ids of the people it excludes."""

    class Meta:
        model = Round
        fields = [
            "id",
            "number",
            "state",
            "panel_size",
            "selection",
            "sample_size",
            "seed",
            "verdict_rule",
            "score_gap",
            "uncertain_seats",
            "reservation_minutes",
            "cap_per_person",
            "due_on",
            "is_same_panel_allowed",
            "has_blind_reading",
            "audience",
            "paused_at",
            "pause_reason",
            "opened_at",
            "closed_at",
            "job",
            "kind",
            "left_out_count",
        ]

    def to_representation(self, instance: Round) -> dict[str, Any]:
        told: dict[str, Any] = super().to_representation(instance)
        if self.context.get("hides_people"):
            audience = told["audience"]
            told["audience"] = {name: audience[name] for name in audience if name != "excluded"}
        return told


class ShortageSerializer(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=[(code, code) for code in ShortageCode])
    count = serializers.IntegerField()
    detail = serializers.CharField()


class PreviewPersonSerializer(serializers.Serializer[Any]):
    """Someone with a role that judges; `status` says why they may not judge in this round."""

    user = serializers.IntegerField()
    name = serializers.CharField()
    role = serializers.CharField()
    subjects = serializers.CharField()
    status = serializers.CharField()
    items = serializers.IntegerField()


class RoundPreviewSerializer(serializers.Serializer[Any]):
    """Who may judge how much of a round, and how long it takes; it is finishable without shortages.

    `pace` is the median of judgements by one person on one day of the last rounds, and `days` the
    least number of days at that pace; both null where nobody has judged yet.
    """

    items = serializers.IntegerField(source="forecast.items")
    panel_size = serializers.IntegerField(source="forecast.panel_size")
    judges = serializers.IntegerField(source="forecast.judges")
    largest_panel = serializers.IntegerField(source="forecast.largest_panel")
    workload = serializers.IntegerField(source="forecast.workload")
    shortages = ShortageSerializer(source="told_shortages", many=True)
    people = PreviewPersonSerializer(many=True)
    pace = serializers.FloatField(allow_null=True)
    days = serializers.IntegerField(allow_null=True)
    finished_on = serializers.DateField(allow_null=True)
    left_out = serializers.IntegerField(
        help_text="chosen items that a round of this kind cannot ask about"
    )


class RoundDetailSerializer(RoundSerializer):
    """A round with its progress in panels and seats, and its figures."""

    progress = serializers.SerializerMethodField()
    figures = serializers.SerializerMethodField()

    class Meta(RoundSerializer.Meta):
        fields = [*RoundSerializer.Meta.fields, "progress", "figures"]

    def get_progress(self, round_: Round) -> dict[str, int]:
        return asdict(progress_told_to(self.context["request"].user, round_))

    def get_figures(self, round_: Round) -> dict[str, Any]:
        stage = {"stage": stage_name_of(round_).as_json()}
        user = self.context["request"].user
        is_open = round_.state == RoundState.OPEN
        if is_open and told_as_of(user, round_.project) is not None:
            return stage  # the figures wait until control items may be told
        return stage | round_figures(round_).as_json()


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
