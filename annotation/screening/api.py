"""The API of screening jobs and their opinions."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.enums import OpinionState, Screen
from annotation.items.queries import ItemFilter
from annotation.models import Opinion, ScreeningJob
from annotation.screening.actions import (
    MAX_CONCURRENCY,
    ScreeningInvalid,
    ScreeningSettings,
    cancel_screening,
    estimate_of,
    resume_screening,
    start_screening,
)
from annotation.screening.forms import OpinionFilterForm
from annotation.screening.labels import words_of
from annotation.screening.queries import opinions_of, results_json, screening_jobs
from annotation.screening.screens import QUESTIONS
from annotation.screening.selectors import MANAGE, VIEW, prompt_of, screening_for
from annotation.translating.api import EstimateSerializer, ResumeInput
from annotation.translating.queries import Selection, estimate_json
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from endpoints.specs.selectors import get_model
from jobs.enums import JobState
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import LONGEST_PROMPT, revise_screening_prompt
from prompts.models import PromptTemplate


class ScreeningInput(StrictSerializer):
    model = serializers.CharField(max_length=100, help_text="Name of the model spec.")
    screens = serializers.ListField(
        child=serializers.ChoiceField(choices=Screen.choices), allow_empty=False, max_length=6
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=8)
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="US dollars; null is no bound."
    )
    subject = serializers.CharField(max_length=100, default="", allow_blank=True)
    q = serializers.CharField(max_length=200, default="", allow_blank=True)
    limit = serializers.IntegerField(
        min_value=0, max_value=10**6, default=0, help_text="The first items only; 0 means all."
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Return the estimate and start nothing."
    )

    def settings(self, project: Project) -> ScreeningSettings:
        data = self.validated_data
        return ScreeningSettings(
            model=get_model(project, data["model"]),
            screens=tuple(dict.fromkeys(data["screens"])),
            concurrency=data["concurrency"],
            budget=data["budget"],
            selection=Selection(
                items=ItemFilter(subject=data["subject"], q=data["q"]), limit=data["limit"]
            ),
        )


class ScreeningStartedSerializer(serializers.Serializer[Any]):
    screening = serializers.IntegerField()
    job = serializers.IntegerField()


class ScreeningSerializer(serializers.Serializer[ScreeningJob]):
    id = serializers.IntegerField()
    model = serializers.CharField(source="model_spec.name")
    model_revision = serializers.IntegerField(source="model_spec.revision")
    budget = serializers.DecimalField(12, 4, allow_null=True)
    selection = serializers.DictField()
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    error = serializers.CharField(source="job.error")
    started_at = serializers.DateTimeField()


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
        project = project_for(caller(request), slug, VIEW)
        page: Any = self.paginate_queryset(screening_jobs(project))
        return self.get_paginated_response(ScreeningSerializer(page, many=True).data)

    @extend_schema(
        request=ScreeningInput,
        responses={200: EstimateSerializer, 202: ScreeningStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue a screening job, or return its estimate. Its progress is at `jobs/{job}/`."""
        user = caller(request)
        project = project_for(user, slug, MANAGE)
        data = ScreeningInput(data=request.data)
        data.is_valid(raise_exception=True)
        settings = data.settings(project)
        if data.validated_data["dry_run"]:
            return Response(estimate_json(estimate_of(project=project, settings=settings)))
        started = start_screening(
            project=project, settings=settings, actor=user, now=timezone.now()
        )
        return _started(started)


class ScreeningView(APIView):
    @extend_schema(responses={200: ScreeningDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return a screening job with its counts so far."""
        started = screening_for(caller(request), slug, pk)
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
        started = screening_for(caller(request), slug, pk)
        form = OpinionFilterForm(request.query_params)
        if not form.is_valid():
            raise ScreeningInvalid(fields={name: [*map(str, e)] for name, e in form.errors.items()})
        page: Any = self.paginate_queryset(opinions_of(started, form.wanted()))
        return self.get_paginated_response(ScreenOpinionSerializer(page, many=True).data)


class ScreeningCancelView(APIView):
    @extend_schema(request=None, responses={202: ScreeningStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel a screening job. The opinions so far are kept."""
        user = caller(request)
        started = screening_for(user, slug, pk, MANAGE)
        cancel_screening(screening_job=started, actor=user, now=timezone.now())
        return _started(started)


class ScreeningResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: ScreeningStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Resume a screening job: continue with the questions that are open."""
        user = caller(request)
        started = screening_for(user, slug, pk, MANAGE)
        data = ResumeInput(data=request.data)
        data.is_valid(raise_exception=True)
        budget = data.validated_data["budget"]
        resumed = resume_screening(
            screening_job=started, actor=user, now=timezone.now(), budget=budget
        )
        return _started(resumed)


class ScreenPromptSerializer(serializers.Serializer[PromptTemplate]):
    revision = serializers.IntegerField()
    frame = serializers.CharField()


class ScreenPromptInput(StrictSerializer):
    revision = serializers.IntegerField(
        min_value=1, max_value=32767, help_text="The one that you edited."
    )
    frame = serializers.CharField(max_length=LONGEST_PROMPT)


class ScreenPromptView(APIView):
    @extend_schema(responses={200: ScreenPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str, screen: str) -> Response:
        """Return the prompt of a screen."""
        project = project_for(caller(request), slug, MANAGE)
        return Response(ScreenPromptSerializer(prompt_of(project, screen, now=timezone.now())).data)

    @extend_schema(request=ScreenPromptInput, responses={201: ScreenPromptSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, screen: str) -> Response:
        """Add a revision of the prompt of a screen."""
        user = caller(request)
        project = project_for(user, slug, MANAGE)
        prompt_of(project, screen, now=timezone.now())
        data = ScreenPromptInput(data=request.data)
        data.is_valid(raise_exception=True)
        revised = revise_screening_prompt(
            project=project, screen=screen, builtin=QUESTIONS[screen], actor=user,
            now=timezone.now(), **data.validated_data,
        )  # fmt: skip
        return Response(ScreenPromptSerializer(revised).data, status=status.HTTP_201_CREATED)


def _started(started: ScreeningJob) -> Response:
    body = {"screening": started.pk, "job": started.job_id}
    return Response(body, status=status.HTTP_202_ACCEPTED)
