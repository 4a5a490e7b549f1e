"""The API of explanation jobs."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.asking.actions import AskingSettings
from annotation.asking.api import (
    AskingInput,
    AskingJobSerializer,
    AskingPromptInput,
    EstimateSerializer,
    ResumeInput,
    TaskPromptSerializer,
    cancel_answer,
    jobs_answer,
    prompt_answer,
    resume_answer,
    revised_answer,
    rows_answer,
    start_answer,
)
from annotation.asking.selectors import asking_job_for
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS
from common.pagination import ApiPagination
from projects.models import Project
from review.explaining.actions import (
    EXPLAINING,
    EXPLANATIONS,
    estimate_of,
    start_explaining,
)
from review.explaining.queries import failed_items, results_json, words_of
from review.models import ExplainedItem, ExplanationJob


class ExplainingInput(AskingInput):
    def settings(self, project: Project) -> AskingSettings:
        return AskingSettings(**self.shared(project))


class ExplainingEstimateSerializer(EstimateSerializer):
    without_text = serializers.IntegerField(
        help_text="Items left out because they have no text of the project's system."
    )


class ExplainingStartedSerializer(serializers.Serializer[Any]):
    explanation_job = serializers.IntegerField()
    job = serializers.IntegerField()


class ExplanationJobSerializer(AskingJobSerializer):
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")


class ExplanationJobDetailSerializer(ExplanationJobSerializer):
    results = serializers.DictField(
        help_text="States of the items, calls, tokens and price so far."
    )


class UnexplainedItemSerializer(serializers.Serializer[ExplainedItem]):
    item = serializers.CharField(source="item.uid")
    code = serializers.CharField(source="reason")
    reason = serializers.SerializerMethodField()

    def get_reason(self, row: ExplainedItem) -> str:
        return words_of(row)


class ExplanationJobListView(generics.GenericAPIView[ExplanationJob]):
    """The explanation jobs of a project."""

    pagination_class = ApiPagination
    serializer_class = ExplanationJobSerializer
    queryset = ExplanationJob.objects.none()

    @extend_schema(responses={200: ExplanationJobSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        return jobs_answer(self, EXPLAINING, slug)

    @extend_schema(
        request=ExplainingInput,
        responses={200: ExplainingEstimateSerializer, 202: ExplainingStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue an explanation job, or return its estimate. Its progress is at `jobs/{job}/`."""
        return start_answer(
            request, slug, EXPLAINING, ExplainingInput, start=start_explaining, estimate=estimate_of
        )


class ExplanationJobView(APIView):
    @extend_schema(responses={200: ExplanationJobDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return an explanation job with its counts so far."""
        started = asking_job_for(EXPLAINING, caller(request), slug, pk)
        body: dict[str, Any] = dict(ExplanationJobSerializer(started).data)
        return Response(body | {"results": results_json(started)})


class UnexplainedListView(generics.GenericAPIView[ExplainedItem]):
    """The items of an explanation job that got none, with the reason."""

    pagination_class = ApiPagination
    serializer_class = UnexplainedItemSerializer
    queryset = ExplainedItem.objects.none()

    @extend_schema(responses={200: UnexplainedItemSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return rows_answer(self, EXPLAINING, slug, pk, failed_items)


class ExplanationJobCancelView(APIView):
    @extend_schema(request=None, responses={202: ExplainingStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel an explanation job. The explanations so far are kept."""
        started = asking_job_for(EXPLAINING, caller(request), slug, pk, EXPLAINING.manage)
        return cancel_answer(request, EXPLAINING, started)


class ExplanationJobResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: ExplainingStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Resume an explanation job: continue with the items that are open."""
        started = asking_job_for(EXPLAINING, caller(request), slug, pk, EXPLAINING.manage)
        return resume_answer(request, EXPLAINING, started)


class ExplanationPromptView(APIView):
    @extend_schema(responses={200: TaskPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the prompt of explanation jobs."""
        return prompt_answer(request, slug, EXPLAINING, EXPLANATIONS)

    @extend_schema(request=AskingPromptInput, responses={201: TaskPromptSerializer, **REFUSALS})
    def put(self, request: Request, slug: str) -> Response:
        """Add a revision of the prompt of explanation jobs."""
        return revised_answer(request, slug, EXPLAINING, EXPLANATIONS)
