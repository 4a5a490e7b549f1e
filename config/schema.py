"""The view of the API's schema, which takes most of a second to write."""

from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from common.api_query import ONE_SCHEMA_AT_A_TIME

KEPT_HEADERS = ("Content-Type", "Content-Disposition")


class SchemaView(SpectacularAPIView):
    """Serves the schema; each process writes it once per language and format."""

    _written: ClassVar[dict[tuple[str | None, str], tuple[bytes, dict[str, str]]]] = {}

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer with the stored schema, unless the request asks for another form."""
        kind = request.accepted_renderer.media_type
        place = get_language(), kind
        is_plain = not request.GET and request.accepted_media_type == kind
        if is_plain and place in self._written:
            content, headers = self._written[place]
            return HttpResponse(content, headers=headers)
        with ONE_SCHEMA_AT_A_TIME:
            answer: Response = super().get(request, *args, **kwargs)
        if is_plain:
            answer.add_post_render_callback(lambda written: self._keep(place, written))
        return answer

    def _keep(self, place: tuple[str | None, str], written: Response) -> None:
        headers = {name: written[name] for name in KEPT_HEADERS}
        self._written[place] = written.content, headers
