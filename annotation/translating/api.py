"""The API of translation jobs."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.enums import TranslationStrategy
from annotation.items.queries import ItemFilter
from annotation.models import TranslationJob
from annotation.models.translating import MIN_SAMPLES, MOST_SAMPLES
from annotation.translating.actions import (
    MAX_CONCURRENCY,
    SYSTEM_LENGTH,
    TranslationSettings,
    allow_hidden_items,
    cancel_translation,
    estimate_translation,
    resume_translation,
    start_translation,
)
from annotation.translating.queries import Selection, estimate_json, translation_jobs
from annotation.translating.results import results_json, results_of, results_of_system
from annotation.translating.selectors import MANAGE, VIEW, translation_job_by_id
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, StrictSerializer
from common.db import bounded_pk
from common.pagination import ApiPagination
from endpoints.models import Endpoint
from endpoints.specs.selectors import get_model
from jobs.enums import JobState
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import LONGEST_PROMPT, revise_translation_prompt
from prompts.models import PromptTemplate
from prompts.queries import translation_prompt


class TranslationJobInput(StrictSerializer):
    system = serializers.CharField(max_length=SYSTEM_LENGTH)
    model = serializers.CharField(max_length=100, help_text="Name of the model spec.")
    strategy = serializers.ChoiceField(choices=TranslationStrategy.choices)
    judge = serializers.CharField(
        max_length=100, default="", allow_blank=True, help_text="Empty: the model judges itself."
    )
    samples = serializers.IntegerField(min_value=MIN_SAMPLES, max_value=MOST_SAMPLES, default=3)
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

    def settings(self, project: Project) -> TranslationSettings:
        data = self.validated_data
        return TranslationSettings(
            system=data["system"],
            strategy=data["strategy"],
            model=get_model(project, data["model"]),
            judge=get_model(project, data["judge"]) if data["judge"] else None,
            samples=data["samples"],
            concurrency=data["concurrency"],
            budget=data["budget"],
            selection=Selection(
                items=ItemFilter(subject=data["subject"], q=data["q"]), limit=data["limit"]
            ),
        )


class TokensSerializer(serializers.Serializer[Any]):
    prompt = serializers.IntegerField()
    completion = serializers.IntegerField()


class EstimateSerializer(serializers.Serializer[Any]):
    items = serializers.IntegerField()
    hidden_left_out = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens = TokensSerializer(allow_null=True)
    price = serializers.CharField(allow_null=True, help_text="US dollars.")
    measured_on = serializers.IntegerField(help_text="Calls that the tokens were measured on.")


class TranslationStartedSerializer(serializers.Serializer[Any]):
    translation_job = serializers.IntegerField()
    job = serializers.IntegerField()


class TranslationJobSerializer(serializers.Serializer[TranslationJob]):
    id = serializers.IntegerField()
    system = serializers.CharField()
    model = serializers.CharField(source="model_spec.name")
    model_revision = serializers.IntegerField(source="model_spec.revision")
    judge = serializers.CharField(source="judge.name")
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")
    strategy = serializers.ChoiceField(choices=TranslationStrategy.choices)
    samples = serializers.IntegerField()
    budget = serializers.DecimalField(12, 4, allow_null=True)
    selection = serializers.DictField()
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    error = serializers.CharField(source="job.error")
    started_at = serializers.DateTimeField()


class TranslationJobDetailSerializer(TranslationJobSerializer):
    results = serializers.DictField(
        help_text="Counts, tokens, price, failures and findings so far."
    )


class TranslationSystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    results = serializers.DictField(
        help_text="Counts, tokens, price, failures and findings of all its jobs."
    )


class TranslationJobListView(generics.GenericAPIView[TranslationJob]):
    """The translation jobs of a project."""

    pagination_class = ApiPagination
    serializer_class = TranslationJobSerializer
    queryset = TranslationJob.objects.none()

    @extend_schema(responses={200: TranslationJobSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, VIEW)
        page: Any = self.paginate_queryset(translation_jobs(project))
        return self.get_paginated_response(TranslationJobSerializer(page, many=True).data)

    @extend_schema(
        request=TranslationJobInput,
        responses={200: EstimateSerializer, 202: TranslationStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue a translation job, or return its estimate. Its progress is at `jobs/{job}/`."""
        user = caller(request)
        project = project_for(user, slug, MANAGE)
        data = TranslationJobInput(data=request.data)
        data.is_valid(raise_exception=True)
        settings = data.settings(project)
        if data.validated_data["dry_run"]:
            return Response(estimate_json(estimate_translation(project=project, settings=settings)))
        started = start_translation(
            project=project, settings=settings, actor=user, now=timezone.now()
        )
        return _started(started)


class TranslationJobView(APIView):
    @extend_schema(responses={200: TranslationJobDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return a translation job with its results so far."""
        started = translation_job_by_id(caller(request), pk)
        body: dict[str, Any] = dict(TranslationJobSerializer(started).data)
        return Response(body | {"results": results_json(results_of(started))})


class TranslationSystemView(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("system", str, required=True, description="Its name.")],
        responses={200: TranslationSystemSerializer, **READ_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return what came of all translation jobs of a system."""
        project = project_for(caller(request), slug, VIEW)
        name = request.query_params.get("system", "")
        results = results_of_system(project, name)
        if results is None:
            raise Http404
        return Response({"system": name, "results": results_json(results)})


class TranslationJobCancelView(APIView):
    @extend_schema(request=None, responses={202: TranslationStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel a translation job. The answers and texts so far are kept."""
        user = caller(request)
        started = translation_job_by_id(user, pk, MANAGE)
        cancel_translation(translation_job=started, actor=user, now=timezone.now())
        return _started(started)


class ResumeInput(StrictSerializer):
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="Replaces the budget of the job."
    )


class TranslationJobResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: TranslationStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Resume a translation job: continue with the items that are open."""
        user = caller(request)
        started = translation_job_by_id(user, pk, MANAGE)
        data = ResumeInput(data=request.data)
        data.is_valid(raise_exception=True)
        resumed = resume_translation(
            translation_job=started,
            actor=user,
            now=timezone.now(),
            budget=data.validated_data["budget"],
        )
        return _started(resumed)


class TranslationPromptSerializer(serializers.Serializer[PromptTemplate]):
    revision = serializers.IntegerField()
    system = serializers.CharField()
    frame = serializers.CharField()


class TranslationPromptInput(StrictSerializer):
    revision = serializers.IntegerField(
        min_value=1, max_value=32767, help_text="The one that you edited."
    )
    system = serializers.CharField(max_length=LONGEST_PROMPT, allow_blank=True)
    frame = serializers.CharField(max_length=LONGEST_PROMPT)


class TranslationPromptView(APIView):
    @extend_schema(responses={200: TranslationPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the prompt of translation jobs."""
        project = project_for(caller(request), slug, MANAGE)
        return Response(
            TranslationPromptSerializer(translation_prompt(project, now=timezone.now())).data
        )

    @extend_schema(
        request=TranslationPromptInput, responses={201: TranslationPromptSerializer, **REFUSALS}
    )
    def put(self, request: Request, slug: str) -> Response:
        """Add a revision of the prompt of translation jobs."""
        user = caller(request)
        project = project_for(user, slug, MANAGE)
        data = TranslationPromptInput(data=request.data)
        data.is_valid(raise_exception=True)
        revised = revise_translation_prompt(
            project=project, actor=user, now=timezone.now(), **data.validated_data
        )
        return Response(TranslationPromptSerializer(revised).data, status=status.HTTP_201_CREATED)


class HiddenItemsInput(StrictSerializer):
    allowed = serializers.BooleanField(
        help_text="Whether translation jobs may send hidden items to this endpoint."
    )


class HiddenItemsView(APIView):
    @extend_schema(request=HiddenItemsInput, responses={200: HiddenItemsInput, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Allow an endpoint to see hidden items of the project, or keep them from it."""
        user = caller(request)
        project = project_for(user, slug, "annotation.allow_hidden_items")
        rows = Endpoint.objects.usable_in(project)
        endpoint = get_object_or_404(rows, pk=bounded_pk(pk))
        data = HiddenItemsInput(data=request.data)
        data.is_valid(raise_exception=True)
        is_allowed = data.validated_data["allowed"]
        allow_hidden_items(
            endpoint=endpoint, project=project, is_allowed=is_allowed, actor=user,
            now=timezone.now(),
        )  # fmt: skip
        return Response({"allowed": is_allowed})


def _started(started: TranslationJob) -> Response:
    body = {"translation_job": started.pk, "job": started.job_id}
    return Response(body, status=status.HTTP_202_ACCEPTED)
