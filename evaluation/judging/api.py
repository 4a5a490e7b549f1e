"""The API of the judge of a run."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from endpoints.specs.selectors import get_model
from evaluation.judging.actions import JudgingSettings, start_judging
from evaluation.judging.estimates import estimate_json, estimate_judging
from evaluation.judging.queries import judging_figures
from evaluation.judging.rubric import RUBRIC
from evaluation.judging.selectors import get_judging
from evaluation.runs.actions import MAX_CONCURRENCY
from evaluation.selectors import run_by_id
from jobs.enums import JobState
from prompts.rubrics import LONGEST_RUBRIC

VIEW, JUDGE = "evaluation.view_run", "evaluation.judge_run"


class JudgingInput(StrictSerializer):
    judge = serializers.CharField(
        max_length=100, help_text="Name of a model of the project, but not the one that answered."
    )
    rubric = serializers.CharField(
        max_length=LONGEST_RUBRIC,
        default=RUBRIC,
        trim_whitespace=False,
        help_text="With {question}, {reference} and {response}.",
    )
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="US dollars; null for no limit."
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=8)

    def settings(self) -> JudgingSettings:
        data = self.validated_data
        return JudgingSettings(data["rubric"], data["budget"], data["concurrency"])


class JudgingStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class JudgingSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    judge = serializers.CharField(source="model_spec.name")
    judge_revision = serializers.IntegerField(source="model_spec.revision")
    rubric = serializers.CharField()
    budget = serializers.DecimalField(12, 4, allow_null=True)
    answers = serializers.IntegerField(source="figures.answers")
    judged = serializers.IntegerField(source="figures.judged", help_text="Answers with a verdict.")
    calls = serializers.IntegerField(source="figures.calls", help_text="Replies of the judge.")
    unreadable = serializers.IntegerField(
        source="figures.unreadable", help_text="Replies without exactly one verdict."
    )
    price = serializers.DecimalField(
        18, 6, source="figures.price", allow_null=True, help_text="US dollars, if it is known."
    )


class JudgingEstimateSerializer(serializers.Serializer[Any]):
    answers = serializers.IntegerField(help_text="Answers without a verdict.")
    looked_at = serializers.IntegerField(help_text="The rest is extrapolated from these.")
    calls = serializers.IntegerField(help_text="Equal answers to an item are judged once.")
    prompt_tokens = serializers.IntegerField(help_text="At 3 bytes a token.")
    completion_tokens = serializers.IntegerField(allow_null=True)
    price = serializers.CharField(allow_null=True, help_text="US dollars, if it is known.")


class JudgingView(APIView):
    @extend_schema(responses={200: JudgingSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """The judge of a run and how far it is; its scores are among the results of the run."""
        judging: Any = get_judging(run_by_id(caller(request), pk, VIEW))
        judging.figures = judging_figures(judging)
        return Response(JudgingSerializer(judging).data)

    @extend_schema(request=JudgingInput, responses={202: JudgingStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Have a model judge the answers to open-ended items; again, to go on with what is missing."""
        judging = start_judging(**_asked(request, pk), actor=caller(request), now=timezone.now())
        return Response({"job": judging.job_id}, status=status.HTTP_202_ACCEPTED)


class JudgingEstimateView(APIView):
    @extend_schema(request=JudgingInput, responses={200: JudgingEstimateSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """What judging would take; nothing is started."""
        return Response(estimate_json(estimate_judging(**_asked(request, pk))))


def _asked(request: Request, pk: int) -> dict[str, Any]:
    """Return the run, the judge and the settings of a request. Raises Http404, ModelUnknown."""
    run = run_by_id(caller(request), pk, JUDGE)
    data = JudgingInput(data=request.data)
    data.is_valid(raise_exception=True)
    judge = get_model(run.release.project, data.validated_data["judge"])
    return {"run": run, "judge": judge, "settings": data.settings()}
