"""The API of stored judgements: keyset pages, and all of them as a stream."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from common.api import REFUSALS
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.pagination import ApiPagination
from projects.criteria import names_of
from projects.models import Project
from projects.selectors import project_for
from review.models import Judgement
from review.requests import whole_number
from review.workbench.api.serializers import JudgementSerializer
from review.workbench.judgement_rows import FORMATS, as_row, judgement_values, round_numbers
from review.workbench.queries import judgements_visible_to

ROUND = OpenApiParameter("round", int, description="number of the round; all rounds without it")


class JudgementListView(generics.GenericAPIView[Judgement]):
    """The judgements of a project that the caller may see, in keyset pages."""

    serializer_class = JudgementSerializer
    pagination_class = ApiPagination

    @extend_schema(parameters=[ROUND], responses={200: JudgementSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        _project, rows, numbers = _asked_for(request, slug)
        page: Any = self.paginate_queryset(judgement_values(rows))
        return self.get_paginated_response([as_row(values.values(), numbers) for values in page])


class JudgementExportView(ExportView):
    """Every judgement that the caller may see, as a stream of JSON lines or CSV."""

    @extend_schema(
        parameters=[ROUND, format_parameter(FORMATS)],
        responses={**file_responses(), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        project, rows, numbers = _asked_for(request, slug)
        name = asked_format(request, FORMATS)
        write, media_type = FORMATS[name]
        lines = write(rows, numbers, names_of(project.criteria))
        return file_answer(lines, name=f"{slug}-judgements.{name}", media_type=media_type)


def _asked_for(request: Request, slug: str) -> tuple[Project, QuerySet[Judgement], dict[int, int]]:
    """The project, the judgements that the caller asks for and may see, and the rounds' numbers."""
    user = caller(request)
    project = project_for(user, slug, "review.view_rounds")
    numbers = round_numbers(project.rounds.all())
    rows = judgements_visible_to(project, user)
    number = whole_number(request, "round")
    if number is not None:
        wanted = [pk for pk, each in numbers.items() if each == number]
        rows = rows.filter(panel__round__in=wanted)
    return project, rows, numbers
