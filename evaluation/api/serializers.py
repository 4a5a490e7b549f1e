"""Shapes of models, runs, figures and responses in the API."""

from typing import Any

from rest_framework import serializers

from common.api import StrictSerializer
from common.enums import JobState
from evaluation.actions import RunSettings, SpecValues
from evaluation.actions.runs import (
    DEFAULT_METHODS,
    MAX_CONCURRENCY,
    MAX_EPOCHS,
    MAX_SHOTS,
    RUN_METHODS,
)
from evaluation.actions.specs import MOST_REQUESTS_PER_MINUTE
from evaluation.enums import PromptStyle, ResponseState
from evaluation.models import ModelResponse, ModelSpec, Run, Score


class RevisionInput(StrictSerializer):
    base_url = serializers.CharField(max_length=300)
    model = serializers.CharField(max_length=200)
    api_key_env = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="Name of the worker's environment variable that holds the key.",
    )
    parameters = serializers.DictField(default=dict, help_text="Decoding parameters.")
    requests_per_minute = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=MOST_REQUESTS_PER_MINUTE,
        help_text="Most calls to the endpoint by all runs together; null is no limit.",
    )

    def values(self) -> SpecValues:
        data: dict[str, Any] = dict(self.validated_data)
        data.pop("name", None)
        return SpecValues(**data)


class ModelInput(RevisionInput):
    name = serializers.CharField(max_length=100)


class ModelSerializer(serializers.Serializer[ModelSpec]):
    """`base_url` and `api_key_env` are there for managers only."""

    name = serializers.CharField()
    revision = serializers.IntegerField()
    model = serializers.CharField()
    parameters = serializers.DictField()
    requests_per_minute = serializers.IntegerField(allow_null=True)
    base_url = serializers.CharField(required=False)
    api_key_env = serializers.CharField(required=False)
    created_at = serializers.DateTimeField()

    def to_representation(self, instance: ModelSpec) -> dict[str, Any]:
        body: dict[str, Any] = super().to_representation(instance)
        if not self.context.get("can_change"):
            del body["base_url"], body["api_key_env"]
        return body


class RunInput(StrictSerializer):
    release = serializers.CharField(max_length=40, help_text="Version of the release.")
    model = serializers.CharField(max_length=100, help_text="Name of the model spec.")
    prompt = serializers.CharField(max_length=100, default=str(PromptStyle.DIRECT))
    shots = serializers.IntegerField(min_value=0, max_value=MAX_SHOTS, default=0)
    epochs = serializers.IntegerField(min_value=1, max_value=MAX_EPOCHS, default=1)
    methods = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(RUN_METHODS)),
        allow_empty=False,
        default=lambda: list(DEFAULT_METHODS),
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=8)

    def settings(self) -> RunSettings:
        data = self.validated_data
        return RunSettings(
            shots=data["shots"],
            epochs=data["epochs"],
            methods=tuple(dict.fromkeys(data["methods"])),
            concurrency=data["concurrency"],
        )


class RunStartedSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    job = serializers.IntegerField()


class RunSerializer(serializers.Serializer[Run]):
    id = serializers.IntegerField()
    release = serializers.CharField(source="release.version")
    model = serializers.CharField(source="model_spec.name")
    model_revision = serializers.IntegerField(source="model_spec.revision")
    prompt = serializers.CharField(source="prompt_template.name")
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")
    shots = serializers.IntegerField()
    epochs = serializers.IntegerField()
    methods = serializers.ListField(child=serializers.CharField())
    concurrency = serializers.IntegerField()
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    error = serializers.CharField(source="job.error")
    started_at = serializers.DateTimeField()


class RunDetailSerializer(RunSerializer):
    results = serializers.DictField(help_text="The figures so far; rates are shares in 0…1.")


class ScoreSerializer(serializers.Serializer[Score]):
    method = serializers.CharField()
    version = serializers.IntegerField()
    letter = serializers.CharField(help_text="Empty where the method took none.")
    has_answer = serializers.BooleanField(source="is_valid")
    is_correct = serializers.BooleanField()
    error_kind = serializers.CharField()


class ResponseSerializer(serializers.Serializer[ModelResponse]):
    id = serializers.IntegerField()
    uid = serializers.CharField(source="release_item.item.uid")
    subject = serializers.CharField(source="release_item.item.subject.slug")
    key = serializers.CharField(source="release_item.item.key")
    epoch = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ResponseState.choices)
    text = serializers.CharField()
    error = serializers.CharField()
    finish_reason = serializers.CharField()
    endpoint_model = serializers.CharField()
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    latency_ms = serializers.IntegerField()
    try_count = serializers.IntegerField()
    scores = ScoreSerializer(many=True)
