"""The API of the translations of a run."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import READ_REFUSALS
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.figure_tables import FORMATS, as_json, table_file
from evaluation.selectors import run_by_id
from evaluation.translation.tables import NAME, translation_table

VIEW = "evaluation.view_run"


class TranslationScoreView(APIView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """BLEU and chrF++ of a run overall, by direction and by domain, with their signatures."""
        return Response(as_json(translation_table(run_by_id(caller(request), pk, VIEW))))


class TranslationScoreExportView(ExportView):
    @extend_schema(
        parameters=[format_parameter(FORMATS)],
        responses={**file_responses(each[1] for each in FORMATS.values()), **READ_REFUSALS},
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The same figures as CSV, LaTeX or Markdown."""
        name = asked_format(request, FORMATS)
        run = run_by_id(caller(request), pk, VIEW)
        file = table_file([translation_table(run)], name, stem=f"run-{pk}-{NAME}")
        return file_answer([file.text], name=file.name, media_type=file.media_type)
