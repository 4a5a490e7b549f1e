"""The API of sampling jobs."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.asking.api import (
    AskingJobSerializer,
    AskingPromptInput,
    CallsInput,
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
from annotation.making.actions import MOST_CHARACTERS
from annotation.making.api import LeftOutSerializer
from annotation.making.from_pool.actions import (
    DEFAULT_COUNT,
    SAMPLING,
    SCORES,
    SamplingSettings,
    estimate_of,
    start_sampling,
)
from annotation.making.from_pool.pool import MOST_PROMPTS
from annotation.making.from_pool.queries import (
    choose_prompts,
    failed_prompts,
    results_json,
    sample_of,
    words_of,
)
from annotation.making.known import left_out_json
from annotation.models import PooledPrompt, SamplingJob
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS
from common.pagination import ApiPagination, KeysetPagination
from projects.models import Project
from projects.selectors import project_for


class SamplingInput(CallsInput):
    pool = serializers.CharField(
        max_length=MOST_CHARACTERS,
        help_text="Prompts, one on each line, or JSON objects or a CSV table with prompt. Optional: "
        "subject, id.",
    )
    count = serializers.IntegerField(
        min_value=1, max_value=MOST_PROMPTS, default=DEFAULT_COUNT, help_text="How many are drawn."
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    name = serializers.CharField(max_length=200, default="pool")

    def settings(self, project: Project) -> SamplingSettings:
        own = {name: self.validated_data[name] for name in ("pool", "count", "seed", "name")}
        return SamplingSettings(**own, **self.bounds(project))


class SamplingStartedSerializer(serializers.Serializer[Any]):
    sampling_job = serializers.IntegerField()
    job = serializers.IntegerField()


class SamplingEstimateSerializer(EstimateSerializer):
    embedding_model = serializers.CharField(help_text="Finds the topics.")
    left_out = LeftOutSerializer(many=True)


class SamplingJobSerializer(AskingJobSerializer):
    name = serializers.CharField()
    count = serializers.IntegerField()
    seed = serializers.IntegerField()
    embedding_model = serializers.CharField()
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")


class SamplingJobDetailSerializer(SamplingJobSerializer):
    results = serializers.DictField(
        help_text="States of the prompts, drawn ones, calls, tokens and price so far."
    )


class ScoresSerializer(serializers.Serializer[PooledPrompt]):
    specificity = serializers.IntegerField()
    clarity = serializers.IntegerField()
    depth = serializers.IntegerField()


class DrawnPromptSerializer(serializers.Serializer[PooledPrompt]):
    place = serializers.IntegerField(help_text="The order of drawing, from 1.")
    uid = serializers.CharField(help_text="That of its item.")
    prompt = serializers.CharField()
    subject = serializers.CharField()
    topic = serializers.IntegerField()
    scores = ScoresSerializer(help_text="From 1 to 5.")


class FailedPromptSerializer(serializers.Serializer[PooledPrompt]):
    line = serializers.IntegerField()
    prompt = serializers.CharField()
    code = serializers.CharField(source="reason")
    reason = serializers.SerializerMethodField()

    def get_reason(self, row: PooledPrompt) -> str:
        return words_of(row)


class SamplePagination(KeysetPagination):
    order = ("place",)


class SamplingJobListView(generics.GenericAPIView[SamplingJob]):
    """The sampling jobs of a project."""

    pagination_class = ApiPagination
    serializer_class = SamplingJobSerializer
    queryset = SamplingJob.objects.none()

    @extend_schema(responses={200: SamplingJobSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        return jobs_answer(self, SAMPLING, slug)

    @extend_schema(
        request=SamplingInput,
        responses={200: SamplingEstimateSerializer, 202: SamplingStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue a sampling job, or return its estimate with the lines left out."""
        answer = start_answer(
            request, slug, SAMPLING, SamplingInput, start=start_sampling, estimate=estimate_of
        )
        if answer.status_code == status.HTTP_200_OK:
            project = project_for(caller(request), slug, SAMPLING.manage)
            faults = choose_prompts(project, str(dict(request.data)["pool"])).faults
            answer.data |= {
                "embedding_model": settings.EMBEDDING_MODEL, "left_out": left_out_json(faults),
            }  # fmt: skip
        return answer


class SamplingJobView(APIView):
    @extend_schema(responses={200: SamplingJobDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return a sampling job with its counts so far."""
        started = asking_job_for(SAMPLING, caller(request), slug, pk)
        body: dict[str, Any] = dict(SamplingJobSerializer(started).data)
        return Response(body | {"results": results_json(started)})


class SampleView(generics.GenericAPIView[PooledPrompt]):
    """The prompts that a sampling job has drawn, with their scores, in the order of drawing."""

    pagination_class = SamplePagination
    serializer_class = DrawnPromptSerializer
    queryset = PooledPrompt.objects.none()

    @extend_schema(responses={200: DrawnPromptSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return rows_answer(self, SAMPLING, slug, pk, sample_of)


class FailedPromptListView(generics.GenericAPIView[PooledPrompt]):
    """The prompts of a sampling job without scores, with the reason."""

    pagination_class = ApiPagination
    serializer_class = FailedPromptSerializer
    queryset = PooledPrompt.objects.none()

    @extend_schema(responses={200: FailedPromptSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return rows_answer(self, SAMPLING, slug, pk, failed_prompts)


class SamplingCancelView(APIView):
    @extend_schema(request=None, responses={202: SamplingStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel a sampling job. The scores so far are kept, and a resumed job goes on from them."""
        started = asking_job_for(SAMPLING, caller(request), slug, pk, SAMPLING.manage)
        return cancel_answer(request, SAMPLING, started)


class SamplingResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: SamplingStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Resume a sampling job: continue with the prompts that are open."""
        started = asking_job_for(SAMPLING, caller(request), slug, pk, SAMPLING.manage)
        return resume_answer(request, SAMPLING, started)


class SamplingPromptView(APIView):
    @extend_schema(responses={200: TaskPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the prompt of sampling jobs."""
        return prompt_answer(request, slug, SAMPLING, SCORES)

    @extend_schema(request=AskingPromptInput, responses={201: TaskPromptSerializer, **REFUSALS})
    def put(self, request: Request, slug: str) -> Response:
        """Add a revision of the prompt of sampling jobs."""
        return revised_answer(request, slug, SAMPLING, SCORES)
