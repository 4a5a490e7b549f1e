"""The API of the Min-k % test of a run."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.enums import TextSide
from common.api import READ_REFUSALS, REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.figure_tables import FORMATS, as_json, table_file
from evaluation.contamination.actions import MOST_ITEMS, MOST_SEED, MinKSettings, start_min_k
from evaluation.contamination.forms import LONGEST_TEXTS
from evaluation.contamination.queries import min_k_figures
from evaluation.contamination.selectors import get_min_k
from evaluation.contamination.tables import comparison_table, min_k_tables, subjects_table
from evaluation.items.selectors import reference_release
from evaluation.runs.actions import MAX_CONCURRENCY
from evaluation.selectors import run_by_id
from jobs.enums import JobState

VIEW, TEST = "evaluation.view_run", "evaluation.test_min_k"
READ = "evaluation.view_responses"


class MinKInput(StrictSerializer):
    control = serializers.CharField(
        max_length=160,
        default="",
        allow_blank=True,
        help_text="A release of controls: `VERSION`, or `PROJECT:VERSION` of another project that "
        "you manage.",
    )
    texts = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TEXTS),
        default=list,
        help_text="Each line is a control too.",
    )
    side = serializers.ChoiceField(choices=TextSide.choices, default=TextSide.TARGET.value)
    most = serializers.IntegerField(min_value=1, max_value=MOST_ITEMS, default=1000)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=0)
    budget = serializers.DecimalField(
        12, 4, allow_null=True, default=None, help_text="US dollars; null for no limit."
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=8)


class MinKStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class MinKSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    control = serializers.CharField(allow_null=True, help_text="Null if texts were given.")
    side = serializers.ChoiceField(choices=TextSide.choices)
    most = serializers.IntegerField()
    seed = serializers.IntegerField()
    budget = serializers.DecimalField(12, 4, allow_null=True)
    unmatched = serializers.IntegerField(
        source="unmatched_count", help_text="Drawn items without a control of like length."
    )
    texts = serializers.IntegerField(source="figures.texts", help_text="Items and controls.")
    answered = serializers.IntegerField(source="figures.answered")
    unreadable = serializers.IntegerField(
        source="figures.unreadable", help_text="Answers without log-probabilities."
    )
    calls = serializers.IntegerField(source="figures.calls", help_text="Answers that were bought.")
    price = serializers.DecimalField(
        18, 6, source="figures.price", allow_null=True, help_text="US dollars, if it is known."
    )
    table = serializers.DictField(help_text="The figures for each k, and what they can say.")
    subjects = serializers.DictField(help_text="The figures of each subject for k = 20 %.")


class MinKView(APIView):
    @extend_schema(responses={200: MinKSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """How probable the items of a run are to its model, beside control texts of like length."""
        test: Any = get_min_k(run_by_id(caller(request), pk, VIEW))
        test.figures = min_k_figures(test)
        test.table = as_json(comparison_table(test, test.figures))
        test.subjects = as_json(subjects_table(test.figures))
        return Response(MinKSerializer(test).data)

    @extend_schema(request=MinKInput, responses={202: MinKStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Start the Min-k % test of a run; again, to go on or to take other texts."""
        user = caller(request)
        run = run_by_id(user, pk, TEST)
        body = MinKInput(data=request.data)
        body.is_valid(raise_exception=True)
        data = dict(body.validated_data)
        name, texts = data.pop("control"), data.pop("texts")
        control = reference_release(run.release.project, name, user=user) if name else None
        test = start_min_k(
            run=run, control=control, texts=texts, settings=MinKSettings(**data), actor=user,
            now=timezone.now(),
        )  # fmt: skip
        return Response({"job": test.job_id}, status=status.HTTP_202_ACCEPTED)


class MinKExportView(ExportView):
    @extend_schema(
        parameters=[format_parameter(FORMATS)],
        responses={**file_responses(each[1] for each in FORMATS.values()), **READ_REFUSALS},
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The figures and the values of each text as CSV, LaTeX or Markdown, for managers."""
        name = asked_format(request, FORMATS)
        test = get_min_k(run_by_id(caller(request), pk, READ))
        file = table_file(min_k_tables(test), name, stem=f"run-{pk}-min-k")
        return file_answer([file.text], name=file.name, media_type=file.media_type)
