"""The API of responses, and of the files with the figures of a run."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import LIST_REFUSALS, READ_REFUSALS
from common.api_exports import file_answer
from common.pagination import ApiPagination
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Score
from evaluation.results.csv_files import run_files
from evaluation.results.presenters import quoted_body, shown_readings
from evaluation.results.queries.figures import run_results
from evaluation.results.queries.responses import KINDS, filtered_responses, reading_of
from evaluation.results.selectors import response_filter, response_of
from evaluation.selectors import run_by_id
from evaluation.translation.queries import SentenceFigures, sentence_figures

VIEW = "evaluation.view_run"
FILTERS = ("method", "kind", "differs")


class ScoreSerializer(serializers.Serializer[Score]):
    method = serializers.CharField()
    version = serializers.IntegerField()
    letter = serializers.CharField(help_text="Empty if the method found none.")
    has_answer = serializers.BooleanField(source="is_valid")
    is_correct = serializers.BooleanField()
    error_kind = serializers.CharField(help_text="The outcome; empty if it is right.")
    cause = serializers.CharField(
        help_text="The kind of error, such as refusal or truncated; empty if it is right, or in old scores."
    )


class ResponseSerializer(serializers.Serializer[ModelResponse]):
    id = serializers.IntegerField()
    uid = serializers.CharField(source="release_item.uid")
    subject = serializers.CharField(source="release_item.subject.slug")
    key = serializers.CharField(source="release_item.key")
    epoch = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ResponseState.choices)
    text = serializers.CharField()
    error = serializers.CharField(
        help_text="The endpoint's failure, or why the model gave no answer; empty for an answer."
    )
    reasoning = serializers.CharField()
    refusal = serializers.CharField()
    tool_calls = serializers.CharField(help_text="JSON as text; empty if there are none.")
    finish_reason = serializers.CharField()
    endpoint_model = serializers.CharField()
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    latency_ms = serializers.IntegerField()
    reused_from = serializers.IntegerField(
        source="reused_from_id",
        allow_null=True,
        help_text="The response of an earlier run that this is a copy of; null if it was asked for.",
    )
    try_count = serializers.IntegerField()
    scores = ScoreSerializer(many=True)


class MessageSerializer(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class ReadPlaceSerializer(serializers.Serializer[Any]):
    """Where a method read its answer: characters of `read_text`, counted from 0."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()


class ReadingSerializer(serializers.Serializer[Any]):
    """What a method in its current version takes from a response, and why."""

    method = serializers.CharField()
    version = serializers.CharField()
    answer = serializers.CharField(allow_null=True, help_text="Null if the method found none.")
    is_correct = serializers.BooleanField()
    reason = serializers.CharField(help_text="Why, in words.")
    place = ReadPlaceSerializer(
        allow_null=True,
        help_text="Null for a method that weighs the whole text, and for no answer.",
    )
    rule = serializers.CharField(help_text="How the method reads responses, in words.")


class SentenceScoreSerializer(serializers.Serializer[SentenceFigures]):
    """Scores of one translation from 0 to 100; their mean is no score of the run."""

    direction = serializers.CharField()
    segmenter = serializers.CharField(help_text="What cut the texts for BLEU.")
    bleu = serializers.FloatField(source="scores.bleu", help_text="Of the effective order.")
    chrf = serializers.FloatField(source="scores.chrf", help_text="chrF++.")


class ResponseDetailSerializer(ResponseSerializer):
    request_hash = serializers.CharField()
    body = serializers.CharField(
        source="quoted_body",
        help_text="The beginning of what the endpoint sent, if an administrator allows it.",
    )
    messages = MessageSerializer(many=True, help_text="The prompt as it was sent.")
    reference = serializers.CharField(
        source="release_item.reference", help_text="Of an item without options; else empty."
    )
    read_text = serializers.CharField(
        help_text="The text without reasoning, which is what the methods read."
    )
    readings = ReadingSerializer(
        many=True, help_text="The headline method first; empty for a failed response."
    )
    sentence = SentenceScoreSerializer(
        allow_null=True, help_text="Of an answer that is a translation; else null."
    )


class RunFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="What `runs/{id}/files/{name}` takes.")
    size = serializers.IntegerField(help_text="In bytes.")


class RunFileListView(APIView):
    @extend_schema(responses={200: RunFileSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """The CSV files of a run with its current figures; none before the first answer is scored."""
        run = run_by_id(caller(request), pk, VIEW)
        files = run_files(run_results(run))
        return Response([{"name": name, "size": len(text.encode())} for name, text in files])


class RunFileView(APIView):
    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR, **READ_REFUSALS})
    def get(self, request: Request, pk: int, name: str) -> HttpResponseBase:
        """One of the CSV files of a run; those of the methods have the names that TLUE publishes."""
        run = run_by_id(caller(request), pk, VIEW)
        text = dict(run_files(run_results(run))).get(name)
        if text is None:
            raise Http404
        return file_answer([text], name=name.rpartition("/")[2], media_type="text/csv")


class ResponseListView(generics.GenericAPIView[ModelResponse]):
    """Raw responses with their scores, including hidden items. For managers only."""

    pagination_class = ApiPagination
    serializer_class = ResponseSerializer
    queryset = ModelResponse.objects.none()

    def get_queryset(self) -> QuerySet[ModelResponse]:
        run = run_by_id(caller(self.request), self.kwargs["pk"], "evaluation.view_responses")
        names = {name: self.request.GET.get(name, "") for name in FILTERS}
        rows = filtered_responses(run, response_filter(run, **names))
        return rows.select_related("release_item__subject").prefetch_related("scores")

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "method", description="Filter by this method (default: the headline)."
            ),
            OpenApiParameter("kind", enum=KINDS, description="What the method found."),
            OpenApiParameter(
                "differs", description="Only responses in which this method found something else."
            ),
        ],
        responses={200: ResponseSerializer(many=True), **LIST_REFUSALS},
    )
    def get(self, request: Request, pk: int) -> Response:
        page: Any = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ResponseSerializer(page, many=True).data)


class ResponseView(APIView):
    @extend_schema(responses={200: ResponseDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int, response_pk: int) -> Response:
        """One raw response with its prompt, and what each method takes from it and why."""
        run = run_by_id(caller(request), pk, "evaluation.view_responses")
        response: Any = response_of(run, response_pk)
        reading = reading_of(response)
        response.sentence = sentence_figures(response)
        response.quoted_body = quoted_body(response)
        response.messages, response.read_text = reading.messages, reading.read_text
        response.readings = shown_readings(
            reading, response.release_item.key, is_published=run.is_published
        )
        return Response(ResponseDetailSerializer(response).data)
