"""Shapes of rounds in the API, in and out."""

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.items.api import ItemFilterInput
from common.api import IdField, StrictSerializer
from projects.criteria import HIGHEST
from projects.enums import JUDGES
from review.enums import (
    OpinionsShown,
    RoundKind,
    RoundState,
    Selection,
    VerdictRule,
)
from review.models import Round
from review.models.rounds import MOST_CONTROL_PERCENT
from review.report.queries import round_figures, stage_name_of
from review.report.selectors import told_as_of
from review.rounds.actions.running import LONGEST_REASON
from review.rounds.actions.settings import LONGEST_LIST
from review.rounds.queries import progress_told_to
from review.rounds.staffing import ShortageCode

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
        child=IdField(),
        default=list,
        max_length=1000,
        help_text="ids of people whom the round does not ask",
    )
    substitute = IdField(
        default=None,
        allow_null=True,
        help_text="id of who settles the disputes that no senior may settle, and judges nothing",
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
    opinions_shown = serializers.ChoiceField(
        choices=OpinionsShown.choices,
        default=OpinionsShown.NOBODY,
        help_text="who sees the opinions of screening, and never before the own verdict",
    )
    is_same_panel_allowed = serializers.BooleanField(default=None, allow_null=True)
    is_unfinishable_allowed = serializers.BooleanField(
        default=False,
        help_text="open the round although some items cannot get all their judgements",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a list or a filter that the selection would leave aside, and ask about all items."""
        faults = {
            name: [_("Give this only with the selection “%s”.") % selection]
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
        child=IdField(),
        required=False,
        max_length=1000,
    )
    substitute = IdField(required=False, allow_null=True)
    has_blind_reading = serializers.BooleanField(required=False)
    opinions_shown = serializers.ChoiceField(choices=OpinionsShown.choices, required=False)


class PauseInput(StrictSerializer):
    reason = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_REASON)


class RoundSerializer(serializers.ModelSerializer[Round]):
    """A round; with `hides_people` in the context without the ids of people."""

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
            "opinions_shown",
            "audience",
            "substitute",
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
            told["substitute"] = None
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
    no_senior = serializers.CharField(
        help_text="that a dispute may come up which no senior can settle; empty if one always can"
    )
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
