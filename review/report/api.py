"""The API of the report: its tables, as files too, and the figures of reviewers."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.figure_tables import FORMATS, table_file
from common.pagination import KeysetPagination
from projects.models import Project
from projects.selectors import project_for
from review.enums import Outcome, Verdict
from review.models import Panel
from review.report.actions.reliability import start_reliability
from review.report.peer_presenters import questions_about
from review.report.peer_queries import common_panels, differing, reviewer_tables
from review.report.selectors import closed_round_number, reviewer_at, told_as_of
from review.report.tables import NAMED, TABLES, make_tables, report_json, report_stem
from review.requests import RatingsField, valid, whole_number

VIEW_REVIEWERS = "review.view_reviewers"
AS_OF = OpenApiParameter("as-of", int, description="as of this closed round")
PAIR = [
    OpenApiParameter(
        "first", location=OpenApiParameter.PATH, description="E-mail address of a reviewer."
    ),
    OpenApiParameter(
        "second", location=OpenApiParameter.PATH, description="E-mail address of another one."
    ),
    OpenApiParameter("differing", bool, description="Only items with different verdicts."),
]


class ReportView(APIView):
    """The figures of review, as `review_report --json` prints them.

    `reviewers` and `pairs` are for managers. Without `table`, everything that the caller may see.
    """

    @extend_schema(
        parameters=[
            OpenApiParameter("table", str, enum=TABLES, description="one table alone"),
            AS_OF,
        ],
        responses={200: OpenApiResponse(response=OpenApiTypes.OBJECT), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        table = _asked_table(request)
        project, as_of = _asked_for(request, slug, table)
        is_named = caller(request).has_perm(VIEW_REVIEWERS, project)
        return Response(report_json(project, table=table, as_of=as_of, is_named=is_named))


class ReportExportView(ExportView):
    @extend_schema(
        parameters=[
            OpenApiParameter("table", str, enum=TABLES, default=TABLES[0]),
            AS_OF,
            format_parameter(FORMATS),
        ],
        responses={**file_responses(each[1] for each in FORMATS.values()), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """One table of the report as CSV, LaTeX or Markdown, with the numbers of the page."""
        table = _asked_table(request) or TABLES[0]
        name = asked_format(request, FORMATS)
        project, as_of = _asked_for(request, slug, table)
        tables = make_tables(project, [table], as_of=as_of)
        file = table_file(tables, name, stem=report_stem(slug, table, as_of))
        return file_answer([file.text], name=file.name, media_type=file.media_type)


class CommonItemQuery(StrictSerializer):
    differing = serializers.BooleanField(default=False)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)


class SaidOfItemSerializer(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    ratings = RatingsField()


class CommonItemSerializer(serializers.Serializer[Panel]):
    """An item that both judged, with what each said of it first."""

    round = serializers.IntegerField(source="round.number")
    item = serializers.CharField(source="item.uid")
    item_id = serializers.IntegerField()
    subject = serializers.CharField(source="item.subject.slug")
    outcome = serializers.ChoiceField(
        choices=Outcome.choices, allow_blank=True, help_text="Empty where the panel has none."
    )
    first = serializers.SerializerMethodField()
    second = serializers.SerializerMethodField()

    @extend_schema_field(SaidOfItemSerializer)
    def get_first(self, panel: Any) -> dict[str, Any]:
        return {"verdict": panel.first_verdict, "ratings": panel.first_ratings}

    @extend_schema_field(SaidOfItemSerializer)
    def get_second(self, panel: Any) -> dict[str, Any]:
        return {"verdict": panel.second_verdict, "ratings": panel.second_ratings}


class NewestFirstPagination(KeysetPagination):
    order = ("-pk",)


class PairView(generics.GenericAPIView[Panel]):
    serializer_class = CommonItemSerializer
    pagination_class = NewestFirstPagination

    @extend_schema(parameters=PAIR, responses={200: CommonItemSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str, first: str, second: str) -> Response:
        """The items that two reviewers judged, newest first: behind a row of the table `pairs`."""
        project = project_for(caller(request), slug, VIEW_REVIEWERS)
        asked = valid(CommonItemQuery(data=request.query_params.dict()))
        people = [reviewer_at(project, email) for email in (first, second)]
        panels = common_panels(project, *people)
        page: Any = self.paginate_queryset(differing(panels) if asked["differing"] else panels)
        return self.get_paginated_response(CommonItemSerializer(page, many=True).data)


class QuestionSerializer(serializers.Serializer[Any]):
    """Something about a reviewer that their manager might ask about."""

    reviewer = serializers.EmailField(source="person.email")
    name = serializers.CharField(source="person.name")
    member = serializers.IntegerField(
        source="person.membership",
        allow_null=True,
        help_text="What `projects/{slug}/members/{id}/pause/` takes; null for who has left.",
    )
    is_paused = serializers.BooleanField(source="person.is_paused")
    text = serializers.CharField()


class QuestionListView(APIView):
    @extend_schema(
        operation_id="projects_report_questions",
        parameters=[AS_OF],
        responses={200: QuestionSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """What stands out in the speed and the ratings of reviewers, as questions."""
        project, as_of = _asked_for(request, slug, NAMED[0])
        found: Any = questions_about(slug, reviewer_tables(project, as_of=as_of))
        return Response(QuestionSerializer(found, many=True).data)


class ReliabilityStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(help_text="The job that makes the estimate.")


class ReliabilityView(APIView):
    @extend_schema(request=None, responses={202: ReliabilityStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Estimate anew how reliable reviewers are; the report's table `reviewers` has it then.

        Send no body, or an empty object.
        """
        user = caller(request)
        project = project_for(user, slug, "review.estimate_reliability")
        StrictSerializer(data=request.data).is_valid(raise_exception=True)
        job = start_reliability(project=project, actor=user, now=timezone.now())
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)


def _asked_table(request: Request) -> str | None:
    """The table in the query string, None where it names none. Raises ValidationError."""
    table = request.query_params.get("table")
    if table is not None and table not in TABLES:
        raise ValidationError({"table": [_("Choose from: %s.") % ", ".join(TABLES)]})
    return table


def _asked_for(request: Request, slug: str, table: str | None) -> tuple[Project, int | None]:
    """The project, if the caller may see its table, and the round that figures are told as of."""
    user = caller(request)
    right = VIEW_REVIEWERS if table in NAMED else "review.view_report"
    project = project_for(user, slug, right)
    wanted = closed_round_number(project, whole_number(request, "as-of"))
    return project, told_as_of(user, project, wanted)
