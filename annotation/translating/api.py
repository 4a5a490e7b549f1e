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
from accounts.models import User
from annotation.asking.api import (
    AskingInput,
    AskingJobSerializer,
    AskingPromptInput,
    EstimateSerializer,
    ResumeInput,
    cancel_answer,
    hold_input,
    jobs_answer,
    resume_answer,
    start_answer,
)
from annotation.asking.queries import expected_totals, totals_json
from annotation.asking.selectors import asking_job_for
from annotation.enums import TranslationStrategy
from annotation.models import TranslationJob
from annotation.models.translating import MIN_SAMPLES, MOST_SAMPLES
from annotation.translating.actions import (
    SYSTEM_LENGTH,
    TRANSLATION,
    TranslationSettings,
    allow_hidden_items,
    estimate_translation,
    start_translation,
)
from annotation.translating.results import results_json, results_of, results_of_system
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, StrictSerializer
from common.db import bounded_pk
from common.pagination import ApiPagination
from endpoints.models import Endpoint
from endpoints.specs.selectors import get_model
from projects.models import Project
from projects.selectors import project_for
from prompts.actions import LONGEST_PROMPT, revise_translation_prompt
from prompts.models import PromptTemplate
from prompts.queries import translation_prompt


class TranslationJobInput(AskingInput):
    system = serializers.CharField(max_length=SYSTEM_LENGTH)
    strategy = serializers.ChoiceField(choices=TranslationStrategy.choices)
    judge = serializers.CharField(
        max_length=100, default="", allow_blank=True, help_text="Empty: the model judges itself."
    )
    samples = serializers.IntegerField(min_value=MIN_SAMPLES, max_value=MOST_SAMPLES, default=3)
    hold = hold_input()

    def settings(self, project: Project) -> TranslationSettings:
        data = self.validated_data
        return TranslationSettings(
            system=data["system"],
            strategy=data["strategy"],
            judge=get_model(project, data["judge"]) if data["judge"] else None,
            samples=data["samples"],
            **self.shared(project),
        )


class TranslationStartedSerializer(serializers.Serializer[Any]):
    translation_job = serializers.IntegerField()
    job = serializers.IntegerField()


class TranslationJobSerializer(AskingJobSerializer):
    system = serializers.CharField()
    judge = serializers.CharField(source="judge.name")
    prompt_revision = serializers.IntegerField(source="prompt_template.revision")
    strategy = serializers.ChoiceField(choices=TranslationStrategy.choices)
    samples = serializers.IntegerField()


class TranslationJobDetailSerializer(TranslationJobSerializer):
    results = serializers.DictField(
        help_text="Counts, tokens, price, failures and findings so far."
    )
    expected = serializers.DictField(
        allow_null=True, help_text="Calls, tokens and price in all, once 20 answers are measured."
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
        return jobs_answer(self, TRANSLATION, slug)

    @extend_schema(
        request=TranslationJobInput,
        responses={200: EstimateSerializer, 202: TranslationStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue a translation job, or return its estimate. Its progress is at `jobs/{job}/`."""
        return start_answer(
            request, slug, TRANSLATION, TranslationJobInput,
            start=start_translation, estimate=estimate_translation,
        )  # fmt: skip


class TranslationJobView(APIView):
    @extend_schema(responses={200: TranslationJobDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return a translation job with its results so far."""
        started = job_by_id(caller(request), pk, TRANSLATION.view)
        body: dict[str, Any] = dict(TranslationJobSerializer(started).data)
        results = results_of(started)
        expected = expected_totals(results.totals, started.job)
        taken = {"expected": totals_json(expected) if expected else None}
        return Response(body | {"results": results_json(results)} | taken)


class TranslationSystemView(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("system", str, required=True, description="Its name.")],
        responses={200: TranslationSystemSerializer, **READ_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return what came of all translation jobs of a system."""
        project = project_for(caller(request), slug, TRANSLATION.view)
        name = request.query_params.get("system", "")
        results = results_of_system(project, name)
        if results is None:
            raise Http404
        return Response({"system": name, "results": results_json(results)})


class TranslationJobCancelView(APIView):
    @extend_schema(request=None, responses={202: TranslationStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel a translation job. The answers and texts so far are kept."""
        started = job_by_id(caller(request), pk, TRANSLATION.manage)
        return cancel_answer(request, TRANSLATION, started)


class TranslationJobResumeView(APIView):
    @extend_schema(request=ResumeInput, responses={202: TranslationStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Resume a translation job: continue with the items that are open."""
        started = job_by_id(caller(request), pk, TRANSLATION.manage)
        return resume_answer(request, TRANSLATION, started)


class TranslationPromptSerializer(serializers.Serializer[PromptTemplate]):
    revision = serializers.IntegerField()
    system = serializers.CharField()
    frame = serializers.CharField()


class TranslationPromptInput(AskingPromptInput):
    system = serializers.CharField(max_length=LONGEST_PROMPT, allow_blank=True)


class TranslationPromptView(APIView):
    @extend_schema(responses={200: TranslationPromptSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the prompt of translation jobs."""
        project = project_for(caller(request), slug, TRANSLATION.manage)
        return Response(
            TranslationPromptSerializer(translation_prompt(project, now=timezone.now())).data
        )

    @extend_schema(
        request=TranslationPromptInput, responses={201: TranslationPromptSerializer, **REFUSALS}
    )
    def put(self, request: Request, slug: str) -> Response:
        """Add a revision of the prompt of translation jobs."""
        user = caller(request)
        project = project_for(user, slug, TRANSLATION.manage)
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


def job_by_id(user: User, pk: int, permission: str) -> TranslationJob:
    """Return a translation job without knowing its project. Raises Http404, PermissionDenied."""
    project = Project.objects.visible_to(user).filter(translation_jobs=bounded_pk(pk)).first()
    if project is None:
        raise Http404
    return asking_job_for(TRANSLATION, user, project.slug, pk, permission)
