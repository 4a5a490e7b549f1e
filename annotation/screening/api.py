"""The API of screening jobs and their opinions."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.asking.api import (
    AskingInput,
    AskingJobSerializer,
    AskingPromptInput,
    EstimateSerializer,
    ResumeInput,
    TaskPromptSerializer,
    cancel_answer,
    hold_input,
    jobs_answer,
    prompt_answer,
    resume_answer,
    revised_answer,
    start_answer,
)
from annotation.asking.selectors import asking_job_for
from annotation.enums import OpinionState, Screen
from annotation.models import Opinion, ScreeningJob
from annotation.screening.actions import (
    SCREENING,
    ScreeningInvalid,
    ScreeningSettings,
    estimate_of,
    start_screening,
)
from annotation.screening.forms import OpinionFilterForm
from annotation.screening.labels import words_of
from annotation.screening.queries import opinions_of, results_json
from annotation.screening.selectors import task_of
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS
from common.pagination import ApiPagination
from projects.models import Project


class ScreeningInput(AskingInput):
    screens = serializers.ListField(
        child=serializers.ChoiceField(choices=Screen.choices), allow_empty=False, max_length=6
    )
    hold = hold_input()

    def settings(self, project: Project) -> ScreeningSettings:
        screens = tuple(dict.fromkeys(self.validated_data["screens"]))
        return ScreeningSettings(screens=screens, **self.shared(project))


class ScreeningStartedSerializer(serializers.Serializer[Any]):
    screening = serializers.IntegerField()
    job = serializers.IntegerField()


class ScreeningSerializer(AskingJobSerializer):
    pass


class ScreeningDetailSerializer(ScreeningSerializer):
    results = serializers.DictField(help_text="Opinions by screen, calls, tokens and price so far.")


class ScreenOpinionSerializer(serializers.Serializer[Opinion]):
    id = serializers.IntegerField()
    item = serializers.CharField(source="item.uid")
    revision = serializers.IntegerField(
        source="revision_id", allow_null=True, help_text="Null where it is about the source text."
    )
    screen = serializers.ChoiceField(choices=Screen.choices)
    state = serializers.ChoiceField(choices=OpinionState.choices)
    confidence = serializers.FloatField(allow_null=True)
    reason = serializers.SerializerMethodField()
    details = serializers.DictField(source="data")

    def get_reason(self, opinion: Opinion) -> str:
        return words_of(opinion)


class ScreeningListView(generics.GenericAPIView[ScreeningJob]):
    """The screening jobs of a project."""

    pagination_class = ApiPagination
    serializer_class = ScreeningSerializer
    queryset = ScreeningJob.objects.none()

    @extend_schema(responses={200: ScreeningSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        return jobs_answer(self, SCREENING, slug)

    @extend_schema(
        request=ScreeningInput,
        responses={200: EstimateSerializer, 202: ScreeningStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue a screening job, or return its estimate. Its progress is at `jobs/{job}/`."""
        return start_answer(
            request, slug, SCREENING, ScreeningInput, start=start_screening, estimate=estimate_of
        )


class ScreeningView(APIView):
    @extend_schema(responses={200: ScreeningDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return a screening job with its counts so far."""
        started = asking_job_for(SCREENING, caller(request), slug, pk)
        body: dict[str, Any] = dict(ScreeningSerializer(started).data)
        return Response(body | {"results": results_json(started)})


class OpinionListView(generics.GenericAPIView[Opinion]):
    """What the model of a screening job says of each item."""

    pagination_class = ApiPagination
    serializer_class = ScreenOpinionSerializer
    queryset = Opinion.objects.none()

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "state", enum=[*OpinionState.values[1:]], description="Default: doubt."
            ),
            OpenApiParameter("screen", enum=[*Screen.values]),
            OpenApiParameter("confidence", float, description="The least one, from 0 to 1."),
        ],
        responses={200: ScreenOpinionSerializer(many=True), **LIST_REFUSALS},
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        started = asking_job_for(SCREENING, caller(request), slug, pk)
        form = OpinionFilterForm(request.query_params)
        if not form.is_valid():
            raise ScreeningInvalid(fields={name: [*map(str, e)] for name, e in form.errors.items()})
        page: Any = self.paginate_queryset(opinions_of(started, form.wanted()))
        return self.get_paginated_response(ScreenOpinionSerializer(page, many=True).data)


class ScreeningCancelView(APIView):
    @extend_schema(request=None, responses={202: ScreeningStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel a screening job. The opinions so far are kept."""
        started = asking_job_for(SCREENING, caller(request), slug, pk, SCREENING.manage)
        return cancel_answer(request, SCREENING, started)


class ScreeningResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: ScreeningStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Resume a screening job: continue with the questions that are open."""
        started = asking_job_for(SCREENING, caller(request), slug, pk, SCREENING.manage)
        return resume_answer(request, SCREENING, started)


class ScreenPromptView(APIView):
    @extend_schema(responses={200: TaskPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, screen: str) -> Response:
        """Return the prompt of a screen."""
        return prompt_answer(request, slug, SCREENING, task_of(screen))

    @extend_schema(request=AskingPromptInput, responses={201: TaskPromptSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, screen: str) -> Response:
        """Add a revision of the prompt of a screen."""
        return revised_answer(request, slug, SCREENING, task_of(screen))
