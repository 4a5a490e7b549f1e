"""What the API answers with files shares: the format that is asked for, and a stream under a name."""

from collections.abc import Collection, Iterable
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

ROW_FORMATS = {"jsonl": "application/jsonl", "csv": "text/csv"}
"""The formats of rows with their media types, first the one that is written unless another is asked for."""


class ExportView(APIView):
    """A view that answers GET with a file, in the format that `format` in the query string names."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """`format` names the format of the file; the framework would look for a renderer."""
        renderer = JSONRenderer()
        return renderer, renderer.media_type


def format_parameter(formats: Collection[str] = ROW_FORMATS) -> OpenApiParameter:
    """The schema of `format`, for a view that reads it by `asked_format`."""
    return OpenApiParameter("format", str, enum=sorted(formats), default=next(iter(formats)))


def file_responses(media_types: Iterable[str] = ROW_FORMATS.values()) -> dict[Any, Any]:
    """What the schema says that an export answers, by the format that it is asked for."""
    return {(200, media_type): OpenApiTypes.STR for media_type in media_types}


def asked_format(request: Request, formats: Collection[str] = ROW_FORMATS) -> str:
    """The format in the query string, the first of `formats` without one. Raises ValidationError."""
    name = request.query_params.get("format", next(iter(formats)))
    if name not in formats:
        raise ValidationError({"format": [_("Choose from: %s.") % ", ".join(formats)]})
    return name


def file_answer(
    content: Iterable[str], *, name: str, media_type: str | None = None
) -> StreamingHttpResponse:
    """A file to keep under `name`; without a media type, the one that the end of the name stands for."""
    media_type = media_type or ROW_FORMATS[name.rpartition(".")[2]]
    response = StreamingHttpResponse(content, content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
