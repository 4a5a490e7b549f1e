"""Serializers of models, runs and responses."""

from typing import Any

from rest_framework import serializers

from common.api import StrictSerializer
from evaluation.actions import RunSettings, SpecValues
from evaluation.actions.runs import (
    DEFAULT_METHODS,
    MAX_CONCURRENCY,
    MAX_EPOCHS,
    MAX_SHOTS,
    RUN_METHODS,
)
from evaluation.enums import PromptStyle, ResponseState
from evaluation.models import ModelResponse, ModelSpec, PromptTemplate, Run, Score
from jobs.enums import JobState


class RevisionInput(StrictSerializer):
    endpoint = serializers.CharField(
        max_length=100, help_text="The name of an endpoint that the project may use."
    )
    model = serializers.CharField(max_length=200)
    parameters = serializers.DictField(default=dict, help_text="Decoding parameters.")

    def values(self) -> SpecValues:
        data: dict[str, Any] = dict(self.validated_data)
        data.pop("name", None)
        return SpecValues(**data)


class ModelInput(RevisionInput):
    name = serializers.CharField(max_length=100)


class ModelSerializer(serializers.Serializer[ModelSpec]):
    name = serializers.CharField()
    revision = serializers.IntegerField()
    endpoint = serializers.CharField(source="endpoint.name")
    model = serializers.CharField()
    parameters = serializers.DictField()
    created_at = serializers.DateTimeField()


class PromptSerializer(serializers.Serializer[PromptTemplate]):
    """A prompt; names in braces stand for parts of the item."""

    name = serializers.CharField(help_text="What `POST projects/{slug}/runs/` takes as `prompt`.")
    revision = serializers.IntegerField()
    style = serializers.ChoiceField(choices=PromptStyle.choices)  # type: ignore[assignment]
    language = serializers.CharField()
    system = serializers.CharField()
    frame = serializers.CharField()


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
    scoring_job = serializers.IntegerField(
        source="scoring_job_id",
        allow_null=True,
        help_text="The last job that scored the stored answers again.",
    )
    headline_method = serializers.CharField(help_text="Empty until a job of the run has ended.")
    headline_accuracy = serializers.FloatField(
        allow_null=True, help_text="Accuracy by the headline method when the last job ended."
    )
    headline_read = serializers.IntegerField(help_text="The number of answers that it is based on.")
    started_at = serializers.DateTimeField()


class RunDetailSerializer(RunSerializer):
    results = serializers.DictField(help_text="The results so far; rates are between 0 and 1.")


class ScoreSerializer(serializers.Serializer[Score]):
    method = serializers.CharField()
    version = serializers.IntegerField()
    letter = serializers.CharField(help_text="Empty if the method found none.")
    has_answer = serializers.BooleanField(source="is_valid")
    is_correct = serializers.BooleanField()
    error_kind = serializers.CharField()


class ResponseSerializer(serializers.Serializer[ModelResponse]):
    id = serializers.IntegerField()
    uid = serializers.CharField(source="release_item.uid")
    subject = serializers.CharField(source="release_item.subject.slug")
    key = serializers.CharField(source="release_item.key")
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


class MessageSerializer(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class ReadingSerializer(serializers.Serializer[Any]):
    """What a method in its current version takes from a response, and why."""

    method = serializers.CharField()
    version = serializers.CharField()
    answer = serializers.CharField(allow_null=True, help_text="Null if the method found none.")
    is_correct = serializers.BooleanField()
    reason = serializers.CharField(help_text="Why, in words.")
    rule = serializers.CharField(help_text="How the method reads responses, in words.")


class ResponseDetailSerializer(ResponseSerializer):
    request_hash = serializers.CharField()
    messages = MessageSerializer(many=True, help_text="The prompt as it was sent.")
    read_text = serializers.CharField(
        help_text="The text without reasoning, which is what the methods read."
    )
    readings = ReadingSerializer(
        many=True, help_text="The headline method first; empty for a failed response."
    )


class RunFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="What `runs/{id}/files/{name}` takes.")
    size = serializers.IntegerField(help_text="In bytes.")
