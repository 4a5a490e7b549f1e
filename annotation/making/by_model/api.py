"""The API of making jobs."""

from typing import Any

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
from annotation.making.by_model.actions import (
    DISTRACTORS,
    MAKING,
    MakingJobSettings,
    estimate_of,
    start_making_job,
)
from annotation.making.by_model.queries import choose_pairs, failed_pairs, results_json, words_of
from annotation.making.known import left_out_json
from annotation.models import MadePair, MakingJob
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS
from common.pagination import ApiPagination
from projects.models import Project
from projects.selectors import project_for


class MakingJobInput(CallsInput):
    pairs = serializers.CharField(
        max_length=MOST_CHARACTERS,
        help_text="JSON objects with question and answer, one on each line, or a CSV table with "
        "these columns. Optional: subject, id.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    name = serializers.CharField(max_length=200, default="made")

    def settings(self, project: Project) -> MakingJobSettings:
        own = {name: self.validated_data[name] for name in ("pairs", "seed", "name")}
        return MakingJobSettings(**own, **self.bounds(project))


class MakingJobStartedSerializer(serializers.Serializer[Any]):
    making_job = serializers.IntegerField()
    job = serializers.IntegerField()


class MakingEstimateSerializer(EstimateSerializer):
    left_out = LeftOutSerializer(many=True)


class MakingJobSerializer(AskingJobSerializer):
    name = serializers.CharField()
    seed = serializers.IntegerField()
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")


class MakingJobDetailSerializer(MakingJobSerializer):
    results = serializers.DictField(
        help_text="States of the pairs, calls, tokens and price so far."
    )


class FailedPairSerializer(serializers.Serializer[MadePair]):
    line = serializers.IntegerField()
    question = serializers.CharField()
    answer = serializers.CharField()
    code = serializers.CharField(source="reason")
    reason = serializers.SerializerMethodField()

    def get_reason(self, pair: MadePair) -> str:
        return words_of(pair)


class MakingJobListView(generics.GenericAPIView[MakingJob]):
    """The making jobs of a project."""

    pagination_class = ApiPagination
    serializer_class = MakingJobSerializer
    queryset = MakingJob.objects.none()

    @extend_schema(responses={200: MakingJobSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        return jobs_answer(self, MAKING, slug)

    @extend_schema(
        request=MakingJobInput,
        responses={200: MakingEstimateSerializer, 202: MakingJobStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue a making job, or return its estimate with the lines left out."""
        answer = start_answer(
            request, slug, MAKING, MakingJobInput, start=start_making_job, estimate=estimate_of
        )
        if answer.status_code == status.HTTP_200_OK:
            project = project_for(caller(request), slug, MAKING.manage)
            pairs = str(dict(request.data)["pairs"])
            answer.data |= {"left_out": left_out_json(choose_pairs(project, pairs).faults)}
        return answer


class MakingJobView(APIView):
    @extend_schema(responses={200: MakingJobDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return a making job with its counts so far."""
        started = asking_job_for(MAKING, caller(request), slug, pk)
        body: dict[str, Any] = dict(MakingJobSerializer(started).data)
        return Response(body | {"results": results_json(started)})


class FailedPairListView(generics.GenericAPIView[MadePair]):
    """The pairs of a making job that no item came of, with the reason."""

    pagination_class = ApiPagination
    serializer_class = FailedPairSerializer
    queryset = MadePair.objects.none()

    @extend_schema(responses={200: FailedPairSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return rows_answer(self, MAKING, slug, pk, failed_pairs)


class MakingJobCancelView(APIView):
    @extend_schema(request=None, responses={202: MakingJobStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel a making job. The answers so far are kept, and a resumed job goes on from them."""
        started = asking_job_for(MAKING, caller(request), slug, pk, MAKING.manage)
        return cancel_answer(request, MAKING, started)


class MakingJobResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: MakingJobStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Resume a making job: continue with the pairs that are open."""
        started = asking_job_for(MAKING, caller(request), slug, pk, MAKING.manage)
        return resume_answer(request, MAKING, started)


class MakingPromptView(APIView):
    @extend_schema(responses={200: TaskPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the prompt of making jobs."""
        return prompt_answer(request, slug, MAKING, DISTRACTORS)

    @extend_schema(request=AskingPromptInput, responses={201: TaskPromptSerializer, **REFUSALS})
    def put(self, request: Request, slug: str) -> Response:
        """Add a revision of the prompt of making jobs."""
        return revised_answer(request, slug, MAKING, DISTRACTORS)
